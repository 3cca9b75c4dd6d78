// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with hardware engines: nothing is read that was not written, whatever is hardware; and the two models of a core
// still agree, since what an engine does is not charged.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
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
    if (!name.empty()) sets.push_back(name[0] == '-' ? "engines." + name.substr(1) + "=off" : "engines." + name + "=on");
    name.clear();
  }
  return sets;
}

constexpr const char* kAll = "l2p buffer job completion gc";

class Placement : public ::testing::TestWithParam<const char*> {};

// Reads right behind the writes of the same sectors, parts of sectors, long commands and deallocation; most of the flash is
// overwritten, so that lines are collected and erased under the reads.
TEST_P(Placement, NothingIsLost) {
  const auto run = run_drive({"configs/ssds/small.toml",
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
                         ::testing::Values("l2p", "job", "completion", "gc", "l2p completion", "job completion",
                                           "l2p buffer completion", "l2p job completion", kAll, "-parse",
                                           "-parse job completion gc"));

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
INSTANTIATE_TEST_SUITE_P(Engines, Agreement, ::testing::Values("l2p", "job", "completion", "l2p job", kAll, "-parse", "-parse job completion"));

// Collection: scanned by hardware it copies as much, and takes cycles off the core.
TEST(Collector, FindsTheSameWithFewerCycles) {
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

// A drive of clean reads of one sector: no core has anything to do.
TEST(Chain, ReadsNeedNoCore) {
  const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                              "[job]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=5000\n",
                              with({"cpu.model=iss", "precondition.fill=sequential"}, kAll),
                              {}});
  const auto busy = run.result["utilisation"]["cores"];
  for (const auto& core : busy) EXPECT_LT(core.get<double>(), 0.02) << "boot, and nothing else";
  const auto stages = run.result["stages"]["read"]["total_ps"];
  EXPECT_EQ(stages["firmware"], 0);
  EXPECT_EQ(stages["queue_firmware"], 0);
  EXPECT_GT(stages["engine"].get<std::int64_t>(), 0);
  EXPECT_GT(stages["engine_done"].get<std::int64_t>(), 0);
  std::int64_t sum = 0;
  for (const auto& stage : stages.items()) sum += stage.value().get<std::int64_t>();
  EXPECT_EQ(sum, run.result["ios"]["read"]["lat_ps"]["sum"].get<std::int64_t>());
}

}  // namespace
}  // namespace wordline::testing
