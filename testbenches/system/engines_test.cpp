// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with hardware engines: nothing is read that was not written, whatever is hardware; and the two models of
// a core still agree, since what an engine does is not charged.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/engines/gate_times.h"
#include "models/engines/table/engine_table.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::engines_test {
namespace {

using Sets = std::vector<std::string>;

/// Names of engines that are there; "-parse": the parser, which is there by default, is not.
Sets with(Sets sets, const std::string& engines) {
  std::string name;
  for (const char c : engines + " ") {
    if (c != ' ') {
      name += c;
      continue;
    }
    if (!name.empty())
      sets.push_back(name[0] == '-' ? "engines." + name.substr(1) + "=off" : "engines." + name + "=on");
    name.clear();
  }
  return sets;
}

constexpr const char* kAll = "l2p buffer job completion gc copy victim";
constexpr const char* kGc = "gc copy victim";

class Placement : public ::testing::TestWithParam<const char*> {};

// Reads right behind the writes of the same logical pages, parts of logical pages, long commands and deallocation; most
// of the flash is overwritten, so that superblocks are collected and erased under the reads.
TEST_P(Placement, NothingIsLost) {
  const auto run = run_drive(
      {"configs/ssds/small.toml",
       "[global]\nbs=4k\nnorandommap\n[a]\nrw=randrw\nrwmixread=40\niodepth=32\nio_size=50%\n"
       "random_distribution=zipf:1.1\n[trim]\nrw=randtrim\niodepth=2\nnumber_ios=500\n"
       "[b]\nrw=randrw\nbs=24k\niodepth=4\nnumber_ios=800\n[c]\nrw=randrw\nbs=2560\niodepth=4\nnumber_ios=800\n",
       with({"cpu.model=native", "precondition.fill=sequential"}, GetParam()),
       {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["flash"]["erases"].get<int>(), 50);
}
TEST_P(Placement, NothingIsLostInAHotSpot) {
  for (const char* cpu : {"cpu.model=native", "cpu.model=iss"}) {
    const auto run = run_drive({"configs/ssds/small.toml",
                                "[a]\nrw=randrw\nbs=4k\nsize=512k\nio_size=16m\nnorandommap\niodepth=64\n",
                                with({cpu, "cpu.cores=1", "cpu.task_core=[0,0,0]", "ftl.power_safe=false"}, GetParam()),
                                {"--verify-all"}});
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Engines, Placement,
                         ::testing::Values("l2p", "job", "completion", "gc", "copy", "victim", "gc copy", "job copy",
                                           kGc, "l2p completion", "job completion", "l2p buffer completion",
                                           "l2p job completion", kAll, "-parse", "-parse job completion gc",
                                           "-parse gc copy victim"));

double mean_of_all(const nlohmann::json& result) {
  double sum = 0;
  double count = 0;
  for (const char* op : {"read", "write"}) {
    sum += result["ios"][op]["lat_ps"]["sum"].get<double>();
    count += result["ios"][op]["count"].get<double>();
  }
  return sum / count;
}

class Agreement : public ::testing::TestWithParam<const char*> {};

TEST_P(Agreement, NativeMeansWhatIssMeasures) {
  const auto run = [](const std::string& cpu) {
    return run_drive({"configs/ssds/ref_tlc32.toml",
                      "[job]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=64\nnumber_ios=12000\n",
                      with({"cpu.model=" + cpu, "precondition.fill=sequential"}, GetParam()),
                      {}})
        .result;
  };
  const auto iss = run("iss");
  const auto native = run("native");
  EXPECT_NEAR(mean_of_all(native) / mean_of_all(iss), 1.0, 0.03);
  for (const char* op : {"read", "write"}) {
    EXPECT_NEAR(native["ios"][op]["iops"].get<double>() / iss["ios"][op]["iops"].get<double>(), 1.0, 0.05) << op;
  }
}
INSTANTIATE_TEST_SUITE_P(Engines, Agreement,
                         ::testing::Values("l2p", "job", "completion", "l2p job", kAll, "-parse",
                                           "-parse job completion"));

// GC: scanned by hardware it copies as much, and takes cycles off the core.
TEST(GcEngines, FindsTheSameWithFewerCycles) {
  const auto run = [](const std::string& engines, const std::string& cpu) {
    return run_drive({"configs/ssds/small.toml",
                      "[job]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\nio_size=100%\n",
                      with({"cpu.model=" + cpu, "precondition.fill=sequential"}, engines),
                      {}})
        .result;
  };
  const auto firmware = run("", "iss");
  const auto hardware = run("gc", "iss");
  const auto native = run("gc", "native");
  EXPECT_NEAR(hardware["flash"]["waf"].get<double>() / firmware["flash"]["waf"].get<double>(), 1.0, 0.02);
  EXPECT_FALSE(hardware["firmware_cycles"].contains("ftl_gc_sector"));
  EXPECT_LT(hardware["firmware_cycles"]["ftl_gc_found"].get<double>(),
            firmware["firmware_cycles"]["ftl_gc_sector"].get<double>() / 2);
  EXPECT_NEAR(mean_of_all(native) / mean_of_all(hardware), 1.0, 0.03);
}

// Firmware scans, copies and keeps its buckets; or hardware does a part of that; on both models of a core.
class GcEngines : public ::testing::TestWithParam<const char*> {};

constexpr const char* kOverwrite = "[job]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\nio_size=100%\n";

TEST_P(GcEngines, NativeMeansWhatIssMeasures) {
  const auto run = [](const std::string& cpu) {
    return run_drive({"configs/ssds/small.toml",
                      kOverwrite,
                      with({"cpu.model=" + cpu, "precondition.fill=sequential"}, GetParam()),
                      {}})
        .result;
  };
  const auto iss = run("iss");
  const auto native = run("native");
  EXPECT_NEAR(mean_of_all(native) / mean_of_all(iss), 1.0, 0.03);
  EXPECT_NEAR(native["ios"]["write"]["iops"].get<double>() / iss["ios"]["write"]["iops"].get<double>(), 1.0, 0.05);
  EXPECT_NEAR(native["flash"]["waf"].get<double>() / iss["flash"]["waf"].get<double>(), 1.0, 0.05);
}
INSTANTIATE_TEST_SUITE_P(Engines, GcEngines, ::testing::Values("copy", "victim", "gc copy", kGc));

double cycles(const nlohmann::json& result, const char* tag) {
  return result["firmware_cycles"].contains(tag) ? result["firmware_cycles"][tag].get<double>() : 0;
}

TEST(GcEngines, WhatIsHardwareTheFirmwareDoesNotDo) {
  const auto run = [](const std::string& engines) {
    return run_drive({"configs/ssds/small.toml",
                      kOverwrite,
                      with({"cpu.model=iss", "precondition.fill=sequential"}, engines),
                      {}})
        .result;
  };
  const auto firmware = run("");
  const auto victim = run("victim");
  const auto copy = run("copy");
  const auto all = run(kGc);
  for (const auto* hardware : {&victim, &copy, &all}) {
    EXPECT_NEAR((*hardware)["flash"]["waf"].get<double>() / firmware["flash"]["waf"].get<double>(), 1.0, 0.05);
  }
  // Every invalidation moves a superblock: those of this drive are shorter than there are buckets.
  EXPECT_GT(cycles(firmware, "ftl_superblock_move"), 0);
  EXPECT_EQ(cycles(victim, "ftl_superblock_move"), 0);
  EXPECT_GT(cycles(victim, "ftl_gc_victim"), 0);
  EXPECT_LT(cycles(victim, "ftl_gc_victim"), cycles(firmware, "ftl_superblock_move") / 10);
  // Reads of GC take job, submission and two completions from the firmware each; with the scan nothing is
  // looked at.
  EXPECT_LT(cycles(copy, "flash_done"), cycles(firmware, "flash_done") / 4);
  EXPECT_GT(cycles(copy, "ftl_gc_sector"), 0);
  EXPECT_EQ(cycles(all, "ftl_gc_sector") + cycles(all, "ftl_gc_found"), 0);
  EXPECT_EQ(all["engines"]["victim"]["operations"].get<int>() % 64, 0) << "a whole search each: 64 superblocks";
  EXPECT_EQ(firmware["ios"]["write"]["count"], all["ios"]["write"]["count"]);
}

TEST(GcEngines, SameSeedSameResult) {
  const auto run = [] {
    return run_drive({"configs/ssds/small.toml",
                      kOverwrite,
                      with({"cpu.model=native", "precondition.fill=sequential"}, kGc),
                      {}})
        .result_text;
  };
  EXPECT_EQ(run(), run());
}

// Old data, on flash that can hardly be read, beside fresh ones: the first fill is a year old on worn cells, and every
// second logical page of it is written again. Then GC moves both together; reads of the fresh ones must not suffer
// by what is lost.
TEST(GcEngines, WhatCannotBeReadIsLostAlone) {
  constexpr std::uint32_t kLpages = 39000;
  std::string trace;
  std::uint64_t time = 0;
  std::uint32_t random = 1;
  const auto add = [&](std::uint32_t lpage, bool read) {
    time += read ? 1'000 : 110'000;
    trace += std::to_string(time) + " 0 " + std::to_string(lpage * 8) + " 8 " + (read ? "1\n" : "0\n");
  };
  const auto any = [&random] { return (random = random * 1664525 + 1013904223) / 65536 % (kLpages / 2) * 2; };
  for (std::uint32_t lpage = 0; lpage < kLpages; lpage += 2) add(lpage, false);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    add(any(), false);
    if (i % 2 == 0) add(any(), true);
  }
  const std::string path = scratch_file("aged.mqsim", trace);
  for (const char* engines : {"", "copy", kGc}) {
    const auto run = run_drive(
        {"configs/ssds/small.toml",
         path,
         with({"cpu.model=native", "precondition.fill=sequential", "nand.aging.pe_cycles=1500",
               "nand.aging.retention_days=365", "nand.aging.page_age=true", "ecc.max_retries=0", "ecc.max_soft=0"},
              engines),
         {}});
    EXPECT_EQ(run.result["check"]["mismatches"], 0) << engines;
    EXPECT_EQ(run.result["check"]["reads_checked"], 2000) << engines;
    EXPECT_GT(run.result["flash"]["uncorrectable"].get<int>(), 20) << engines;
    EXPECT_GT(run.result["flash"]["erases"].get<int>(), 100) << engines;
  }
}

// Each engine with what it needs: the report has those that are pipelines, and no other.
TEST(Report, HasARowForEachEngineThatIsThere) {
  for (const engines::EngineRow& row : engines::kEngines) {
    std::uint32_t set = row.bit;
    for (const engines::Need& need : row.needs) set |= engines::row_of(need.engine).bit;
    for (const engines::Need& need : engines::row_of(engines::EngineId::kL2p).needs) {
      if ((set & WL_ENGINE_L2P) != 0) set |= engines::row_of(need.engine).bit;
    }
    Sets sets{"cpu.model=native"};
    std::set<std::string> expected{std::string(engines::kCompletionEntries)};
    for (const engines::EngineRow& other : engines::kEngines) {
      sets.push_back("engines." + std::string(other.name) + ((set & other.bit) != 0 ? "=on" : "=off"));
      if ((set & other.bit) != 0 && other.timed()) expected.emplace(other.name);
    }
    const auto run = run_drive({"configs/ssds/small.toml", "[a]\nrw=randread\nbs=4k\nnumber_ios=50\n", sets, {}});
    std::set<std::string> reported;
    for (const auto& engine : run.result["engines"].items()) reported.insert(engine.key());
    EXPECT_EQ(reported, expected) << row.name;
  }
}

// A drive of clean reads of one logical page: no core has anything to do.
TEST(Chain, ReadsNeedNoCore) {
  const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                              "[job]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=5000\n",
                              with({"cpu.model=iss", "precondition.fill=sequential"}, kAll),
                              {}});
  const auto busy = run.result["utilisation"]["cores"];
  for (const auto& core : busy) EXPECT_LT(core.get<double>(), 0.02) << "boot, and nothing else";
  const auto stages = run.result["stages"]["read"]["total_ps"];
  EXPECT_EQ(stages["firmware"], 0);
  EXPECT_EQ(stages["queue_core"], 0);
  EXPECT_GT(stages["engine"].get<std::int64_t>(), 0);
  EXPECT_GT(stages["engine_done"].get<std::int64_t>(), 0);
  std::int64_t sum = 0;
  for (const auto& stage : stages.items()) sum += stage.value().get<std::int64_t>();
  EXPECT_EQ(sum, run.result["ios"]["read"]["lat_ps"]["sum"].get<std::int64_t>());
}

}  // namespace
}  // namespace wordline::testing::engines_test
