// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host shuts the drive down before power goes.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "testbenches/system/recovering_drive.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::clean_shutdown_test {
namespace {

using Sets = std::vector<std::string>;

constexpr const char* kDrive = kRecoveringDrive;
/// Writes and deallocations; the last ones are followed by no FLUSH.
constexpr const char* kJob =
    "[global]\nioengine=libaio\nnorandommap\n[w]\nrw=randrw\nrwmixread=20\nbs=4k\niodepth=16\nnumber_ios=4000\n"
    "[t]\nrw=randtrim\nbs=16k\niodepth=2\nnumber_ios=300\n";

nlohmann::json cut_of(const RunResult& run) {
  return nlohmann::json::parse(std::ifstream(run.folder + "/power_cut.json"));
}

// Without recovery, too: what the buffer held is on flash.
TEST(CleanShutdown, FlushesAVolatileBuffer) {
  const Sets sets{"ftl.power_safe=false", "cpu.model=native"};
  const std::string job = "[w]\nioengine=libaio\nrw=randwrite\nnorandommap\nbs=4k\niodepth=16\nnumber_ios=3001\n";
  const nlohmann::json cut = cut_of(run_drive({kDrive, job, sets, {"--cut-power", "1s"}}));
  EXPECT_GT(cut["lpages"]["missing"].get<int>() + cut["lpages"]["older"].get<int>(), 0);
  EXPECT_EQ(cut["shut_down"], false);
  const RunResult run = run_drive({kDrive, job, sets, {"--cut-power", "1s", "--shutdown"}});
  const nlohmann::json down = cut_of(run);
  EXPECT_EQ(down["shut_down"], true);
  EXPECT_EQ(down["lpages"]["missing"].get<int>() + down["lpages"]["older"].get<int>(), 0);
  EXPECT_GT(run.result["recovery"]["shutdown_time"], 100'000'000) << "ps: a program at least";
}

void mounts_from_its_checkpoint(const std::string& model, const Sets& more = {}) {
  const auto recovering = [&](Sets sets) {
    sets.insert(sets.end(), more.begin(), more.end());
    return testing::recovering(sets, model);
  };
  const std::string folder = scratch_folder();
  const RunResult first = run_drive({kDrive, kJob, recovering({}), {"--shutdown", "--image", folder + "/0.flash"}});
  EXPECT_GT(first.result["recovery"]["checkpoint_sectors"], 50);
  EXPECT_EQ(cut_of(first)["broken_promises"]["lost"], 0);
  // Nothing is written, so the checkpoint is good for another time, also when power fails.
  const std::string reads = "[r]\nioengine=libaio\nrw=randread\nbs=4k\niodepth=4\nnumber_ios=50\n";
  const RunResult second = run_drive({kDrive,
                                      reads,
                                      recovering({"precondition.flash=" + folder + "/0.flash"}),
                                      {"--cut-power", "1s", "--image", folder + "/1.flash"}});
  EXPECT_EQ(second.result["recovery"]["clean_mounts"], 1);
  EXPECT_EQ(cut_of(second)["records"], cut_of(first)["records"]);
  const RunResult after =
      run_drive({kDrive, kJob, recovering({"precondition.flash=" + folder + "/1.flash"}), {"--verify-all"}});
  EXPECT_EQ(after.result["check"]["mismatches"], 0);
  EXPECT_EQ(after.result["recovery"]["clean_mounts"], 1);
  EXPECT_LT(after.result["recovery"]["mount_reads"], 200);
  EXPECT_GE(after.result["blocks"]["superblock_erases"], first.result["blocks"]["superblock_erases"])
      << "erases are remembered";
  // Something is written: the next mount goes by the records, and says the same as a scan (the run compares).
  const RunResult written = run_drive({kDrive,
                                       kJob,
                                       recovering({"precondition.flash=" + folder + "/1.flash"}),
                                       {"--cut-power", "12ms", "--image", folder + "/2.flash"}});
  EXPECT_EQ(cut_of(written)["clean_mount"], true);
  const RunResult last =
      run_drive({kDrive, kJob, recovering({"precondition.flash=" + folder + "/2.flash"}), {"--verify-all"}});
  EXPECT_EQ(last.result["check"]["mismatches"], 0);
  EXPECT_FALSE(last.result["recovery"].contains("clean_mounts"));
  EXPECT_GT(last.result["recovery"]["recorded_superblocks"], 2);
  EXPECT_GT(last.result["recovery"]["mount_reads"], 120);
  EXPECT_GT(last.result["recovery"]["mount_time"], 2 * after.result["recovery"]["mount_time"].get<std::uint64_t>());
}

TEST(CleanShutdown, IsMountedFromItsCheckpoint) { mounts_from_its_checkpoint("native"); }
TEST(CleanShutdown, OnModelledCoresAsWell) { mounts_from_its_checkpoint("iss"); }
TEST(CleanShutdown, WhereProgramsShareAWordLine) { mounts_from_its_checkpoint("native", {"nand.program=page"}); }

TEST(CleanShutdown, CrashTestCutsShutdownsToo) {
  std::vector<std::string> arguments{"crash-test", kDrive, "-w",     scratch_file("job.fio", kJob),
                                     "--cuts",     "16",   "--life", "8",
                                     "--nested",   "2",    "--seed", "3",
                                     "--clean",    "60"};
  for (const std::string& set : recovering({})) arguments.insert(arguments.end(), {"--set", set});
  const CommandResult r = wordline(arguments);
  EXPECT_EQ(r.exit_code, 0) << r.output;
  EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("mounts from a checkpoint"), std::string::npos) << r.output;
  EXPECT_EQ(r.output.find(" 0 mounts from a checkpoint"), std::string::npos) << r.output;
  EXPECT_EQ(r.output.find(", 0 cuts in one"), std::string::npos) << r.output;
}

// A cut of this drive once left the end of a checkpoint on a word line that was half filled, in the die of its mark.
TEST(CleanShutdown, CrashTestOfProgramsThatShareAWordLine) {
  const CommandResult r = wordline({"crash-test", kDrive,
                                    "-w",         "configs/workloads/crash.fio",
                                    "--cuts",     "12",
                                    "--life",     "6",
                                    "--nested",   "2",
                                    "--seed",     "11",
                                    "--clean",    "60",
                                    "--set",      "ftl.recovery=scan",
                                    "--set",      "ftl.power_safe=false",
                                    "--set",      "cpu.model=native",
                                    "--set",      "nand.program=page"});
  EXPECT_EQ(r.exit_code, 0) << r.output;
  EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << r.output;
}

TEST(CleanShutdown, WhatCannotBe) {
  const std::string job = scratch_file("job.fio", kJob);
  EXPECT_NE(wordline({"run", kDrive, "-w", job, "--image", "x.flash"}).output.find("add --shutdown"),
            std::string::npos);
  EXPECT_NE(wordline({"run", kDrive, "-w", job, "--shutdown", "--set", "host.model=direct"})
                .output.find("needs host.model = nvme"),
            std::string::npos);
  EXPECT_NE(wordline({"crash-test", kDrive, "-w", job, "--clean", "10", "--every", "--set", "ftl.recovery=scan",
                      "--set", "ftl.power_safe=false"})
                .output.find("leave out --every"),
            std::string::npos);
}

}  // namespace
}  // namespace wordline::testing::clean_shutdown_test
