// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with placement handles: on both core models, with either parser, in either isolation.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::placement_drive_test {
namespace {

/// One handle is written in order round a region, one at random in another, and a job names none. All of it in whole
/// logical pages, so that what is programmed for the host is what it wrote.
constexpr const char* kJobs =
    "[global]\nnorandommap\n"
    "[large]\nrw=write\nbs=64k\niodepth=2\nsize=48m\nio_size=96m\nfdp=1\nplids=1\n"
    "[small]\nrw=randwrite\nbs=4k\niodepth=8\noffset=56m\nsize=16m\nio_size=48m\nfdp=1\nplids=2\n"
    "[other]\nrw=randrw\nbs=16k\niodepth=4\noffset=76m\nsize=12m\nio_size=24m\n";

class PlacedDrives : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(PlacedDrives, LoseNothingAndCountByHandle) {
  const auto& [cpu, parse, isolation] = GetParam();
  const RunResult run =
      run_drive({"configs/ssds/small.toml",
                 kJobs,
                 {std::string("cpu.model=") + cpu, std::string("engines.parse=") + parse,
                  std::string("ftl.fdp.isolation=") + isolation, "ftl.fdp.handles=3", "nand.blocks_per_plane=48",
                  "nand.layers=4", "ftl.over_provisioning=0.5", "precondition.fill=sequential"},
                 {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  const nlohmann::json& rows = run.result["placement"];
  ASSERT_EQ(rows.size(), 4U) << "three handles, and what they share";
  std::uint64_t host = 0, erased = 0;
  for (const nlohmann::json& row : rows) {
    host += row["host_sectors"].get<std::uint64_t>();
    erased += row["erased"].get<std::uint64_t>();
  }
  const nlohmann::json& flash = run.result["flash"];
  const auto written = flash["host_bytes_written"].get<std::uint64_t>() / 4096;
  EXPECT_LE(host, written);
  EXPECT_GT(host, written * 95 / 100) << "but for what is still in the write buffer";
  EXPECT_GT(flash["erases"].get<std::uint64_t>(), 0U);
  EXPECT_GT(erased, 20U);
  for (const int handle : {0, 1, 2}) EXPECT_GT(rows[handle]["host_sectors"].get<int>(), 0) << handle;
  EXPECT_EQ(rows[3]["host_sectors"], 0);
  if (std::string(isolation) == "persistently") {
    EXPECT_EQ(rows[3]["erased"], 0) << "nothing is shared";
  }
}
INSTANTIATE_TEST_SUITE_P(Drives, PlacedDrives,
                         ::testing::Combine(::testing::Values("native", "iss"), ::testing::Values("on", "off"),
                                            ::testing::Values("initially", "persistently")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_parse_" + std::get<1>(info.param) + "_" +
                                  std::get<2>(info.param);
                         });

}  // namespace
}  // namespace wordline::testing::placement_drive_test
