// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibration/calibration_check.h"

#include <algorithm>
#include <cmath>

#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeCheck = 0x636865636b;
constexpr unsigned kDrawsPerWord = 10;  // predictions for each word, so that most of the noise is the bit-true side's
constexpr std::uint64_t kLeastTimed = 200;
constexpr double kIterationClocks = kBlockColumns;
constexpr double kLayerClocks = 74;

/// P(X <= k) of a binomial.
double binomial_cdf(std::uint64_t k, std::uint64_t n, double p) {
  if (p <= 0) return 1;
  if (p >= 1) return k >= n ? 1 : 0;
  const auto words = static_cast<double>(n);
  double log_term = words * std::log1p(-p);  // of 0 hits
  double sum = std::exp(log_term);
  const double log_odds = std::log(p) - std::log1p(-p);
  for (std::uint64_t i = 0; i < k; ++i) {
    log_term += std::log((words - static_cast<double>(i)) / (static_cast<double>(i) + 1)) + log_odds;
    sum += std::exp(log_term);
  }
  return std::min(sum, 1.0);
}

double mean_of(const TierCount& count) { return count.mean_clocks(); }

double deviation_of(const TierCount& count) {
  const double mean = mean_of(count);
  double sum = 0;
  for (const auto& [clocks, words] : count.clocks) {
    sum += (clocks - mean) * (clocks - mean) * static_cast<double>(words);
  }
  return std::sqrt(sum / static_cast<double>(count.words - count.failures));
}

double quantile_of(const TierCount& count, double u) {
  const double rank = std::clamp(u, 0.0, 1.0) * static_cast<double>(count.words - count.failures);
  double seen = 0;
  for (const auto& [clocks, words] : count.clocks) {
    seen += static_cast<double>(words);
    if (seen >= rank) return clocks;
  }
  return count.clocks.rbegin()->first;
}

double ks_distance(const TierCount& a, const TierCount& b) {
  const auto share = [](const TierCount& count) { return 1.0 / static_cast<double>(count.words - count.failures); };
  std::map<std::uint32_t, double> steps;
  for (const auto& [clocks, words] : a.clocks) steps[clocks] += static_cast<double>(words) * share(a);
  for (const auto& [clocks, words] : b.clocks) steps[clocks] -= static_cast<double>(words) * share(b);
  double sum = 0;
  double most = 0;
  for (const auto& [clocks, step] : steps) most = std::max(most, std::abs(sum += step));
  return most;
}

TierCheck compare(const char* name, const TierCount& counted, const TierCount& predicted, double alpha, double step) {
  TierCheck check;
  check.name = name;
  check.words = counted.words;
  check.failures = counted.failures;
  check.failure = binomial_interval(counted.failures, counted.words, alpha);
  check.predicted_failure =
      predicted.words == 0 ? 0 : static_cast<double>(predicted.failures) / static_cast<double>(predicted.words);
  check.p99_step = step;
  const std::uint64_t good = counted.words - counted.failures;
  const std::uint64_t predicted_good = predicted.words - predicted.failures;
  check.timed = good >= kLeastTimed && predicted_good >= kLeastTimed;
  if (!check.timed) return check;
  const double a = static_cast<double>(good);
  const double b = static_cast<double>(predicted_good);
  check.mean = mean_of(counted);
  check.predicted_mean = mean_of(predicted);
  check.mean_noise = std::hypot(deviation_of(counted) / std::sqrt(a), deviation_of(predicted) / std::sqrt(b));
  const double rank_noise = 2 * std::sqrt(0.99 * 0.01 / a);
  check.p99 = {quantile_of(counted, 0.99 - rank_noise), quantile_of(counted, 0.99 + rank_noise)};
  check.predicted_p99 = quantile_of(predicted, 0.99);
  check.distance = ks_distance(counted, predicted);
  check.distance_noise = 1.63 * std::sqrt((a + b) / (a * b));
  return check;
}

/// The drive's draws for the same number of words, each several times.
template <class Draw>
void draw_each(unsigned words, std::uint64_t seed, Draw draw) {
  for (std::uint64_t i = 0; i < std::uint64_t{words} * kDrawsPerWord; ++i) draw(keyed_hash(seed, kPurposeCheck, i));
}

}  // namespace

