// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The RISC-V image on instruction-set models: the same drives and checks, and the instruction budgets.
#include <gtest/gtest.h>

#include <iostream>

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
                         ::testing::Values(Budget{"read_one_at_a_time", WL_OP_READ, 1, 1590},
                                           Budget{"read_sixteen_in_flight", WL_OP_READ, 16, 1500},
                                           Budget{"write_one_at_a_time", WL_OP_WRITE, 1, 2500},
                                           Budget{"write_sixteen_in_flight", WL_OP_WRITE, 16, 2500}),
                         [](const auto& param) { return std::string(param.param.name); });

/// docs/nvme.md has these.
TEST(InstructionBudgetOfAdmin, IsKept) {
  const wl_boot_info boot = image_boot_of({"one_core", 1, 1, 1, {0, 0, 0}, false, true});
  Drive drive(boot, 1, WORDLINE_FIRMWARE_IMAGE);
  stress(drive, boot, kWholeSectors, 1.0);
  const auto cost = [&](const wl_sqe& sqe) {
    drive.settle();
    const std::uint64_t before = drive.instructions();
    EXPECT_EQ(drive.run_admin(sqe).status, 0);
    drive.settle();
    return drive.instructions() - before;
  };
  wl_sqe log{};
  log.dword[WL_DW_OPCODE] = WL_ADMIN_GET_LOG_PAGE;
  log.dword[WL_DW10] = WL_LOG_EXTENDED_SMART;
  const std::uint64_t of_log = cost(log);
  wl_sqe removal{};
  removal.dword[WL_DW_OPCODE] = WL_ADMIN_NAMESPACE;
  removal.dword[WL_DW14] = static_cast<std::uint32_t>(boot.user_lpages << boot.ftl.lpage_shift);
  const std::uint64_t of_data = cost(removal) / boot.user_lpages, of_none = cost(removal) / boot.user_lpages;
  RecordProperty("extended_smart_log", std::to_string(of_log));
  RecordProperty("deletion_of_a_logical_page", std::to_string(of_data));
  RecordProperty("deletion_of_a_deallocated_page", std::to_string(of_none));
  std::cout << of_log << ' ' << of_data << ' ' << of_none << '\n';
  EXPECT_LE(of_log, 4000U);
  EXPECT_LE(of_data, 250U);
  EXPECT_LE(of_none, 80U);
  EXPECT_GT(of_none, 10U) << "it did count";
}

}  // namespace
}  // namespace wordline::testing::image_test
