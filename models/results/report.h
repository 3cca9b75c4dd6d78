// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/results/collector.h"
#include "models/units/quantity.h"

namespace wordline::results {

struct LatencyReport {
  Picoseconds min, mean, stddev, max, p50, p95, p99, p99_9, p99_99;
  std::uint64_t sum = 0;  // picoseconds
};

struct OpReport {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double iops = 0;
  double bytes_per_s = 0;
  LatencyReport latency;
};

struct FlashReport {
  std::uint64_t host_bytes_written = 0;
  std::uint64_t programs = 0, reads = 0, erases = 0;  // operations of the array
  std::uint64_t sectors_programmed = 0;               // of 4 KiB, as the dies counted them
  std::optional<double> waf;                          // none when the host wrote nothing
  std::uint64_t retries = 0, soft_reads = 0, uncorrectable = 0;
  std::uint64_t failures = 0;  // programs and erases that the dies gave up
};

/// Busy share of each resource, 0..1.
struct Utilisation {
  double link = 0;
  std::vector<double> cores;
  double dram = 0;
  std::vector<double> channels;
  std::vector<double> dies;
};

struct Bottleneck {
  /// "link", "cores", "dram", "channels" or "dies"; "queue_depth" or "arrival_rate" when none of them is saturated.
  std::string resource;
  double utilisation = 0;  // of `resource`; when the load limits, of the busiest resource, which is `next`
  std::string next;
  std::string sentence;
};

struct EngineReport {
  std::string name;
  std::uint64_t operations = 0;
  double busy = 0;  // share of time in which it could take no other operation
};

struct StageReport {
  std::string name;
  bool is_wait = false;                      // waiting for a resource, or being served
  std::array<Picoseconds, kOpCount> mean{};  // by Op
  std::array<std::uint64_t, kOpCount> total_ps{};
};

/// Everything that result.json and the summary say about one run. Same run, same bytes: nothing here depends on the
/// machine. Keys, once released, keep their meaning.
struct Report {
  std::string version;
  std::uint64_t seed = 0;
  std::string config_sha256;
  std::string workload;
  Picoseconds simulated;
  std::array<OpReport, kOpCount> ios;
  FlashReport flash;
  Utilisation utilisation;
  std::uint64_t queue_depth = 0;  // requests kept in flight by all jobs together; 0 = open loop
  std::vector<StageReport> stages;
  std::vector<std::pair<std::string, Picojoules>> energy;  // by consumer; the total is added when written
  std::vector<std::pair<std::string, Picojoules>> array_energy;  // nand_array of it, by operation
  std::vector<std::pair<std::string, std::uint64_t>> firmware_cycles;  // busy cycles of all cores, by cost tag
  std::vector<EngineReport> engines;                                   // hardware engines that the drive has
  std::uint64_t reads_checked = 0, mismatches = 0;
  std::vector<std::string> notices;  // shown in the summary only
};

/// What differs from run to run.
struct Cost {
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t kernel_events = 0;
  std::uint64_t instructions = 0;
  std::uint64_t requests = 0;
};

struct StageName {
  std::string name;
  bool is_wait = false;
};

/// Fills `ios` and `stages` from what was collected; `names` in the order of the recorded stages.
void add_requests(const Collector& collector, const std::vector<StageName>& names, Report& report);

/// The resource that limits: the busiest one at 85 % or more, by its busiest member (one hot die is enough), else the
/// load.
[[nodiscard]] Bottleneck find_bottleneck(const Utilisation& utilisation, std::uint64_t queue_depth);

/// result.json and cost.json, with a line feed at the end. Times are integer picoseconds; ratios have six decimals.
[[nodiscard]] std::string to_json(const Report& report);
[[nodiscard]] std::string to_json(const Cost& cost);

/// The same for a person, in lines of at most 120 columns.
[[nodiscard]] std::string summary(const Report& report);

/// Throws std::runtime_error naming the file when it cannot be written.
void write_file(const std::string& path, const std::string& content);

}  // namespace wordline::results
