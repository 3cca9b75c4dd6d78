// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The RISC-V image on instruction-set models: the same drives and checks, and the instruction budgets.
#include <gtest/gtest.h>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::image_test {
namespace {

/// The image has its stacks at the end of the whole memory.
wl_boot_info image_boot_of(const Shape& shape) {
  wl_boot_info boot = boot_of(shape);
  boot.tcm_bytes = WL_TCM_SIZE;
  return boot;
}

class FirmwareImage : public ::testing::TestWithParam<Shape> {};

TEST_P(FirmwareImage, KeepsEverythingOnInterleavedCores) {
  const wl_boot_info boot = image_boot_of(GetParam());
  Drive drive(boot, 31, WORDLINE_FIRMWARE_IMAGE);
  stress(drive, boot, kEverything, 3.0);
  read_everything(drive, boot);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  EXPECT_TRUE(drive.errors.empty());
  EXPECT_GT(drive.statistics().gc_superblocks, 10u);
  EXPECT_GT(drive.reads_checked, boot.user_lpages * 8ull);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FirmwareImage,
                         ::testing::Values(Shape{"one_core", 1, 1, 1, {0, 0, 0}, false, true},
                                           Shape{"two_cores", 2, 1, 2, {0, 1, 0}, true, true},
                                           Shape{"three_cores", 2, 3, 3, {2, 0, 1}, false, true}),
                         [](const auto& param) { return std::string(param.param.name); });

struct Budget {
  const char* name;
  std::uint8_t opcode;
  std::uint32_t depth;
  double most;  // instructions of all cores for one 4 KiB command
};

void PrintTo(const Budget& budget, std::ostream* out) { *out << budget.name; }

class InstructionBudget : public ::testing::TestWithParam<Budget> {};

TEST_P(InstructionBudget, IsKept) {
  wl_boot_info boot = image_boot_of({"three_cores", 2, 3, 3, {0, 1, 2}, true, true});
  boot.host_tags = GetParam().depth;
  Drive drive(boot, 1, WORDLINE_FIRMWARE_IMAGE);
  // Few enough writes that nothing is collected: the budget is without GC.
  constexpr std::uint32_t kCommands = 300;
  const auto command = [&] { return Command{GetParam().opcode, drive.random() % boot.user_lpages * 8, 8, false, {}}; };
  for (int i = 0; i < 20; ++i) drive.run(command());
  drive.settle();
  const std::uint64_t before = drive.instructions();
  for (std::uint32_t i = 0; i < kCommands; ++i) {
    while (!drive.has_tag()) drive.step();
    drive.submit(command());
  }
  drive.settle();
  EXPECT_EQ(drive.statistics().gc_superblocks, 0u);
  const double each = static_cast<double>(drive.instructions() - before) / kCommands;
  RecordProperty("instructions_per_command", std::to_string(each));
  EXPECT_LE(each, GetParam().most);
  EXPECT_GT(each, 100);  // it did count
}

INSTANTIATE_TEST_SUITE_P(Mixes, InstructionBudget,
                         ::testing::Values(Budget{"read_one_at_a_time", WL_OP_READ, 1, 1560},
                                           Budget{"read_sixteen_in_flight", WL_OP_READ, 16, 1500},
                                           Budget{"write_one_at_a_time", WL_OP_WRITE, 1, 2500},
                                           Budget{"write_sixteen_in_flight", WL_OP_WRITE, 16, 2500}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace wordline::testing::image_test
