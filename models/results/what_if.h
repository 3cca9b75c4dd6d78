// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/results/registry.h"

namespace wordline::results {

/// What a comparison needs of a run, from its result.json.
struct RunNumbers {
  double iops = 0;                      // IOPS of all operations
  double mean_latency = 0;              // ps, of all operations, by their numbers
  std::optional<double> mean_half;      // half of its 95 % interval, as a share of it; none: too short a run to say
  std::optional<double> read_p99;       // ps; none: no reads
  std::optional<double> read_p99_half;  // half of the interval, as mean_half; none: fewer than ten reads beyond, too
  double width = 0;                     // ps, of the windows of `completed`
  std::vector<double> completed;        // requests of all operations by window
};
/// Throws std::runtime_error when `result` (result.json) lacks something.
[[nodiscard]] RunNumbers run_numbers(const std::string& result);

/// By how much one run is better than another: 0.25 is 25 % more. The interval is that of 95 %.
struct Gain {
  double mean = 0;
  std::optional<double> half;  // half of the interval; none: too short a run to say
};
/// More IOPS of `other`. The interval is found from batches of as many requests each, the same ones in both runs where
/// their seeds are equal: the time that a batch took in one run over that in the other, by Student's t over the
/// batches. Known gap: batches that depend on one another make it too narrow.
[[nodiscard]] Gain iops_gain(const RunNumbers& base, const RunNumbers& other);

/// Change of the mean latency of all operations: -0.2 is 20 % less. The interval is made of those of
/// the two runs, as if these were independent. Known gap: with equal seeds the difference is closer than it says.
[[nodiscard]] Gain latency_change(const RunNumbers& base, const RunNumbers& other);
/// The change of the 99th percentile of reads; none: one of the two has no reads.
[[nodiscard]] std::optional<Gain> read_p99_change(const RunNumbers& base, const RunNumbers& other);

/// One resource of the drive improved, by a run of its own.
struct WhatIfRow {
  std::string resource;  // resource as in bottleneck.resource
  std::string change;    // "dies x2"
  std::string settings;  // "channels.packages=8 nand.wls_per_layer=2", or the option that asks for it
  std::string note;      // what else changes
  Gain iops;
  Gain latency;
  std::optional<Gain> read_p99;
};
struct WhatIf {
  std::vector<WhatIfRow> rows;  // the largest gain first
  struct NotTried {
    std::string change, why;
  };
  std::vector<NotTried> not_tried;

  [[nodiscard]] bool ran() const { return !rows.empty() || !not_tried.empty(); }
  /// The resource behind the greatest gain that is not by chance, apart from `but`; empty: there is none.
  [[nodiscard]] std::string next(const std::string& but) const;
};

/// By the gain in IOPS, and where that is nothing, as with a host that makes no more requests, by latency.
void sort_by_gain(WhatIf& what_if);
/// Registers what_if[].*; `what_if` outlives the registry.
void register_what_if(Registry& registry, const WhatIf& what_if);
/// For the summary: a line for each row, and for what was not tried the reason.
[[nodiscard]] std::string what_if_text(const WhatIf& what_if);

}  // namespace wordline::results
