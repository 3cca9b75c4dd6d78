// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every file below configs/ is usable, and says what its source says.
#include <gtest/gtest.h>

#include <filesystem>

#include "models/checks/commands.h"
#include "models/nand/cell_model.h"
#include "models/nand/timing.h"
#include "models/units/index.h"
#include "models/workload/source.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::shipped_test {
namespace {

std::vector<std::string> files(const char* folder, const char* extension) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WORDLINE_CONFIGS "/") + folder)) {
    if (entry.path().extension() == extension) found.push_back(entry.path().string());
  }
  return found;
}

config::Loaded shipped(const char* name) { return config::load(std::string(WORDLINE_CONFIGS "/") + name, {}); }

TEST(Shipped, EveryDriveAndDeviceLoads) {
  for (const auto& [folder, least] : {std::pair{"ssds", 3U}, std::pair{"nand", 5U}}) {
    const auto found = files(folder, ".toml");
    EXPECT_GE(found.size(), least);
    for (const auto& file : found) {
      EXPECT_EQ(problems(file), "") << file;
      const auto c = config::load(file, {}).config;
      const nand::ArrayPlans plans(c.nand, config::layout_of(c));
      EXPECT_GT(plans.erase().total(), Picoseconds(0)) << file;
      EXPECT_NO_THROW((void)nand::CellModel(c.nand)) << file;
    }
  }
}

TEST(Shipped, EveryWorkloadRunsOnEveryDrive) {
  const auto workloads = files("workloads", ".fio");
  EXPECT_GE(workloads.size(), 6U);
  for (const auto& drive : files("ssds", ".toml")) {
    workload::LoadOptions options;
    options.drive_lbas = LpageSize().first_lba(config::layout_of(config::load(drive, {}).config).user_lpages);
    options.placement_handles = 2;
    const std::uint64_t half = options.drive_lbas / 2;
    for (const auto& file : workloads) {
      const bool of_two = file.find("two_namespaces") != std::string::npos;
      options.namespaces.clear();
      if (of_two) options.namespaces = {{0, half}, {half, options.drive_lbas - half}};
      const auto source = workload::load_workload(file, options);
      EXPECT_GE(source->jobs(), 1U) << file;
      for (const auto& notice : source->notices()) ADD_FAILURE() << file << ": " << notice;
      workload::Request request;
      Picoseconds now{0};
      if (!source->next(0, now, request)) {  // a job with a startdelay
        now = source->resume(0);
        ASSERT_LT(now, workload::Source::kOnCompletion) << file;
        EXPECT_TRUE(source->next(0, now, request)) << file;
      }
    }
  }
}

TEST(Shipped, BenchmarkWorkloads) {
  workload::LoadOptions options;
  options.drive_lbas = std::uint64_t{1} << 30;
  for (const char* name : {"randread_4k", "randwrite_4k", "mix7030_4k"}) {
    const auto source = workload::load_workload(std::string(WORDLINE_CONFIGS "/workloads/") + name + ".fio", options);
    EXPECT_EQ(source->depth(0), 32U) << name;
    EXPECT_EQ(source->total_requests(), 500'000U) << name;
  }
}

TEST(Shipped, ReferenceDrive) {
  const auto c = shipped("ssds/ref_tlc32.toml").config;
  const auto l = config::layout_of(c);
  EXPECT_EQ(c.channels.count, 8U);
  EXPECT_EQ(l.dies, 32U);
  EXPECT_EQ(c.nand.geometry.planes, 2U);
  EXPECT_EQ(c.nand.geometry.blocks_per_plane, 512U);
  EXPECT_EQ(l.pages_per_block, 384U);
  EXPECT_EQ(c.nand.geometry.page, 16_KiB);
  EXPECT_EQ(l.pages_per_program, 1U);
  EXPECT_EQ(l.lpages_per_program, 8U);
  EXPECT_EQ(l.raw_lpages * l.lpage.bytes(), (192_GiB).count());
  EXPECT_EQ(l.user_lpages, 44'659'847U);  // 192 GiB / 1.127
  EXPECT_EQ(c.channels.rate, TransfersPerSecond(800'000'000));
  EXPECT_EQ(c.ftl.write_buffer, 16_MiB);
  EXPECT_EQ(c.link.bandwidth, BytesPerSecond(8'000'000'000));
  EXPECT_EQ(c.cpu.cores, 3U);
  const nand::ArrayPlans plans(c.nand, l);
  EXPECT_EQ(plans.read(0).total(), 45_us);
  EXPECT_EQ(plans.read(1).total(), 65_us);
  EXPECT_EQ(plans.read(2).total(), 85_us);
  EXPECT_EQ(plans.program(0).total(), 300_us);
  EXPECT_EQ(plans.program(1).total(), 700_us);
  EXPECT_EQ(plans.program(2).total(), 1100_us);
  EXPECT_EQ(plans.erase().total(), 3500_us);
}

TEST(Shipped, DefaultDrive) {
  const auto c = shipped("ssds/default.toml").config;
  const auto l = config::layout_of(c);
  EXPECT_EQ(l.wls_per_block, 192U);
  EXPECT_EQ(l.pages_per_block, 576U);
  EXPECT_EQ(l.pages_per_program, 3U);
  EXPECT_EQ(l.lpages_per_program, 24U);
  EXPECT_EQ(l.programs_per_block, 192U);
  const nand::ArrayPlans plans(c.nand, l);
  EXPECT_EQ(plans.read(0).total(), 37_us);
  EXPECT_EQ(plans.read(1).total(), 46_us);
  EXPECT_EQ(plans.program(0).total(), Picoseconds(700'200'000));
  EXPECT_EQ(plans.erase().total(), 4_ms);
}

// The device file states what the table of keys has as defaults: they may not drift apart.
TEST(Shipped, DefaultDeviceIsTheDefault) {
  enter_scratch();
  write_file("empty.toml", "");
  EXPECT_EQ(config::effective_toml(config::load("empty.toml", {"nand.timing.senses_per_page=[2, 3, 2]"})),
            config::effective_toml(shipped("nand/tlc_48x4.toml")));
}

TEST(Shipped, SmallDriveIsSmall) {
  const auto c = shipped("ssds/small.toml").config;
  const auto l = config::layout_of(c);
  EXPECT_EQ(l.dies, 4U);
  EXPECT_GE(l.user_lpages, 20'000U);
  EXPECT_LE(l.user_lpages, 60'000U);
  EXPECT_EQ(c.precondition.fill, config::PreconditionFill::kNone);
}

}  // namespace
}  // namespace wordline::testing::shipped_test
