// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/workload_command.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/firmware/contract/boot_info.h"
#include "models/results/report.h"
#include "models/units/index.h"
#include "models/workload/source.h"
#include "models/workload/statistics/workload_statistics.h"
#include "models/workload/text.h"

namespace wordline::platform {
namespace {

/// 8 PiB: addresses stay as the workload has them.
constexpr std::uint64_t kAnyAddress = std::uint64_t{1} << 53U;
constexpr std::size_t kModes = 5;

using Json = nlohmann::ordered_json;
namespace text = workload::text;

bool is_count(double value) { return value == std::floor(value) && std::abs(value) < 9e15; }

/// Six significant digits, counts in full.
std::string number(double value) {
  return is_count(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

std::string json_key(workload::Part part) { return fmt::format("modes5{}", workload::suffix(part)); }

std::string to_json(const std::string& file, const std::string& description,
                    const workload::WorkloadStatistics& statistics) {
  Json json{{"workload", file}, {"description", description}};
  Json& values = json["statistics"];
  for (const workload::Statistic& statistic : statistics.list()) {
    // Counts as integers, so that a reader in any language sees all their digits.
    if (is_count(statistic.value)) {
      values[statistic.name] = static_cast<std::int64_t>(statistic.value);
    } else {
      values[statistic.name] = statistic.value;
    }
  }
  for (const workload::Part part : workload::kParts) {
    Json modes = Json::array();
    for (const workload::SizeShare& mode : statistics.modes(part, kModes)) {
      modes.push_back({{"KiB", static_cast<double>(mode.bytes) / 1024}, {"share", mode.share}});
    }
    if (!modes.empty()) values[json_key(part)] = modes;
  }
  return json.dump(2) + '\n';
}

void print(const workload::WorkloadStatistics& statistics) {
  for (const workload::Statistic& statistic : statistics.list()) {
    std::cout << fmt::format("{:<32} {:>14} {:<9} {}\n", statistic.name, number(statistic.value), statistic.unit,
                             statistic.text);
  }
  for (const workload::Part part : workload::kParts) {
    std::string line;
    for (const workload::SizeShare& mode : statistics.modes(part, kModes)) {
      line += fmt::format(" {}:{:.4f}", number(static_cast<double>(mode.bytes) / 1024), mode.share);
    }
    if (line.empty()) continue;
    std::cout << fmt::format("{:<32}{}  (the most frequent sizes, KiB:share)\n", json_key(part), line);
  }
}

/// The plan of a source that does not say itself what it will do.
std::vector<std::string> plan_of(const workload::Source& source) {
  std::vector<std::string> lines = source.plan();
  if (!lines.empty()) return lines;
  if (source.total_requests() != 0) lines.push_back(fmt::format("{} requests", text::grouped(source.total_requests())));
  if (source.total_bytes() != 0) lines.push_back(text::long_bytes(source.total_bytes()));
  lines.push_back(source.open_loop() ? std::string("requests arrive at their times")
                                     : fmt::format("{} in flight", source.depth(0)));
  return lines;
}

/// False: it is refused.
bool check_one(const std::string& file, const workload::LoadOptions& load) {
  try {
    const auto source = workload::load_workload(file, load);
    std::cout << fmt::format("{}: runs, {}\n", file, source->describe());
    for (const std::string& line : plan_of(*source)) std::cout << "  " << line << '\n';
    for (const std::string& notice : source->notices()) std::cout << "  note: " << notice << '\n';
    return true;
  } catch (const workload::WorkloadError& error) {
    std::cout << fmt::format("{}: refused\n", file);
    for (const std::string& line : error.errors()) std::cout << "  " << line << '\n';
    return false;
  }
}

}  // namespace

int workload_check(const WorkloadCheckOptions& options) {
  workload::LoadOptions load;
  load.drive_lbas = options.capacity_bytes / kLbaBytes;
  load.seed = options.seed;
  load.beyond_end = options.beyond_end;
  load.trace = options.trace;
  load.placement_handles = WL_HANDLES;  // whether a drive has them is a matter of its run
  std::size_t refused = 0;
  for (const std::string& file : options.workloads) refused += check_one(file, load) ? 0 : 1;
  std::cout << fmt::format("{} of {} workloads run on a drive of {}\n", options.workloads.size() - refused,
                           options.workloads.size(), text::long_bytes(options.capacity_bytes));
  return refused == 0 ? 0 : 1;
}

int workload_stats(const WorkloadStatsOptions& options) {
  workload::LoadOptions load;
  load.drive_lbas = (options.capacity_bytes != 0 ? options.capacity_bytes : kAnyAddress) / kLbaBytes;
  load.seed = options.seed;
  load.beyond_end = options.beyond_end;
  load.trace = options.trace;
  load.placement_handles = WL_HANDLES;  // whether a drive has them is a matter of its run
  const auto source = workload::load_workload(options.workload, load);
  const workload::WorkloadStatistics statistics =
      workload::statistics_of(*source, options.requests, options.one_device);
  const std::string file = std::filesystem::path(options.workload).filename().string();
  if (!options.json.empty()) results::write_file(options.json, to_json(file, source->describe(), statistics));
  std::cout << source->describe() << '\n';
  for (const std::string& notice : source->notices()) std::cout << "note: " << notice << '\n';
  print(statistics);
  return 0;
}

}  // namespace wordline::platform
