// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

namespace wordline::results {
namespace {

using Json = nlohmann::json;

/// Batches, and the fewest windows of a run that they are cut from.
constexpr std::size_t kBatches = 12;
constexpr std::size_t kFewestWindows = 2 * kBatches;
/// Student's t for 95 % with kBatches - 1 degrees of freedom.
constexpr double kStudent = 2.201;
/// A gain that is worth a word.
constexpr double kGain = 0.01;

/// When the first `requests` of a run had completed, in windows from its begin; between borders in proportion.
double time_of(const std::vector<double>& completed, double requests) {
  double before = 0;
  for (std::size_t i = 0; i < completed.size(); ++i) {
    if (before + completed[i] >= requests && completed[i] > 0) {
      return static_cast<double>(i) + (requests - before) / completed[i];
    }
    before += completed[i];
  }
  return static_cast<double>(completed.size());
}

/// Half of a 95 % interval of result.json as a share of its value; none: nothing is known.
std::optional<double> half_of(const Json& interval) {
  if (interval.at("low").is_null() || interval.at("value").is_null()) return {};
  const double value = interval.at("value").get<double>();
  if (value <= 0) return {};
  return std::max(interval.at("high").get<double>() - value, value - interval.at("low").get<double>()) / value;
}

Gain change_of(double base, std::optional<double> half_base, double other, std::optional<double> half_other) {
  Gain change;
  if (base <= 0) return change;
  change.mean = other / base - 1;
  if (half_base && half_other) change.half = other / base * std::hypot(*half_base, *half_other);
  return change;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

constexpr std::size_t kColumns = 120;

/// Without the sign of a change that is none.
std::string percent(double share) {
  const double tenths = std::round(1000 * share);
  return tenths == 0 ? "0.0 %" : fmt::format("{:+.1f} %", tenths / 10);
}

std::string within(const Gain& gain) { return gain.half ? fmt::format("+-{:.1f}", 100 * *gain.half) : "short"; }

/// Lines of at most kColumns, all but the first set in.
std::string wrapped(std::string text) {
  std::size_t begin = 0;
  while (text.size() - begin > kColumns) {
    const std::size_t space = text.rfind(' ', begin + kColumns);
    if (space == std::string::npos || space <= begin + 4) break;
    text.replace(space, 1, "\n    ");
    begin = space + 1;
  }
  return text;
}

}  // namespace

RunNumbers run_numbers(const std::string& result) {
  RunNumbers numbers;
  try {
    const Json json = Json::parse(result);
    double requests = 0, time = 0, within = 0;
    bool known = true;
    for (const Json& op : json.at("ios")) {
      const double count = op.at("count").get<double>();
      if (count == 0) continue;
      requests += count;
      const double of_op = count * op.at("lat_ps").at("mean").get<double>();
      const std::optional<double> half = half_of(op.at("interval").at("mean_ps"));
      time += of_op;
      known = known && half;
      within += of_op * half.value_or(0);  // value or as if all were off to the same side
      numbers.iops += op.at("iops").get<double>();
    }
    numbers.mean_latency = requests > 0 ? time / requests : 0;
    if (known && time > 0) numbers.mean_half = within / time;
    const Json& read = json.at("ios").at("read");
    if (read.at("count").get<double>() > 0) {
      numbers.read_p99 = read.at("lat_ps").at("p99").get<double>();
      numbers.read_p99_half = half_of(read.at("interval").at("p99_ps"));
    }
    numbers.width = json.at("series").at("width_ps").get<double>();
    for (const Json& of_op : json.at("series").at("completed")) {
      const auto windows = of_op.get<std::vector<double>>();
      numbers.completed.resize(std::max(numbers.completed.size(), windows.size()));
      for (std::size_t i = 0; i < windows.size(); ++i) numbers.completed[i] += windows[i];
    }
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("result.json: {}", error.what()));
  }
  return numbers;
}

Gain iops_gain(const RunNumbers& base, const RunNumbers& other) {
  Gain gain;
  if (base.iops <= 0) return gain;
  gain.mean = other.iops / base.iops - 1;
  const double requests = std::min(sum_of(base.completed), sum_of(other.completed));
  if (base.completed.size() < kFewestWindows || other.completed.size() < kFewestWindows) return gain;
  std::vector<double> ratios;
  double begin_base = 0, begin_other = 0;
  for (std::size_t batch = 1; batch <= kBatches; ++batch) {
    const double upto = requests * static_cast<double>(batch) / static_cast<double>(kBatches);
    const double end_base = base.width * time_of(base.completed, upto);
    const double end_other = other.width * time_of(other.completed, upto);
    if (end_base <= begin_base || end_other <= begin_other) return gain;
    ratios.push_back((end_base - begin_base) / (end_other - begin_other));
    begin_base = end_base;
    begin_other = end_other;
  }
  const double mean = sum_of(ratios) / static_cast<double>(kBatches);
  double squares = 0;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(kBatches - 1));
  gain.half = kStudent * deviation / std::sqrt(static_cast<double>(kBatches));
  return gain;
}

Gain latency_change(const RunNumbers& base, const RunNumbers& other) {
  return change_of(base.mean_latency, base.mean_half, other.mean_latency, other.mean_half);
}

