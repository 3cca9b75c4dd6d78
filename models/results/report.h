// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "models/results/registry.h"
#include "models/results/resources.h"

namespace wordline::results {

/// What differs from run to run.
struct Cost {
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t events = 0;         // timed events of the drive
  std::uint64_t kernel_events = 0;  // delta cycles of the kernel
  std::uint64_t instructions = 0;
  std::uint64_t requests = 0;
};

/// result.json and cost.json, with a line feed at the end. Times are integer picoseconds; ratios have six decimals.
/// Same run, same result.json: nothing that is registered depends on the machine. Keys, once released, keep their
/// meaning.
[[nodiscard]] std::string to_json(const Registry& registry);
[[nodiscard]] std::string to_json(const Cost& cost);

/// The results for a person, in lines of at most 120 columns; `shares`: of all groups of resources; `experiment`: what
/// follows the verdict; `notices` end it. `width`: of a terminal; where it is less than the table of latencies needs,
/// the table is in two parts.
[[nodiscard]] std::string summary(const Registry& registry, const std::vector<GroupShares>& shares,
                                  const std::vector<std::string>& notices, const std::string& experiment = {},
                                  std::size_t width = 120);

/// All of `content` or nothing: the file is written beside its place and renamed, so that a full disk or an end of the
/// program leaves what was there before. Throws std::runtime_error naming the file and the reason when it cannot be
/// written.
void write_file(const std::string& path, const std::string& content);
/// Writes a file whose content need not be in memory at once.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace wordline::results
