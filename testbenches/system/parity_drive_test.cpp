// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with parity over dies (docs/parity.md): what it costs, and what it brings back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/firmware/contract/parity.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::parity_drive_test {
namespace {

using Sets = std::vector<std::string>;

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const char* const kOverwrite = "[global]\nbs=16k\nnorandommap\n[overwrite]\nrw=randwrite\niodepth=32\nio_size=250%\n";
const char* const kMixed = "[global]\nbs=4k\nnorandommap\n[mixed]\nrw=randrw\nrwmixread=50\niodepth=32\nio_size=150%\n";
const char* const kReadAll = "[global]\nbs=4k\n[all]\nrw=read\niodepth=16\nio_size=100%\n";
const Sets kParity{"ftl.parity=dies", "cpu.model=native", "ftl.over_provisioning=0.6", "nand.blocks_per_plane=48"};

std::uint64_t number(const nlohmann::json& json, const char* key) {
  return json.contains(key) ? json[key].get<std::uint64_t>() : 0;
}

std::string dies(std::uint32_t count) {  // on four channels of one package
  return "channels.dies_per_package=" + std::to_string(count / 4);
}
const Sets kFourChannels{"channels.count=4", "channels.packages=1"};

/// Nothing is lost, stale or refused, and what was written is read.
void expect_whole(const RunResult& run) {
  EXPECT_EQ(run.result["status"], "completed");
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_EQ(number(run.result["parity"], "failed_rebuilds"), 0U);
  for (const auto& [direction, errors] : run.result["errors"].items()) {
    for (const auto& [name, count] : errors.items()) EXPECT_EQ(count, 0) << direction << " " << name;
  }
}

// Of n programs one is parity: programs rise by n/(n-1), whoever's data they are.
TEST(ParityDrive, OneProgramInNIsParity) {
  for (const std::uint32_t n : {4U, 8U, 16U}) {
    const auto run =
        run_drive({"configs/ssds/small.toml", kOverwrite, kParity + kFourChannels + Sets{dies(n)}, {"--verify-all"}});
    expect_whole(run);
    const nlohmann::json& parts = run.result["flash"]["waf_parts"];
    const double parity = parts["parity"].get<double>();
    const double data = run.result["flash"]["waf"].get<double>() - parity;
    EXPECT_GT(parts["gc"].get<double>(), 0.1);
    // Rows that are open at the end have no parity yet.
    EXPECT_NEAR(parity / data, 1.0 / (n - 1), 0.004) << n;
    EXPECT_EQ(number(run.result["parity"], "rebuilds"), 0U);
  }
}

// The exported capacity is what data have room for, over one plus the over-provisioning.
TEST(ParityDrive, CapacityIsThatOfTheOtherDies) {
  const auto lpages = [](const char* parity) {
    const config::Config c =
        config::load(WORDLINE_SSDS "/small.toml", {std::string("ftl.parity=") + parity, "channels.count=4",
                                                   "channels.packages=1", "channels.dies_per_package=4"})
            .config;
    return config::layout_of(c).user_lpages;
  };
  EXPECT_NEAR(static_cast<double>(lpages("dies")), static_cast<double>(lpages("none")) * 15 / 16, 1);
}

struct Death {
  const char* name;
  std::uint32_t die;
  const char* at;
  const char* fill;
  const char* cpu;
};
void PrintTo(const Death& c, std::ostream* out) { *out << c.name; }

class OneDeadDie : public ::testing::TestWithParam<Death> {};

// In midst of writes, reads and GC a die dies: nothing is lost, the drive writes on, and what had a part in the die is
// written anew.
TEST_P(OneDeadDie, LosesNothing) {
  const Death& c = GetParam();
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 kMixed,
                 kParity + kFourChannels +
                     Sets{dies(8), std::string("cpu.model=") + c.cpu, std::string("precondition.fill=") + c.fill,
                          "nand.faults.dead_dies=[" + std::to_string(c.die) + "]",
                          std::string("nand.faults.dead_at=[") + c.at + "]"},
                 {"--verify-all"}});
  expect_whole(run);
  EXPECT_EQ(number(run.result["parity"], "dead_dies"), 1U);
  EXPECT_GT(number(run.result["parity"], "rebuild_superblocks"), 0U);
  EXPECT_GT(number(run.result["parity"], "rebuild_sectors"), 0U);
  // In the others it may go on at the end.
  if (std::string(c.at) == "0s") {
    EXPECT_GT(number(run.result["parity"], "rebuild_time"), 0U);
  }
  EXPECT_GT(number(run.result["gc"], "sectors_copied"), 500U);
}

INSTANTIATE_TEST_SUITE_P(Instants, OneDeadDie,
                         ::testing::Values(Death{"data_at_the_beginning", 2, "0s", "none", "native"},
                                           Death{"parity_at_the_beginning", 7, "0s", "none", "native"},
                                           Death{"first_filled", 0, "1ms", "sequential", "native"},
                                           Death{"filled", 3, "7ms", "sequential", "native"},
                                           Death{"parity_filled", 7, "12ms", "sequential", "native"},
                                           Death{"with_gc", 5, "60ms", "sequential", "native"},
                                           Death{"late", 1, "200ms", "sequential", "native"},
                                           Death{"parity_late", 7, "150ms", "none", "native"},
                                           Death{"on_the_instruction_set_model", 4, "9ms", "sequential", "iss"}),
                         [](const auto& param) { return std::string(param.param.name); });

