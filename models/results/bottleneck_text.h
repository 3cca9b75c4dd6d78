// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/results/bottleneck.h"

namespace wordline::results {

inline constexpr const char* kGc = "gc";

/// The numbers that a verdict is said with.
struct BottleneckWords {
  double in_flight = 0;
  std::uint64_t queue_depth = 0, tags = 0;
  double collected = 0;
  double without_data = 0;
  std::string most_waited{};                     // the group behind the largest wait, where that is much
  std::pair<std::string, double> most_served{};  // where nothing is saturated, the largest time of the drive
  double served = 0;                             // share of the latency of the time of the drive that limits
  const GroupShares* named = nullptr;            // the group that limits
  const GroupShares* busiest = nullptr;          // busiest of servers, apart from it
};

/// Null: there is none.
[[nodiscard]] const GroupShares* find_group(const std::vector<GroupShares>& groups, const std::string& key);
/// "dies are busy 57 % of the time", of a pool "requests wait for the write buffer 90 % of the time".
[[nodiscard]] std::string busy_text(const GroupShares& group);
/// The verdict in one sentence.
[[nodiscard]] std::string bottleneck_sentence(const Bottleneck& found, const BottleneckWords& words);

}  // namespace wordline::results
