// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Firmware as code of the host gives the results of firmware that is interpreted, byte for byte (docs/cpu.md).
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::translate_test {
namespace {

struct Drive {
  const char* name;
  const char* config;
  std::string workload;
  std::vector<std::string> sets;

  friend std::ostream& operator<<(std::ostream& out, const Drive& drive) { return out << drive.name; }
};

class Translated : public ::testing::TestWithParam<Drive> {};

std::string job(const std::string& rw, int requests) {
  return "[job]\nrw=" + rw + "\nrwmixread=70\nbs=4k\niodepth=32\nnumber_ios=" + std::to_string(requests) + "\n";
}

TEST_P(Translated, GivesTheSameBytes) {
  const Drive& drive = GetParam();
  const auto run = [&drive](const char* translate) {
    testing::Run asked{drive.config, drive.workload, drive.sets, {}};
    asked.sets.insert(asked.sets.end(), {"cpu.model=iss", std::string("cpu.translate=") + translate});
    return run_drive(asked).result_text;
  };
  const std::string interpreted = run("false");
  EXPECT_GT(interpreted.size(), 1000u);
  EXPECT_EQ(run("true"), interpreted);
}

const std::string kThree = "cpu.task_core=[0,1,2]", kOne = "cpu.task_core=[0,0,0]";

INSTANTIATE_TEST_SUITE_P(
    Drives, Translated,
    ::testing::Values(
        Drive{"Reads", "configs/ssds/ref_tlc32.toml", job("randread", 3000), {}},
        Drive{"MixAtOnce", "configs/ssds/ref_tlc32.toml", job("randrw", 2000), {"cpu.quantum=0ns"}},
        Drive{"MixOneCore", "configs/ssds/ref_tlc32.toml", job("randrw", 2000), {"cpu.cores=1", kOne}},
        Drive{"WritesOneCoreAtOnce",
              "configs/ssds/small.toml",
              job("randwrite", 3000),
              {"cpu.cores=1", kOne, "cpu.quantum=0ns"}},
        Drive{"WritesThreeCores", "configs/ssds/small.toml", job("randwrite", 6000), {"cpu.cores=3", kThree}},
        Drive{"Costs",
              "configs/ssds/small.toml",
              job("randrw", 2000),
              {"cpu.load_use_cycles=1", "cpu.misaligned=trap", "cpu.load_dram_cycles=77", "cpu.branch_taken_cycles=1"}},
        Drive{"Engines", "configs/ssds/small.toml", job("randrw", 2000), {"engines.l2p=on", "engines.completion=on"}},
        Drive{"Waves", "configs/ssds/small.toml", job("randrw", 300), {"observe.waves=true"}},
        Drive{"Slc", "configs/ssds/fast_slc.toml", job("randrw", 2000), {"cpu.quantum=100ns"}},
        Drive{"Ppb", "configs/ssds/ppb_tlc.toml", job("randrw", 1500), {}},
        Drive{"Cube",
              "configs/ssds/cube_tlc.toml",
              job("randwrite", 300),
              {"nand.blocks_per_plane=32", "ftl.over_provisioning=1.0"}},
        Drive{"Agcr", "configs/ssds/agcr_mlc.toml", job("randrw", 1500), {}},
        Drive{"Mpnfm", "configs/ssds/mpnfm_mlc.toml", job("randwrite", 1500), {}},
        Drive{"Retries", "configs/ssds/retry.toml", job("randread", 200), {"ecc.model=calibrated"}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wordline::testing::translate_test
