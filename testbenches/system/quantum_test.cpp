// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// How far a core runs ahead changes no result, unless something could have happened meanwhile (docs/cpu.md).
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
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
  if (!one) {
    result["utilisation"].erase("cores");
    result.erase("firmware_cycles");
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

}  // namespace
}  // namespace wordline::testing