// Two dead dies: exactly what lies on them is lost, and the host is told of each logical page.
TEST(TwoDeadDies, LoseWhatLiesOnThem) {
  const Sets sets =
      kParity + kFourChannels +
      Sets{dies(8), "precondition.fill=sequential", "nand.faults.dead_dies=[1, 6]", "nand.faults.dead_at=[0s, 0s]"};
  const auto run = run_drive({"configs/ssds/small.toml", kReadAll, sets, {}});
  const config::Config c = config::load(WORDLINE_SSDS "/small.toml", sets).config;
  const config::Layout l = config::layout_of(c);
  const wl_geometry geometry =
      wl_geometry_of(l.dies, l.lpages_per_mpage, l.pages_per_program, l.dies * l.programs_per_block);
  std::uint64_t lost = 0;
  for (std::uint32_t lpn = 0; lpn < l.user_lpages; ++lpn) {
    const std::uint32_t die = wl_locate(&geometry, wl_parity_fill_ppa(&geometry, lpn)).die;
    lost += die == 1 || die == 6 ? 1 : 0;
  }
  EXPECT_GT(lost, l.user_lpages / 4);
  EXPECT_EQ(run.result["errors"]["read"]["unrecovered_read"], lost);
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_EQ(number(run.result["parity"], "dead_dies"), 2U);
}

// Pages that cannot be read, here and there: each is rebuilt, and with data moved for it, not again and again.
TEST(UnreadablePagesWithParity, AreRebuilt) {
  for (const char* retry : {"on", "off"}) {
    const auto run = run_drive({"configs/ssds/small.toml",
                                std::string(kMixed),
                                kParity + kFourChannels +
                                    Sets{dies(8), "precondition.fill=sequential", std::string("engines.retry=") + retry,
                                         "nand.faults.unreadable_pages=0.0005"},
                                {"--verify-all"}});
    expect_whole(run);
    EXPECT_GT(number(run.result["parity"], "rebuilds"), 20U);
    EXPECT_EQ(number(run.result["parity"], "dead_dies"), 0U);
  }
}

// Members of a row that the decoder needs retries for, controlled by hardware and by firmware.
TEST(WornDriveWithADeadDie, RebuildsWhatNeedsRetries) {
  for (const char* retry : {"on", "off"}) {
    const auto run = run_drive({"configs/ssds/small.toml",
                                kMixed,
                                kParity + kFourChannels +
                                    Sets{dies(8), "precondition.fill=sequential", std::string("engines.retry=") + retry,
                                         "nand.aging.pe_cycles=2000", "nand.aging.retention_days=180",
                                         "nand.faults.dead_dies=[2]", "nand.faults.dead_at=[20ms]"},
                                {"--verify-all"}});
    expect_whole(run);
    EXPECT_GT(number(run.result["flash"], "retries"), 200U);
    EXPECT_GT(number(run.result["parity"], "rebuilds"), 200U);
  }
}

// A read waits for the end of a row that holds the last room of GC, which the host would pay for with its next write:
// and that is behind the read.
TEST(FailedReadsWithParity, OfRowsThatHaveNotEndedHurryGc) {
  const char* const job =
      "[global]\nnorandommap\n[job0]\nrw=randread\nbs=16k\niodepth=1\nnumber_ios=13\n[job1]\nrw=randwrite\nbs=16k\n"
      "iodepth=1\nnumber_ios=52\n[job2]\nrw=randrw\nbs=512\niodepth=4\nnumber_ios=46\n[overwrite]\nrw=randwrite\n"
      "bs=16k\niodepth=64\nio_size=200%\n[hot0]\nrw=randwrite\nbs=4k\niodepth=32\nnumber_ios=112\nsize=16k\n"
      "io_size=100000%\n";
  for (const char* seed : {"12", "14", "18"}) {
    const auto run = run_drive({"configs/ssds/small.toml",
                                job,
                                {"ftl.parity=dies",
                                 "cpu.model=native",
                                 "cpu.clock=50MHz",
                                 "channels.packages=1",
                                 "channels.dies_per_package=3",
                                 "nand.cell=qlc",
                                 "nand.timing.senses_per_page=[]",
                                 "nand.blocks_per_plane=25",
                                 "nand.layers=3",
                                 "nand.wls_per_layer=1",
                                 "nand.page=4KiB",
                                 "nand.program=page",
                                 "nand.aging.pe_cycles=500",
                                 "nand.aging.retention_days=365",
                                 "nand.ispp.step=90mV",
                                 "nand.ispp.state_loops=6",
                                 "channels.mode=nv-ddr3-5",
                                 "channels.cache_program=true",
                                 "channels.suspend=program",
                                 "channels.suspend_limit=1",
                                 "channels.queue_order=arrival",
                                 "nvme.tags=7",
                                 "ftl.who_waits=both",
                                 "ftl.policy=page_hot_cold",
                                 "ftl.over_provisioning=1.614",
                                 "ftl.gc_start_superblocks=5",
                                 "ftl.gc_reserve_superblocks=5",
                                 "ftl.write_buffer=28KiB",
                                 "ftl.read_buffer=64KiB",
                                 "ftl.gc_buffer=20KiB",
                                 "precondition.fill=sequential",
                                 std::string("run.seed=") + seed},
                                {"--verify-all"}});
    EXPECT_EQ(run.result["status"], "completed") << seed;
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
  }
}

