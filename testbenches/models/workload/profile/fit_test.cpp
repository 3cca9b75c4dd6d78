// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fit/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/fit/targets.h"
#include "models/workload/text.h"

namespace wordline::workload::fit_test {
namespace {

constexpr const char* kText = R"([profile]
name = "test" # the name

[targets]
write_share_requests = { value = 0.6, confidence = "read" }
top1_share_write = { value = 0.4, confidence = "derived" }
mean_write_size = { value = 12, confidence = "assumed", note = "a guess" }
footprint_pages = { value = 6000, confidence = "read" }

[generator]
requests = 20_000
write_share = 0.5 # of the requests

[generator.pages]
read_only = 2000
write_only = 4000

[generator.reads]
mean = "8KiB"

[generator.writes]
mean = "8KiB"
head = 0.1

[fit]
"write_share" = "write_share_requests"
"writes.mean" = "mean_write_size"
"writes.head" = "top1_share_write"
)";

LoadOptions any_drive(double footprint = 1) {
  LoadOptions options;
  options.drive_lbas = std::uint64_t{1} << 40U;
  options.footprint = footprint;
  return options;
}

const Achieved& row(const std::vector<Achieved>& rows, const std::string& statistic) {
  for (const Achieved& r : rows) {
    if (r.target.statistic == statistic) return r;
  }
  throw std::out_of_range(statistic);
}

TEST(FitTest, ParametersAreFoundAndWritten) {
  const Profile profile = parse_profile("t.toml", kText);
  EXPECT_FALSE(row(achieved("t.toml", profile, any_drive()), "top1_share_write").met());
  int steps = 0;
  const auto parameters = fitted("t.toml", profile, any_drive(), [&](const std::string&) { ++steps; });
  EXPECT_LT(steps, 40);
  const std::string text = with_parameters("t.toml", kText, profile, parameters);
  const Profile found = parse_profile("t.toml", text);
  for (const Achieved& r : achieved("t.toml", found, any_drive())) {
    EXPECT_TRUE(r.met()) << r.target.statistic << ' ' << r.value.value_or(-1);
  }
  // Only the three values changed: comments, order and the other lines are as they were.
  EXPECT_NE(text.find(" # of the requests\n"), std::string::npos) << text;
  EXPECT_NE(text.find("name = \"test\" # the name\n"), std::string::npos);
  const std::string before = kText;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(before.begin(), before.end(), '\n'));
}

TEST(FitTest, WhatIsNotInTheGeneratorIsAnError) {
  std::string text = kText;
  text.erase(text.find("head = 0.1\n"), 11);
  const Profile profile = parse_profile("t.toml", text);
  EXPECT_THROW((void)with_parameters("t.toml", text, profile, profile.generator), WorkloadError);
}

TEST(FitTest, CountsScaleWithTheFootprintSharesDoNot) {
  const auto rows = achieved("t.toml", parse_profile("t.toml", kText), any_drive(0.5));
  EXPECT_EQ(row(rows, "footprint_pages").wanted, 3000);
  EXPECT_EQ(row(rows, "footprint_pages").value, 3000);
  EXPECT_EQ(row(rows, "write_share_requests").wanted, 0.6);
}

TEST(FitTest, Tolerances) {
  EXPECT_EQ(tolerance_of({"mean_write_size", 1, Confidence::kRead, 0, ""}), 0.02);
  EXPECT_EQ(tolerance_of({"top1_share_write", 1, Confidence::kRead, 0, ""}), 0.1);
  EXPECT_EQ(tolerance_of({"top1_share_write", 1, Confidence::kRead, 0.3, ""}), 0.3);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The shipped profiles, streamed at a scale that leaves a few ten thousand requests: what does not depend on the scale
/// is as published. docs/workloads.md has all of them in full.
TEST(ShippedProfiles, MeetTheirTargetsAtASmallScale) {
  for (const auto& [name, footprint] : {std::pair{"msr_mds_0", 0.1}, std::pair{"msr_web_0", 0.05},
                                        std::pair{"params_cdm_random", 0.2}, std::pair{"params_general_pc", 0.2}}) {
    const std::string path = std::string(WORDLINE_CONFIGS "/workloads/profiles/") + name + ".toml";
    for (const Achieved& r : achieved(path, parse_profile(path, content_of(path)), any_drive(footprint))) {
      if (r.target.confidence == Confidence::kAssumed) continue;
      EXPECT_LE(std::abs(r.difference()), 1.5 * r.tolerance)
          << name << ' ' << r.target.statistic << ' ' << r.value.value_or(-1);
    }
  }
}

/// A cell of a CSV file.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

TEST(ShippedProfiles, TheDocumentationHasEveryParameter) {
  const std::string table = content_of(WORDLINE_DOCS "/data/workload_generator.csv");
  for (const ParameterKey& key : parameter_keys()) {
    if (key.name.substr(0, 7) == "writes.") continue;  // as of reads
    EXPECT_NE(table.find("\n`" + std::string(key.name) + "`,"), std::string::npos) << key.name;
    EXPECT_NE(table.find("," + cell(key.text) + "\n"), std::string::npos) << key.name;
  }
}

TEST(ShippedProfiles, EveryOneIsReadAndGivesRequests) {
  unsigned profiles = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WORDLINE_CONFIGS "/workloads/profiles")) {
    LoadOptions options = any_drive();
    options.requests = 1000;
    const auto source = load_workload(entry.path().string(), options);
    EXPECT_EQ(source->total_requests(), 1000U) << entry.path();
    Request request;
    EXPECT_TRUE(source->next(0, Picoseconds(0), request)) << entry.path();
    ++profiles;
  }
  EXPECT_GE(profiles, 40U);
}

}  // namespace
}  // namespace wordline::workload::fit_test
