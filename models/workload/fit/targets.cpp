// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fit/targets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "models/workload/statistics/workload_statistics.h"

namespace wordline::workload {
namespace {

bool begins(const std::string& text, std::string_view front) { return text.compare(0, front.size(), front) == 0; }

/// Counts grow with the edition.
bool is_extensive(const std::string& statistic) {
  static constexpr std::array<std::string_view, 5> kFronts = {"footprint", "requests", "p_w_", "page_accesses",
                                                              "bytes_total"};
  return std::any_of(kFronts.begin(), kFronts.end(), [&](std::string_view front) { return begins(statistic, front); });
}

}  // namespace

double wanted_at(const Target& target, double footprint) {
  return is_extensive(target.statistic) ? target.value * footprint : target.value;
}

std::map<std::string, double> statistics_by_name(const std::string& path, const Profile& profile,
                                                 const LoadOptions& options) {
  std::map<std::string, double> values;
  const auto source = make_profile_source(path, profile, options);
  for (const Statistic& statistic : statistics_of(*source, 0, false).list()) values[statistic.name] = statistic.value;
  return values;
}

double Achieved::difference() const {
  if (!value) return 1;
  if (wanted == 0) return *value == 0 ? 0 : 1;
  return *value / wanted - 1;
}

bool Achieved::met() const { return std::abs(difference()) <= tolerance; }

double tolerance_of(const Target& target) {
  if (target.tolerance > 0) return target.tolerance;
  static constexpr std::array<std::string_view, 12> kTenth = {"footprint", "overwrite", "reread",  "rewritten",
                                                              "R_u",       "R_RnM",     "top",     "misaligned",
                                                              "random",    "run_",      "density", "iops"};
  const auto is_its = [&](std::string_view front) { return begins(target.statistic, front); };
  return std::any_of(kTenth.begin(), kTenth.end(), is_its) ? 0.1 : 0.02;
}

std::vector<Achieved> achieved(const std::string& path, const Profile& profile, const LoadOptions& options) {
  const std::map<std::string, double> values = statistics_by_name(path, profile, options);
  std::vector<Achieved> rows;
  for (const Target& target : profile.targets) {
    Achieved row{target, wanted_at(target, options.footprint), {}, tolerance_of(target)};
    const auto found = values.find(target.statistic);
    if (found != values.end()) row.value = found->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace wordline::workload
