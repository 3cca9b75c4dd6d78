// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "models/workload/profile/profile.h"
#include "models/workload/profile/size_deck.h"
#include "models/workload/profile/zipf_rank.h"

namespace wordline::workload::profile_parse_test {
namespace {

constexpr const char* kLeast =
    "[profile]\nname = \"x\"\n[generator]\nrequests = 10\nwrite_share = 1\n[generator.pages]\nwrite_only = 100\n"
    "[generator.writes]\nmean = \"8KiB\"\n";

std::string error(const std::string& text) {
  try {
    (void)parse_profile("dir/x.toml", text);
  } catch (const WorkloadError& e) {
    return e.what();
  }
  return "";
}

void expect_error(const std::string& added, const std::string& message) {
  const std::string found = error(kLeast + added);
  EXPECT_NE(found.find(message), std::string::npos) << found;
}

TEST(ProfileParseTest, ReadsWhatIsThere) {
  const Profile p = parse_profile("x.toml", std::string(kLeast) + R"(modes = [["4KiB", 0.25], ["512B", 0.5]]
[generator.arrival]
think = "3ms"
[targets]
write_share_requests = { value = 1, confidence = "read" }
a = { value = 0.5, confidence = "assumed", note = "why" }
[fit]
"writes.mean" = "a"
)");
  EXPECT_EQ(p.name, "x");
  EXPECT_EQ(p.generator.requests, 10);
  EXPECT_EQ(p.generator.writes.size.mean, 8192);
  ASSERT_EQ(p.generator.writes.size.modes.size(), 2U);
  EXPECT_EQ(p.generator.writes.size.modes[1].bytes, 512);
  EXPECT_EQ(p.generator.arrival.think, 0.003);
  // In the file's order.
  ASSERT_EQ(p.targets.size(), 2U);
  EXPECT_EQ(p.targets[0].statistic, "write_share_requests");
  EXPECT_EQ(p.targets[1].confidence, Confidence::kAssumed);
  EXPECT_EQ(p.targets[1].note, "why");
  ASSERT_EQ(p.fits.size(), 1U);
  EXPECT_EQ(p.fits[0].parameter, "writes.mean");
}

TEST(ProfileParseTest, ErrorsNameFileLineAndKey) {
  expect_error("theta = \"x\"\n", "dir/x.toml:10: error: generator.writes.theta: expected");
  expect_error("thata = 1\n", "dir/x.toml:10: error: unknown key writes.thata; did you mean writes.theta?");
  expect_error("theta = 9\n", "from 0.0 to 4.0");
  expect_error("max = 512\n", "generator.writes.max: expected");
  expect_error("modes = [[\"4KiB\"]]\n", "dir/x.toml:10: error: generator.writes.modes");
  expect_error("modes = [[\"1000B\", 1]]\n", "generator.writes.modes");
  for (const char* length : {"1073742336B", "2TiB"}) {  // 2 TiB in blocks of 512 bytes are 0 in 32 bits
    expect_error(std::string("modes = [[\"") + length + "\", 1]]\n", "length (512B to 1GiB), share");
  }
  expect_error("[genarator]\n", "dir/x.toml:10: error: unknown key genarator; did you mean generator?");
  expect_error("[profile.x]\n", "unknown key profile.x");
  expect_error("[targets]\na = 3\n", "dir/x.toml:11: error: targets.a: expected");
  expect_error("[targets]\na = { value = 1, confidence = \"sure\" }\n", "read, derived or assumed");
  expect_error("[fit]\n\"writes.mean\" = \"b\"\n", "dir/x.toml:11: error: fit.writes.mean: no target b");
  expect_error("[fit]\n\"writes.maen\" = \"b\"\n", "did you mean writes.mean?");
  expect_error("=\n", "dir/x.toml:10: error:");
}

TEST(ProfileParseTest, ContradictionsAreErrors) {
  expect_error("own = 0.5\n", "set generator.pages.both");
  expect_error("hottest = 0.6\nhead = 0.6\n", "hottest and head are more than 1");
  expect_error("[generator.arrival]\ninterarrival = \"1ms\"\nburst = 3\nburst_gap = \"2ms\"\n", "burst_gap");
  EXPECT_NE(error("[generator]\nwrite_share = 1\n").find("profile.name: missing"), std::string::npos);
  EXPECT_NE(error("[profile]\nname = \"x\"\n[generator]\nwrite_share = 1\n").find("generator.requests: missing"),
            std::string::npos);
}

TEST(ZipfRankTest, SharesFollowTheClosedForm) {
  constexpr std::uint64_t kRanks = 1000;
  constexpr int kDraws = 200'000;
  for (const double theta : {0.0, 0.5, 1.0, 1.3}) {
    const ZipfRank rank(kRanks, theta);
    double first = 0, tenth = 0;
    for (int i = 0; i < kDraws; ++i) {
      const auto r = rank((i + 0.5) / kDraws);
      ASSERT_LT(r, kRanks);
      first += r == 0 ? 1 : 0;
      tenth += r < kRanks / 10 ? 1 : 0;
    }
    EXPECT_NEAR(first / kDraws, rank.share(1), 1e-4) << theta;
    EXPECT_NEAR(tenth / kDraws, rank.share(kRanks / 10.0), 1e-4) << theta;
  }
  EXPECT_NEAR(ZipfRank(kRanks, 0).share(100), 0.1, 1e-12);
  EXPECT_NEAR(ZipfRank(kRanks, 1).share(1), std::log(2) / std::log(1001), 1e-12);
  EXPECT_EQ(ZipfRank(kRanks, 1)(0.9999999999999999), kRanks - 1);
}

TEST(SizeDeckTest, ModesAndMeanAreExactAfterOnePass) {
  SizeParameters parameters;
  parameters.modes = {{4096, 0.7}, {65536, 0.1}};
  parameters.mean = 16384;
  parameters.min = 8192;
  const SizeDeck deck(parameters, 7);
  double sum = 0, small = 0, large = 0;
  for (std::uint64_t i = 0; i < SizeDeck::kCards; ++i) {
    sum += deck(i) * 512.0;
    small += deck(i) == 8 ? 1 : 0;
    large += deck(i) == 128 ? 1 : 0;
    EXPECT_EQ(deck(i) % 8, 0U);
  }
  EXPECT_NEAR(sum / SizeDeck::kCards / 16384, 1.0, 0.002);
  EXPECT_NEAR(small / SizeDeck::kCards, 0.7, 0.001);
  EXPECT_NEAR(large / SizeDeck::kCards, 0.1, 0.02);
}

}  // namespace
}  // namespace wordline::workload::profile_parse_test
