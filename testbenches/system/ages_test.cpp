// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives whose data are of several ages when the run begins.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::ages_test {
namespace {

using Sets = std::vector<std::string>;

const Sets kWorn{"cpu.model=native", "nand.aging.pe_cycles=2000"};
constexpr const char* kTwoAges = "precondition.ages=[0-50%: 365d, 50-100%: 1d]";
constexpr const char* kFirstHalf = "[read]\nrw=randread\nbs=4k\niodepth=8\nsize=50%\nnumber_ios=3000\n";
constexpr const char* kSecondHalf = "[read]\nrw=randread\nbs=4k\niodepth=8\noffset=50%\nnumber_ios=3000\n";

nlohmann::json results(Sets sets, const std::string& job, const Sets& arguments = {}) {
  sets.insert(sets.end(), kWorn.begin(), kWorn.end());
  nlohmann::json result = run_drive({"configs/ssds/small.toml", job, sets, arguments}).result;
  EXPECT_EQ(result["check"]["mismatches"], 0);
  for (auto& section : result) {
    if (section.is_object()) section.erase("config_sha256");
  }
  result.erase("config_sha256");
  return result;
}

class Ages : public ::testing::TestWithParam<std::string> {};

// Reads of a region end as those of a drive that is as old all over, retries and times and all.
TEST_P(Ages, ReadsOfARegionAreThoseOfADriveOfItsAge) {
  const std::string fill = "precondition.fill=" + GetParam();
  const auto old = results({fill, "nand.aging.retention_days=365"}, kFirstHalf);
  const auto young = results({fill, "nand.aging.retention_days=1"}, kSecondHalf);
  EXPECT_GT(old["flash"]["retries"].get<double>(), 10 * (1 + young["flash"]["retries"].get<double>()));
  EXPECT_EQ(results({fill, kTwoAges}, kFirstHalf), old);
  EXPECT_EQ(results({fill, kTwoAges}, kSecondHalf), young);
}

INSTANTIATE_TEST_SUITE_P(Fills, Ages, ::testing::Values("sequential", "random"),
                         [](const auto& param) { return param.param; });

// What is written in the run is as old as nand.aging says: here the old half, before the whole drive is read.
TEST(AgesOf, DataWrittenAgainAreForgotten) {
  const Sets sets{"precondition.fill=sequential", kTwoAges};
  const auto retries = [&](const std::string& job) {
    return results(sets, job, {"--verify-all"})["flash"]["retries"].get<double>();
  };
  const double before = retries("[read]\nrw=read\nbs=128k\nsize=128k\n");
  EXPECT_GT(before, 100);
  EXPECT_LT(retries("[write]\nrw=write\nbs=128k\niodepth=4\nsize=50%\n"), 0.1 * before);
}

// A file says where the data lie, the key how old they are.
TEST(AgesOf, AStateFromAFileAreWhatTheKeySays) {
  const std::string file = scratch_folder() + "/steady.state";
  const std::string drive = "configs/ssds/small.toml";
  const CommandResult made =
      wordline({"snapshot", drive, "--set", "precondition.fill=steady", "--set", kTwoAges, "--out", file});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_NE(made.output.find("precondition.ages is not part of the file"), std::string::npos) << made.output;
  EXPECT_EQ(results({"precondition.file=" + file, kTwoAges}, kFirstHalf),
            results({"precondition.fill=steady", kTwoAges}, kFirstHalf));
  const CommandResult check = wordline({"check", drive, "--set", "precondition.file=" + file, "--set", kTwoAges});
  EXPECT_NE(check.output.find("; 0-50 % is 365 days old; 50-100 % is 1 days old"), std::string::npos) << check.output;
}

}  // namespace
}  // namespace wordline::testing::ages_test