std::optional<Gain> read_p99_change(const RunNumbers& base, const RunNumbers& other) {
  if (!base.read_p99 || !other.read_p99 || *base.read_p99 <= 0) return {};
  return change_of(*base.read_p99, base.read_p99_half, *other.read_p99, other.read_p99_half);
}

std::string WhatIf::next(const std::string& but) const {
  for (const WhatIfRow& row : rows) {
    if (row.resource == but || row.iops.mean < kGain || row.iops.mean <= row.iops.half.value_or(0)) continue;
    return row.resource;
  }
  return {};
}

void sort_by_gain(WhatIf& what_if) {
  const bool by_latency = std::all_of(what_if.rows.begin(), what_if.rows.end(),
                                      [](const WhatIfRow& row) { return std::fabs(row.iops.mean) < kGain; });
  std::stable_sort(what_if.rows.begin(), what_if.rows.end(), [by_latency](const WhatIfRow& a, const WhatIfRow& b) {
    return by_latency ? a.latency.mean < b.latency.mean : a.iops.mean > b.iops.mean;
  });
}

void register_what_if(Registry& registry, const WhatIf& what_if) {
  const auto texts = [&](const char* path, const char* unit, const char* text, std::string WhatIfRow::*member) {
    registry.add(path, unit, text, [&what_if, member] {
      std::vector<std::string> all;
      for (const WhatIfRow& row : what_if.rows) all.push_back(row.*member);
      return all;
    });
  };
  const auto numbers = [&](const char* path, const char* text, double (*of)(const WhatIfRow&)) {
    registry.add(path, "ratio", text, [&what_if, of] {
      std::vector<double> all;
      for (const WhatIfRow& row : what_if.rows) all.push_back(of(row));
      return all;
    });
  };
  texts("what_if[].resource", "name", "What was improved, named as in `bottleneck.resource`.", &WhatIfRow::resource);
  texts("what_if[].change", "text", "By how much: twice as much of it, or half the time.", &WhatIfRow::change);
  texts(
      "what_if[].settings", "text",
      "What that run was given: keys, or the option of `wordline run` for twice the requests in flight or a host that "
      "is twice as fast.",
      &WhatIfRow::settings);
  texts("what_if[].note", "text", "What else changes with it.", &WhatIfRow::note);
  numbers("what_if[].iops_gain", "More IOPS of all operations, as a share of this run's: 0.25 is 25 % more.",
          [](const WhatIfRow& row) { return row.iops.mean; });
  numbers(
      "what_if[].half_width",
      "Half of the 95 % interval of it, from the times that the same requests took in both runs, in twelve batches; "
      "-1: the runs are too short for them.",
      [](const WhatIfRow& row) { return row.iops.half.value_or(-1); });
  numbers("what_if[].latency_change", "Change of the mean latency of all operations: -0.2 is 20 % less.",
          [](const WhatIfRow& row) { return row.latency.mean; });
  numbers("what_if[].latency_half_width",
          "Half of the 95 % interval of it, from those of both runs (`ios.OP.interval`); -1: one of them is too short.",
          [](const WhatIfRow& row) { return row.latency.half.value_or(-1); });
  numbers("what_if[].read_p99_change", "Change of the 99th percentile of reads; 0 where there are none.",
          [](const WhatIfRow& row) { return row.read_p99 ? row.read_p99->mean : 0; });
  numbers(
      "what_if[].read_p99_half_width",
      "Half of the 95 % interval of it, as of the mean latency; -1: one of the runs is too short, or has fewer than "
      "ten reads beyond.",
      [](const WhatIfRow& row) { return row.read_p99 ? row.read_p99->half.value_or(-1) : -1; });
}

std::string what_if_text(const WhatIf& what_if) {
  std::size_t width = 0;
  for (const WhatIfRow& row : what_if.rows) width = std::max(width, row.change.size());
  std::string out = fmt::format("What if, by runs with the same seed\n  {:<{}}{:>9}  {:<8}{:>9}  {:<8}{:>9}  {:<7}\n",
                                "", width, "IOPS", "+- 95 %", "latency", "+- 95 %", "read p99", "+- 95 %");
  for (const WhatIfRow& row : what_if.rows) {
    const std::string line =
        fmt::format("  {:<{}}{:>9}  {:<8}{:>9}  {:<8}{:>9}  {:<7}", row.change, width, percent(row.iops.mean),
                    within(row.iops), percent(row.latency.mean), within(row.latency),
                    row.read_p99 ? percent(row.read_p99->mean) : "-", row.read_p99 ? within(*row.read_p99) : "");
    const std::string aside = "   " + (row.note.empty() ? row.settings : row.note);
    out += line + (line.size() + aside.size() <= kColumns ? aside : "") + "\n";
  }
  std::vector<std::pair<std::string, std::string>> reasons;  // and what was not tried for it
  for (const WhatIf::NotTried& row : what_if.not_tried) {
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == row.why; });
    if (known == reasons.end()) {
      reasons.emplace_back(row.why, row.change);
    } else {
      known->second += ", " + row.change;
    }
  }
  for (const auto& [why, changes] : reasons) out += wrapped(fmt::format("  not tried: {}: {}", changes, why)) + "\n";
  return out;
}

}  // namespace wordline::results
