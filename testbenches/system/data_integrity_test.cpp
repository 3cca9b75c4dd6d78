// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

// The drive is overwritten three times at random, then read: nothing is lost, and WAF is what the dies say.
TEST(Overwrite, ThreeTimesWithCollection) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[global]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\nio_size=300%\n[overwrite]\n",
                              {"cpu.model=native", "precondition.fill=sequential"},
                              {"--verify-all"}});
  const auto& flash = run.result["flash"];
  EXPECT_GT(flash["erases"].get<std::uint64_t>(), 0U);
  const double host_sectors = flash["host_bytes_written"].get<double>() / 4096;
  const double programmed = flash["sectors_programmed"].get<double>();
  EXPECT_GT(programmed, host_sectors);
  // WAF is reported from the firmware's side; the dies counted their programs on their own.
  EXPECT_NEAR(flash["waf"].get<double>(), programmed / host_sectors, 1e-3);
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GE(run.result["check"]["reads_checked"].get<std::uint64_t>(), 1U);
}

TEST(Misaligned, TraceIsReadBackBlockByBlock) {
  const auto run = run_drive({"configs/ssds/small.toml", "testbenches/system/data/misaligned.csv", {"cpu.model=native"}, {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["ios"]["write"]["count"].get<int>(), 100);
}

}  // namespace
}  // namespace wordline::testing
