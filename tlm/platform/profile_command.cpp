// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/profile_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "models/results/report.h"
#include "models/workload/fit/fit.h"
#include "models/workload/fit/targets.h"
#include "models/workload/text.h"

namespace wordline::platform {
namespace {

/// No drive limits a profile here.
constexpr std::uint64_t kAnyAddress = std::uint64_t{1} << 44U;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) {
    workload::text::Errors errors(path);
    errors.add("cannot read the profile");
    errors.check();
  }
  return content;
}

workload::LoadOptions load_options(const ProfileOptions& options) {
  workload::LoadOptions load;
  load.drive_lbas = kAnyAddress;
  load.seed = options.seed;
  load.footprint = options.footprint;
  return load;
}

std::string verdict(const workload::Achieved& row) {
  if (row.target.confidence == workload::Confidence::kAssumed) return "assumed";
  return row.met() ? "met" : "missed";
}

std::string difference(const workload::Achieved& row) {
  return row.value ? fmt::format("{:+.1f} %", row.difference() * 100) : "";
}

std::string value_of(const workload::Achieved& row) {
  return row.value ? workload::text::plain(*row.value) : "not defined";
}

void print(const std::string& file, const workload::Profile& profile, const std::vector<workload::Achieved>& rows) {
  std::cout << fmt::format("{} ({})\n", profile.name, file);
  for (const auto& row : rows) {
    std::cout << fmt::format("  {:<26} {:>12} {:>12} {:>10}  {:<8}{}{}\n", row.target.statistic,
                             workload::text::plain(row.wanted), value_of(row), difference(row), verdict(row),
                             row.target.note.empty() ? "" : ": ", row.target.note);
  }
}

void print_markdown(const std::string& file, const workload::Profile& profile,
                    const std::vector<workload::Achieved>& rows) {
  std::cout << fmt::format("\n### {}\n\n`{}`; papers: {}\n\n", profile.name, file, profile.papers);
  std::cout << "| statistic | target | from | achieved | difference | |\n|---|---|---|---|---|---|\n";
  for (const auto& row : rows) {
    std::cout << fmt::format(
        "| {} | {} | {} | {} | {} | {}{}{} |\n", row.target.statistic, workload::text::plain(row.wanted),
        workload::kConfidenceNames.at(static_cast<std::size_t>(row.target.confidence)), value_of(row), difference(row),
        verdict(row), row.target.note.empty() ? "" : ": ", row.target.note);
  }
}

}  // namespace

int workload_targets(const ProfileOptions& options) {
  if (options.markdown) {
    std::cout << "# Profiles: published and achieved\n\nMade by `wordline workload targets --markdown "
                 "configs/workloads/profiles/*.toml`; what the columns mean: [workloads.md](workloads.md#profiles).\n";
  }
  bool all_met = true;
  for (const std::string& path : options.profiles) {
    const workload::Profile profile = workload::parse_profile(path, content_of(path));
    const auto rows = workload::achieved(path, profile, load_options(options));
    const std::string file = std::filesystem::path(path).filename().string();
    (options.markdown ? print_markdown : print)(file, profile, rows);
    std::cout.flush();
    const auto missed = [](const auto& row) { return verdict(row) == "missed"; };
    all_met = all_met && std::none_of(rows.begin(), rows.end(), missed);
  }
  return all_met ? 0 : 1;
}

int workload_fit(const ProfileOptions& options) {
  const std::string& path = options.profiles.front();
  const std::string content = content_of(path);
  const workload::Profile profile = workload::parse_profile(path, content);
  const auto parameters = workload::fitted(path, profile, load_options(options),
                                           [](const std::string& step) { std::cerr << step << '\n'; });
  const std::string text = workload::with_parameters(path, content, profile, parameters);
  if (options.write) {
    results::write_file(path, text);
  } else {
    std::cout << text;
  }
  return 0;
}

}  // namespace wordline::platform
