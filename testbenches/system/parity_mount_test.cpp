// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parity over dies and power cuts: what a mount finds without a die, and what rows that were open are worth then.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::parity_mount_test {
namespace {

using namespace nlohmann::literals;  // _json_pointer
using Sets = std::vector<std::string>;

constexpr const char* kDrive = "configs/ssds/small.toml";
// Six dies of forty blocks, some of which GC has emptied when power fails.
const Sets kSixDies = {"channels.count=2",      "channels.packages=3",       "channels.dies_per_package=1",
                       "nand.page=4KiB",        "nand.spare=552B",           "nand.layers=4",
                       "nand.wls_per_layer=2",  "nand.blocks_per_plane=40",  "nand.planes=2",
                       "nand.program=wordline", "cpu.model=native",          "ftl.parity=dies",
                       "ftl.recovery=scan",     "ftl.over_provisioning=1.6", "ftl.gc_start_superblocks=3",
                       "precondition.fill=none"};
constexpr const char* kJob =
    "[global]\nnorandommap\nioengine=libaio\n[mixed]\nrw=randrw\nbs=4k\nrwmixread=40\niodepth=16\nio_size=80%\n"
    "[all]\nstonewall\nrw=read\nbs=64k\niodepth=4\nsize=100%\n";

Sets with(Sets sets, const Sets& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

const Sets kSafe = with(kSixDies, {"ftl.power_safe=true", "power.hold_up=1J"});

Sets dead(unsigned die, const std::string& at) {
  return {"nand.faults.dead_dies=[" + std::to_string(die) + "]", "nand.faults.dead_at=[" + at + "]"};
}

/// Flash as a cut at `at` has left it.
std::string cut(const Sets& sets, const std::string& at, const std::string& name) {
  const std::string image = scratch_folder() + "/" + name + ".flash";
  (void)run_drive({kDrive, kJob, sets, {"--cut-power", at, "--image", image}});
  return image;
}

RunResult mounted(const Sets& sets, const std::string& image) {
  return run_drive({kDrive, kJob, with(sets, {"precondition.flash=" + image}), {"--verify-all"}});
}

void expect_all_there(const RunResult& run) {
  EXPECT_EQ(run.result["status"], "completed");
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_EQ(run.result["errors"]["read"]["unrecovered_read"], 0);
  EXPECT_EQ(run.result["errors"]["write"]["write_protected"], 0);
}

class ParityMount : public ::testing::TestWithParam<unsigned> {};

TEST_P(ParityMount, FindsWhatADeadDieHeld) {
  for (const char* at : {"31ms", "60ms", "77ms"}) {
    const std::string image = cut(kSafe, at, "cut");
    for (const char* dies : {"0ps", "2.9ms", "4ms"}) {
      SCOPED_TRACE(std::string(at) + ", the die dies at " + dies);
      const RunResult run = mounted(with(kSafe, dead(GetParam(), dies)), image);
      expect_all_there(run);
      EXPECT_EQ(run.result["parity"]["dead_dies"], 1);
    }
  }
}

// Superblocks that leave the die out lie beside others then, some of them half erased.
TEST_P(ParityMount, FindsItAgainAfterTheNextCut) {
  const std::string first = cut(with(kSafe, dead(GetParam(), "20ms")), "60ms", "first");
  for (const char* at : {"20ms", "55ms", "80ms", "110ms", "113.7ms", "140ms"}) {
    SCOPED_TRACE(at);
    const std::string second = cut(with(kSafe, {"precondition.flash=" + first}), at, "second");
    const RunResult run = mounted(kSafe, second);
    expect_all_there(run);
    EXPECT_EQ(run.result["parity"]["dead_dies"], 1);
  }
}

TEST_P(ParityMount, KnowsAtACleanMountWhatRowsLack) {
  const std::string image = scratch_folder() + "/clean.flash";
  const RunResult before = run_drive({kDrive,
                                      kJob,
                                      with(kSafe, {"nand.aging.pe_cycles=3000", "nand.faults.program_failures=0.02"}),
                                      {"--shutdown", "--image", image}});
  const RunResult run = mounted(with(kSafe, dead(GetParam(), "10ms")), image);
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  // A row whose parity could not be programmed has lost what the die held.
  if (before.result.value("/parity/failed_programs"_json_pointer, 0) == 0) expect_all_there(run);
  EXPECT_EQ(run.result["recovery"]["clean_mounts"], 1);
}

// Rows of which programs have failed, or that were left half filled, say after a cut what has no part in their parity.
TEST_P(ParityMount, KnowsAfterACutWhatRowsLack) {
  const Sets worn = with(kSafe, {"nand.aging.pe_cycles=3000", "nand.faults.program_failures=0.05"});
  for (const char* at : {"40ms", "55ms", "70ms"}) {
    SCOPED_TRACE(at);
    const std::string image = cut(worn, at, "worn");
    EXPECT_EQ(mounted(with(kSafe, dead(GetParam(), "75ms")), image).result["check"]["mismatches"], 0);
  }
}

// Lost with the die is what lay in rows that were open at the cut, and had no hold-up energy, but for what a mount has
// given parity before the die died.
TEST_P(ParityMount, SaysWhatIsLostWhereRowsWereOpen) {
  const Sets unsafe = with(kSixDies, {"ftl.power_safe=false"});
  std::uint64_t made = 0;
  for (const char* at : {"33ms", "47.1ms", "60ms", "71.3ms"}) {
    SCOPED_TRACE(at);
    const std::string image = cut(unsafe, at, "unsafe");
    const RunResult whole = mounted(unsafe, image);
    expect_all_there(whole);
    const RunResult run = mounted(with(unsafe, dead(GetParam(), "15ms")), image);
    EXPECT_EQ(run.result["status"], "completed");
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
    const std::string end = std::to_string(whole.result["recovery"]["mount_time"].get<std::uint64_t>()) + "ps";
    const RunResult mount =
        run_drive({kDrive, kJob, with(unsafe, {"precondition.flash=" + image}), {"--cut-power", end}});
    made += mount.result.value("/parity/programs"_json_pointer, 0U);
  }
  EXPECT_GT(made, 0U);
}

INSTANTIATE_TEST_SUITE_P(Dies, ParityMount, ::testing::Values(0U, 3U, 4U, 5U));

TEST(ParityMountOfTwoDeadDies, SaysThatNobodyKnows) {
  const std::string image = cut(kSafe, "60ms", "two");
  const RunResult run = mounted(with(kSafe, {"nand.faults.dead_dies=[1, 4]", "nand.faults.dead_at=[0ps, 0ps]"}), image);
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["errors"]["read"]["unrecovered_read"], 100);
}

}  // namespace
}  // namespace wordline::testing::parity_mount_test
