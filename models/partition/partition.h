// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/partition/placement.h"

/// What a study of placements says: numbers taken from the result.json of each run, and the words.
namespace wordline::engines {

struct PartitionRow {
  Placement placement;
  std::uint64_t requests = 0;
  double iops = 0;  // IOPS of all operations
  double mean_us = 0;
  double p99_9_us = 0;        // 99.9th percentile of the operation with the most requests
  std::string p99_9_of;       // its name
  double cycles_per_io = 0;   // cycles per io of all cores, boot apart
  std::vector<double> cores;  // busy share
  double energy_pj = 0;       // energy of cores and engines, per request; an estimate
  double gates = 0;           // gates of cores and engines; an estimate
  /// What they may be in truth (models/engines/synthesised.h); the same without engines that were not synthesised.
  struct Range {
    double low = 0, high = 0;
  };
  Range gates_range, energy_range_pj;
  std::string limit;  // limit as bottleneck.resource of result.json
  double utilisation = 0;
  std::string busiest;                                  // the busiest group apart from it
  std::vector<std::pair<std::string, double>> engines;  // busy share
  std::string like;  // a row with fewer engines that measured the same to the digit; empty: there is none

  [[nodiscard]] bool core_limits() const { return limit == "cores"; }
};

/// `text`: the run's result.json. Throws std::runtime_error when it lacks what is needed.
[[nodiscard]] PartitionRow partition_row(const Placement& placement, const config::Config& config,
                                         const std::string& text);

/// Says of each row which one before it it is like: engines that this workload gives nothing to do.
void find_alike(std::vector<PartitionRow>& rows);

/// For each set of engines in the order of the rows, how many cores it takes until the core is not the limit, and what
/// is then.
[[nodiscard]] std::vector<std::string> partition_words(const std::vector<PartitionRow>& rows);

/// The table, IOPS against cores, and the words; at most 120 columns. Rows that are like another are named below it.
[[nodiscard]] std::string partition_text(const std::vector<PartitionRow>& rows);
/// The table of the rows as JSON. `head`: version, configuration, workload.
[[nodiscard]] std::string partition_json(const std::vector<PartitionRow>& rows,
                                         const std::vector<std::pair<std::string, std::string>>& head);

}  // namespace wordline::engines
