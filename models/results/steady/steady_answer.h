// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "models/results/finished_request.h"
#include "models/results/steady/ratio.h"

namespace wordline::results {

enum class SteadyClass {
  kSteady,     // a longer run has these numbers
  kBeforeGc,   // true until GC begins
  kNotSteady,  // a longer run has others
  kOverload,   // more is asked for than the drive serves: the latency is that of the queue
  kTooShort,   // nothing can be said
};
/// "steady", "before_gc", "not_steady", "overload", "too_short".
[[nodiscard]] const char* name_of(SteadyClass steady);

/// What is known of one operation, latencies in picoseconds.
struct OpIntervals {
  static constexpr std::array<double, 4> kPercentiles{50, 99, 99.9, 99.99};
  Interval iops, mean;
  std::array<Interval, kPercentiles.size()> percentiles;
};

/// How far the numbers of a run can be trusted.
struct SteadyAnswer {
  SteadyClass steady = SteadyClass::kTooShort;
  std::string reason = "nothing has judged the run";  // why not steady; empty: it is
  std::uint64_t since = 0;                            // requests of the warm-up
  Picoseconds since_time{};                           // when it was over
  std::uint64_t requests = 0;                         // requests since then, that the intervals are from
  std::uint64_t least = 0;                            // requests that are the fewest to judge by
  double in_flight = 0;                               // requests, mean
  double offered = 0;                                 // requests/s; 0: not known, or as many as are served
  double superblocks_written = 0;                     // superblocks written since the begin
  std::uint64_t superblocks_collected = 0, superblocks_needed = 0;
  std::optional<std::uint64_t> writes_until_gc;  // logical pages of the host
  Interval iops, waf;                            // all operations; programmed over written pages
  double waf_of_state = 0;  // write amplification with which the state at the begin was made; 0: none
  std::array<OpIntervals, kOpCount> ops;

  [[nodiscard]] bool reached() const { return steady == SteadyClass::kSteady; }
};

}  // namespace wordline::results
