// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The decoder's statistics held against the bit-true decoders on words they were not made from.
/// It checks a table and changes none: calibration.h makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/ecc/calibration/calibration.h"
#include "models/ecc/decoders/calibrated_decoder.h"

namespace wordline::ecc {

/// Limits in which the probability lies that showed `hits` in `words`, both sides together wrong with probability
/// `alpha` (Clopper and Pearson).
struct Interval {
  double low;
  double high;
};
[[nodiscard]] Interval binomial_interval(std::uint64_t hits, std::uint64_t words, double alpha);

/// One tier at one point.
struct TierCheck {
  std::string name;         // "tier 1", "tier 2"
  std::uint64_t words = 0;  // words that the bit-true decoder got
  std::uint64_t failures = 0;
  double predicted_failure = 0;
  Interval failure{0, 1};  // joint interval of what was counted
  bool timed = false;      // enough successes (200) on both sides to compare clocks
  double mean = 0;         // clocks of successes
  double predicted_mean = 0;
  double mean_noise = 0;  // standard error of the two means' difference
  Interval p99{0, 0};     // p99 of the bit-true clocks, four standard errors of its rank wide
  double predicted_p99 = 0;
  double p99_step = 0;        // one iteration of tier 1, one layer of tier 2
  double distance = 0;        // Kolmogorov-Smirnov, between the two distributions of clocks
  double distance_noise = 0;  // what two equal ones show in one case of a hundred

  [[nodiscard]] bool failure_good() const;
  /// Within 2 %, plus two standard errors.
  [[nodiscard]] bool mean_good() const;
  /// Within one step.
  [[nodiscard]] bool p99_good() const;
  /// Within 0.02, plus noise.
  [[nodiscard]] bool distance_good() const;
  [[nodiscard]] bool good() const { return failure_good() && mean_good() && p99_good() && distance_good(); }
};

struct CheckPoint {
  unsigned reads;
  double at;             // bit errors of one read; error rate of several
  double spacing = 1.0;  // spacing of several reads, times the level's own
};

/// Error counts between the table's rows, and channels of fixed error rate for every number of reads.
[[nodiscard]] const std::vector<CheckPoint>& check_points();

struct CheckResult {
  CheckPoint point;
  std::vector<TierCheck> tiers;
  std::uint64_t miscorrections = 0;
};

/// `words` of each point through both. The joint interval of the failures is 95 % over all `points`.
[[nodiscard]] std::vector<CheckResult> check_decoder(const CalibratedDecoder& decoder,
                                                     const std::vector<CheckPoint>& points, unsigned words,
                                                     std::uint64_t seed,
                                                     const std::function<void(const CheckResult&)>& progress = {});

}  // namespace wordline::ecc