// What fails in the dead die is no fault of a superblock, but what fails in another die of it is.
TEST(DeadDieBesideFailingErases, LeavesBadBlocksAlone) {
  const char* const job =
      "[global]\nnorandommap\n[a]\nrw=randwrite\nbs=64k\niodepth=32\nio_size=30%\n[b]\nrw=write\nbs=4k\niodepth=8\n"
      "number_ios=449\nsize=16k\nio_size=100000%\nfsync=1\n[c]\nrw=write\nbs=512\niodepth=8\nnumber_ios=457\nsize=16k\n"
      "io_size=100000%\n";
  std::uint64_t failures = 0;
  unsigned alone = 0;  // with some seeds three erases of another die fail in a row, and it is given up, too
  for (const char* seed : {"3", "4", "5", "6", "7", "8", "9"}) {
    const auto run = run_drive({"configs/ssds/small.toml",
                                job,
                                {"ftl.parity=dies",
                                 "cpu.model=native",
                                 "channels.count=1",
                                 "channels.dies_per_package=2",
                                 "nand.cell=mlc",
                                 "nand.timing.senses_per_page=[]",
                                 "nand.planes=1",
                                 "nand.blocks_per_plane=33",
                                 "nand.layers=5",
                                 "nand.wls_per_layer=1",
                                 "nand.page=2KiB",
                                 "ftl.idle_after=1us",
                                 "ftl.idle_free_superblocks=4",
                                 "ftl.over_provisioning=3.248",
                                 "ftl.gc_start_superblocks=2",
                                 "precondition.fill=sequential",
                                 "nand.aging.pe_cycles=5000",
                                 "nand.faults.erase_failures=0.05",
                                 "nand.faults.dead_dies=[3]",
                                 "nand.faults.dead_at=[70ms]",
                                 std::string("run.seed=") + seed},
                                {"--verify-all"}});
    EXPECT_EQ(run.result["status"], "completed") << seed;
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
    alone += number(run.result["parity"], "dead_dies") == 1 ? 1 : 0;
    failures += number(run.result["flash"], "failures");
  }
  EXPECT_GT(failures, 10U);
  EXPECT_GE(alone, 4U);
}

// Programs and erases that fail leave rows without some of their members: the others are rebuilt without these.
TEST(FailedProgramsWithParity, LeaveRowsThatCanBeRebuilt) {
  const auto run = run_drive(
      {"configs/ssds/small.toml",
       kMixed,
       kParity + kFourChannels +
           Sets{dies(8), "precondition.fill=sequential", "nand.aging.pe_cycles=3000", "nand.blocks_per_plane=96",
                "ftl.over_provisioning=1.5", "nand.faults.program_failures=0.01", "nand.faults.unreadable_pages=0.001"},
       {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(number(run.result["flash"], "failures"), 3U);
  EXPECT_GT(number(run.result["parity"], "rebuilds"), 10U);
  EXPECT_EQ(run.result["errors"]["read"]["unrecovered_read"], 0);
}

// A superblock holds a seventh less then; the boundary is exact.
TEST(ADeadDieOfEight, LeavesTheDriveReadOnlyWhereCheckSaysSo) {
  for (const bool enough : {false, true}) {
    const Sets sets = Sets{"ftl.parity=dies", "cpu.model=native", "channels.count=4", "channels.packages=2"} +
                      Sets{enough ? "ftl.over_provisioning=0.23" : "ftl.over_provisioning=0.22"};
    std::vector<std::string> check{"check", "configs/ssds/small.toml"};
    for (const std::string& set : sets) check.insert(check.end(), {"--set", set});
    const std::string said = wordline(check).output;
    EXPECT_EQ(said.find("with a dead die the drive is read-only") == std::string::npos, enough) << said;
    const auto run = run_drive(
        {"configs/ssds/small.toml",
         "[w]\nioengine=libaio\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=4000\nnorandommap\n",
         sets + Sets{"precondition.fill=sequential", "nand.faults.dead_dies=[2]", "nand.faults.dead_at=[3ms]"},
         {}});
    EXPECT_EQ(number(run.result["parity"], "dead_dies"), 1U);
    EXPECT_EQ(run.result["errors"]["write"]["write_protected"] == 0, enough);
  }
}

}  // namespace
}  // namespace wordline::testing::parity_drive_test
