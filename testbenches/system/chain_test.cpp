// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives whose reads of many logical pages are served without a core. The host checks what every read returns;
// the controller watches that no slot is given to new data while a read takes the old ones.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::chain_test {
namespace {

using Sets = std::vector<std::string>;

const Sets kChain{"cpu.model=native", "engines.l2p=on", "engines.job=on", "engines.completion=on"};
const Sets kAll{"cpu.model=native", "engines.l2p=on",        "engines.buffer=on",
                "engines.job=on",   "engines.completion=on", "engines.gc=on"};
const Sets kNoFlash{"cpu.model=native", "engines.l2p=on", "engines.buffer=on", "engines.completion=on"};
const Sets kZerosOnly{"cpu.model=native", "engines.l2p=on", "engines.completion=on"};

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::uint64_t operations(const nlohmann::json& result, const char* engine) {
  return result["engines"][engine]["operations"].get<std::uint64_t>();
}

// Reads of all lengths against overwriting in a hot spot, parts of logical pages, deallocation, and GC of superblocks
// that they read.
constexpr const char* kMix =
    "[global]\nnorandommap\nrandom_distribution=zipf:1.1\n"
    "[a]\nrw=randrw\nbs=16k\nrwmixread=60\niodepth=24\nio_size=60%\n"
    "[b]\nrw=randread\nbs=128k\niodepth=4\nnumber_ios=600\n"
    "[c]\nrw=randrw\nbs=20k\niodepth=4\nnumber_ios=600\n"
    "[d]\nrw=randrw\nbs=9728\niodepth=4\nnumber_ios=600\n"
    "[e]\nrw=randtrim\nbs=64k\niodepth=2\nnumber_ios=300\n"
    "[f]\nrw=randread\nbs=256k\niodepth=1\nnumber_ios=50\n";

struct Drive {
  const char* name;
  bool filled;  // at the start: GC runs
  Sets sets;
};
std::ostream& operator<<(std::ostream& out, const Drive& drive) { return out << drive.name; }

class LongReads : public ::testing::TestWithParam<Drive> {};

TEST_P(LongReads, NothingIsLost) {
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 kMix,
                 GetParam().sets + Sets{GetParam().filled ? "precondition.fill=sequential" : "precondition.fill=none"},
                 {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["flash"]["erases"].get<int>(), GetParam().filled ? 50 : -1);
  EXPECT_GT(operations(run.result, "completion"), 500U);
}
INSTANTIATE_TEST_SUITE_P(
    Drives, LongReads,
    ::testing::Values(Drive{"all", true, kAll}, Drive{"fresh", false, kAll}, Drive{"flash", true, kChain},
                      Drive{"no_flash", false, kNoFlash}, Drive{"zeros", false, kZerosOnly},
                      // Sixteen slots for the engines, in rows of two: long reads go to the firmware now and then.
                      Drive{"few_slots", true, kAll + Sets{"ftl.read_buffer=128KiB"}},
                      Drive{"two_slots", true, kAll + Sets{"ftl.read_buffer=16KiB"}},
                      Drive{"retries", true, kAll + Sets{"nand.aging.pe_cycles=2500", "nand.aging.retention_days=40"}},
                      Drive{"volatile", false, kAll + Sets{"ftl.power_safe=false", "ftl.write_buffer=256KiB"}}),
    [](const auto& info) { return std::string(info.param.name); });

// With engines as fast as they are, hardly any read is still under way when its superblock is erased: GC's
// programs take longer. Here a flash job takes its time; what was looked up has moved by then, and only the grace
// period keeps its superblock from being erased first. (Without it the host finds erased flash after 6,500 requests.)
TEST(SlowChain, PlacesStayUntilTheyAreRead) {
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 "[global]\nnorandommap\n[w]\nrw=randwrite\nbs=4k\niodepth=32\nio_size=250%\n"
                 "[r]\nrw=randread\nbs=8k\niodepth=64\nio_size=250%\n",
                 kAll + Sets{"precondition.fill=sequential", "nand.blocks_per_plane=24", "ftl.over_provisioning=0.4",
                             "engines.job_latency=1ms", "engines.job_depth=64"},
                 {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["flash"]["erases"].get<int>(), 200);
  EXPECT_GT(operations(run.result, "job"), 10000U);
}

// The same for slots of the write buffer. (Without the grace period the controller sees a slot in two hands within 2
// ms.)
TEST(SlowChain, SlotsStayUntilTheyAreRead) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[global]\nnorandommap\nsize=4m\nio_size=32m\n[w]\nrw=randwrite\nbs=4k\niodepth=32\n"
                              "[r]\nrw=randread\nbs=16k\niodepth=16\n",
                              kAll + Sets{"precondition.fill=sequential", "ftl.write_buffer=512KiB",
                                          "engines.buffer_latency=1ms", "engines.buffer_depth=64"},
                              {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(operations(run.result, "buffer"), 300U);
}

// Reads of 16 and 128 KiB of a drive that lies still: cores boot, and sleep.
TEST(LongReadsAlone, NeedNoCore) {
  for (const char* size : {"16k", "128k"}) {
    const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                                std::string("[job]\nrw=randread\nbs=") + size + "\niodepth=16\nnumber_ios=1000\n",
                                kAll + Sets{"precondition.fill=sequential"},
                                {}});
    for (const auto& tag : run.result["firmware_cycles"].items()) {
      if (tag.key() == "boot" || tag.key() == "idle") continue;
      EXPECT_LT(tag.value().get<double>(), 2000) << tag.key();
    }
    const auto stages = run.result["stages"]["read"]["total_ps"];
    EXPECT_EQ(stages["firmware"], 0);
    std::int64_t sum = 0;
    for (const auto& stage : stages.items()) sum += stage.value().get<std::int64_t>();
    EXPECT_EQ(sum, run.result["ios"]["read"]["lat_ps"]["sum"].get<std::int64_t>());
  }
}

// Pages that cannot be read: their commands come back from the firmware with an error, once, whatever else of them was
// read, and the others are right.
TEST(LongReadsAlone, UnreadablePagesAreErrorsOfTheirCommands) {
  const Sets worn{"precondition.fill=sequential", "nand.aging.pe_cycles=5000", "nand.aging.retention_days=365",
                  "ecc.max_retries=0", "ecc.max_soft=0"};
  const auto run = run_drive(
      {"configs/ssds/small.toml", "[job]\nrw=randread\nbs=128k\niodepth=16\nnumber_ios=1000\n", kAll + worn, {}});
  const auto lost = run.result["errors"]["read"]["unrecovered_read"].get<unsigned>();
  const auto good = run.result["ios"]["read"]["count"].get<unsigned>();
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(lost + good, 1000U);
}

TEST(LongReadsAlone, AnUnreadablePageEndsTheRunWhenAsked) {
  const std::string job = scratch_file("job.fio", "[job]\nrw=randread\nbs=128k\niodepth=16\nnumber_ios=2000\n");
  std::vector<std::string> arguments{"run",   "configs/ssds/small.toml", "--workload", job,
                                     "--out", scratch_folder(),          "--quiet"};
  for (const auto& set :
       kAll + Sets{"precondition.fill=sequential", "nand.aging.pe_cycles=5000", "nand.aging.retention_days=365",
                   "ecc.max_retries=0", "ecc.max_soft=0", "host.on_error=stop"}) {
    arguments.insert(arguments.end(), {"--set", set});
  }
  const CommandResult result = wordline(arguments);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("unrecovered read error"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("not in flight"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("which the firmware does not hold"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace wordline::testing::chain_test
