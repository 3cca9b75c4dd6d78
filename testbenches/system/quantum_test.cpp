// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// How far a core runs ahead changes no result, unless something could have happened meanwhile (docs/cpu.md).
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::quantum_test {
namespace {

nlohmann::json results(const std::string& job, const std::string& quantum, const std::string& cores) {
  const bool one = cores == "1";
  auto result = run_drive({"configs/ssds/ref_tlc32.toml",
                           job,
                           {"cpu.model=iss", "cpu.quantum=" + quantum, "cpu.cores=" + cores,
                            std::string("cpu.task_core=") + (one ? "[0,0,0]" : "[0,1,2]")},
                           {}})
                    .result;
  result.erase("wordline");  // the hash of the configuration
  // Several cores: how often they look at each other's queues in vain depends on how far they are apart.
  // A core that is ahead has been busy behind the border of a window already.
  result["over_time"]["busy"].erase("cores");
  if (!one) {
    result["utilisation"].erase("cores");
    result.erase("firmware_cycles");
    result.erase("firmware_instructions");
    // So does how much of its time with the firmware a command is worked for; that time does not.
    result["bottleneck"].erase("waiting");
    result.erase("slowest");
    result.erase("slowest_of");
    for (auto& op : result["waits"]) op["total_ps"].erase("core");
    for (auto& op : result["stages"]) {
      op.erase("mean");
      auto& total = op["total_ps"];
      total["firmware"] = total["firmware"].get<std::uint64_t>() + total["queue_core"].get<std::uint64_t>();
      total["firmware_done"] = total["firmware_done"].get<std::uint64_t>() + total["queue_resume"].get<std::uint64_t>();
      total.erase("queue_core");
      total.erase("queue_resume");
    }
  }
  return result;
}

class Quantum : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cores, Quantum, ::testing::Values("1", "3"));

TEST_P(Quantum, ChangesNothingWhenNothingElseCanHappen) {
  const std::string job = "[job]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=300\n";
  const auto exact = results(job, "0ns", GetParam());
  for (const char* quantum : {"100ns", "1us", "10us"}) {
    EXPECT_TRUE(results(job, quantum, GetParam()) == exact) << quantum;
  }
}

TEST_P(Quantum, ChangesLittleAtTheDefaultOtherwise) {
  const std::string job = "[job]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=32\nnumber_ios=4000\n";
  const auto exact = results(job, "0ns", GetParam());
  const auto ahead = results(job, "1us", GetParam());
  for (const char* op : {"read", "write"}) {
    const auto mean = [op](const nlohmann::json& r) { return r["ios"][op]["lat_ps"]["mean"].get<double>(); };
    // Buffered writes are six microseconds of firmware: seeing an interrupt late by some of a quantum is per cents.
    EXPECT_NEAR(mean(ahead) / mean(exact), 1.0, op == std::string("read") ? 0.01 : 0.05) << op;
    EXPECT_NE(mean(ahead), mean(exact)) << "this is where the quantum can be seen";
  }
}

// A core far ahead passes a command to one that is behind: the run goes on, and the stages sum to the latency.
TEST(LongQuantum, RunsEndHoweverTheTasksShareCores) {
  const std::string job =
      "[a]\nrw=randrw\nbs=4k\niodepth=32\nnumber_ios=600\n[b]\nrw=randread\nbs=16k\niodepth=4\nnumber_ios=100\n";
  for (const std::string model : {"native", "iss"}) {
    for (const char* cores : {"[0, 0, 1]", "[0, 1, 1]", "[1, 0, 0]"}) {
      for (const std::string quantum : {"3us", "100us", "1ms"}) {
        const auto run =
            run_drive({"configs/ssds/small.toml",
                       job,
                       {"cpu.model=" + model, "cpu.quantum=" + quantum, std::string("cpu.task_core=") + cores,
                        "cpu.clock=50MHz", "precondition.fill=sequential"},
                       {}});
        EXPECT_EQ(run.result["check"]["mismatches"], 0) << model << " " << cores << " " << quantum;
      }
    }
  }
}

// Each key of what an instruction costs reaches the cores, and the cores only: the firmware does the same, later.
TEST(CostKeys, ReachTheCores) {
  const auto busy = [](const std::vector<std::string>& sets) {
    std::vector<std::string> all{"cpu.model=iss", "precondition.fill=sequential"};
    all.insert(all.end(), sets.begin(), sets.end());
    const auto run =
        run_drive({"configs/ssds/small.toml", "[job]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=100\n", all, {}});
    double cycles = 0;
    for (const auto& tag : run.result["firmware_cycles"]) cycles += tag.get<double>();
    return cycles;
  };
  const double base = busy({});
  double last = base;
  for (const char* key :
       {"mul", "div", "branch", "branch_taken", "jump", "jump_register", "csr", "load_use", "load_tcm"}) {
    const double more = busy({std::string("cpu.") + key + "_cycles=40"});
    EXPECT_GT(more, base * 1.005) << key;
    EXPECT_NE(more, last) << key << " is another class than the one before it";
    last = more;
  }
  EXPECT_EQ(busy({"cpu.misaligned=trap"}), base) << "the firmware's accesses are aligned";
}

}  // namespace
}  // namespace wordline::testing::quantum_test