Interval binomial_interval(std::uint64_t hits, std::uint64_t words, double alpha) {
  if (words == 0) return {0, 1};
  const auto solve = [](auto below) {
    double low = 0;
    double high = 1;
    for (unsigned i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (below(middle) ? low : high) = middle;
    }
    return (low + high) / 2;
  };
  Interval interval{0, 1};
  if (hits > 0) interval.low = solve([&](double p) { return 1 - binomial_cdf(hits - 1, words, p) < alpha / 2; });
  if (hits < words) interval.high = solve([&](double p) { return binomial_cdf(hits, words, p) > alpha / 2; });
  return interval;
}

bool TierCheck::failure_good() const { return predicted_failure >= failure.low && predicted_failure <= failure.high; }

bool TierCheck::mean_good() const { return !timed || std::abs(predicted_mean - mean) <= 0.02 * mean + 2 * mean_noise; }

bool TierCheck::p99_good() const {
  return !timed || (predicted_p99 >= p99.low - p99_step && predicted_p99 <= p99.high + p99_step);
}

bool TierCheck::distance_good() const { return !timed || distance <= 0.02 + distance_noise; }

const std::vector<CheckPoint>& check_points() {
  static const std::vector<CheckPoint> kPoints{
      {1, 3},      {1, 22},     {1, 48},      {1, 73},      {1, 83},     {1, 88},      {1, 97},
      {1, 103},    {1, 112},    {1, 123},     {1, 137},     {1, 148},    {1, 152},     {1, 158},
      {1, 163},    {1, 172},    {2, 6e-3},    {2, 1.2e-2},  {2, 1.4e-2}, {2, 1.45e-2}, {3, 6e-3},
      {3, 1.3e-2}, {3, 1.6e-2}, {3, 1.65e-2}, {3, 1.7e-2},  {5, 1.5e-2}, {5, 1.8e-2},  {5, 1.85e-2},
      {7, 6e-3},   {7, 1.5e-2}, {7, 1.8e-2},  {7, 1.85e-2}, {7, 1.9e-2}};
  return kPoints;
}

std::vector<CheckResult> check_decoder(const CalibratedDecoder& decoder, const std::vector<CheckPoint>& points,
                                       unsigned words, std::uint64_t seed,
                                       const std::function<void(const CheckResult&)>& progress) {
  std::size_t failure_rates = 0;
  for (const CheckPoint& point : points) failure_rates += point.reads == 1 ? 2 : 1;
  const double alpha = 0.05 / static_cast<double>(failure_rates);
  std::vector<CheckResult> results;
  for (const CheckPoint& point : points) {
    CheckResult result{point, {}, 0};
    TierCount first;
    TierCount second;
    if (point.reads == 1) {
      const auto errors = static_cast<unsigned>(point.at);
      const Measurement m = measure_flow(errors, words, seed);
      draw_each(words, seed, [&](std::uint64_t key) {
        const Outcome outcome = decoder.decode_bit_flipping(errors, key);
        first.add(outcome.ok, outcome.cycles);
        if (outcome.ok) return;
        const Outcome last = decoder.decode_min_sum(errors, key);
        second.add(last.ok, last.cycles);
      });
      result.tiers.push_back(compare("tier 1", m.bit_flipping, first, alpha, kIterationClocks));
      if (m.min_sum.words > 0) result.tiers.push_back(compare("tier 2", m.min_sum, second, alpha, kLayerClocks));
      result.miscorrections = m.miscorrections;
    } else {
      std::uint64_t word = 0;
      const auto each = [&](const SoftCounts& counts, bool, std::uint32_t) {
        for (unsigned i = 0; i < kDrawsPerWord; ++i) {
          const Outcome outcome = decoder.decode_soft(point.reads, counts, keyed_hash(seed, kPurposeCheck, word++));
          second.add(outcome.ok, outcome.cycles);
        }
      };
      const Measurement m = measure_soft_rate(point.reads, point.at, point.spacing, words, seed, each);
      result.tiers.push_back(compare("tier 2", m.min_sum, second, alpha, kLayerClocks));
      result.miscorrections = m.miscorrections;
    }
    results.push_back(result);
    if (progress) progress(result);
  }
  return results;
}

}  // namespace wordline::ecc
