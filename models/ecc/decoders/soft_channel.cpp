// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/soft_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "models/ecc/decoders/normal.h"
#include "models/units/keyed_random.h"
#include "models/units/log_gamma.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeWrong = 0x77726f6e67;
constexpr std::uint64_t kPurposeRight = 0x7269676874;

constexpr std::array<SoftLevel, 5> kLevels{{{1, 1, kHardLlr, 0.0},
                                            {2, 2, kTwoReadLlr, 0.210},
                                            {3, 2, kThreeReadLlr, 0.339},
                                            {5, 3, kFiveReadLlr, 0.237},
                                            {7, 4, kSevenReadLlr, 0.185}}};

/// P(X > x) of the standard normal distribution.
double upper_tail(double x) { return normal_cdf(-x); }

std::array<std::uint32_t, kMaxRegions> draw_regions(const std::array<double, kMaxRegions>& probability,
                                                    unsigned regions, unsigned bits, std::uint64_t key) {
  std::array<std::uint32_t, kMaxRegions> counts{};
  double rest = 0;
  for (unsigned r = 0; r < regions; ++r) rest += probability[r];
  for (unsigned r = 0; r + 1 < regions && bits > 0; ++r) {
    counts[r] =
        draw_binomial(bits, rest > 0 ? std::min(1.0, probability[r] / rest) : 0.0, unit_interval(keyed_hash(key, r)));
    bits -= counts[r];
    rest -= probability[r];
  }
  counts[regions - 1] = bits;
  return counts;
}

}  // namespace

const SoftLevel& soft_level(unsigned reads) {
  for (const SoftLevel& level : kLevels) {
    if (level.reads == reads) return level;
  }
  throw std::invalid_argument(fmt::format("soft decoding from {} reads: there are 1, 2, 3, 5 and 7", reads));
}

SoftChannel gaussian_channel(const SoftLevel& level, Gaussian lower, Gaussian upper, double reference, double spacing) {
  if (!(lower.mean < upper.mean) || !(lower.sigma > 0) || !(upper.sigma > 0) || !(spacing >= 0)) {
    throw std::invalid_argument("soft channel: needs a lower and an upper state of positive width and a spacing");
  }
  SoftChannel channel;
  // Distance beyond the reference, on the wrong side and on the right side of it, of a cell of each state.
  const auto share = [](Gaussian state, double from, double to) {
    return 0.5 * (upper_tail((from - state.mean) / state.sigma) - upper_tail((to - state.mean) / state.sigma));
  };
  const Gaussian mirrored{-upper.mean, upper.sigma};
  for (unsigned r = 0; r < level.regions; ++r) {
    const double near = r * spacing;
    const double far = r + 1 == level.regions ? std::numeric_limits<double>::infinity() : (r + 1) * spacing;
    channel.wrong[r] =
        share(lower, reference + near, reference + far) + share(mirrored, -reference + near, -reference + far);
    channel.right[r] =
        share(lower, reference - far, reference - near) + share(mirrored, -reference - far, -reference - near);
  }
  return channel;
}

SoftChannel symmetric_channel(const SoftLevel& level, double error_rate) {
  if (!(error_rate > 0 && error_rate < 0.5))
    throw std::invalid_argument("soft channel: an error rate lies in (0, 0.5)");
  const double sigma = -1 / normal_quantile(error_rate);
  return gaussian_channel(level, {-1, sigma}, {1, sigma}, 0, level.spacing);
}

unsigned SoftCounts::weak(unsigned regions) const {
  unsigned sum = 0;
  for (unsigned r = 0; r + 1 < regions; ++r) sum += wrong[r] + right[r];
  return sum;
}

SoftCounts draw_soft_counts(const SoftLevel& level, const SoftChannel& channel, unsigned errors, std::uint64_t key) {
  if (errors > kCodewordBits) throw std::invalid_argument("soft channel: more errors than bits in a codeword");
  return {
      draw_regions(channel.wrong, level.regions, errors, keyed_hash(key, kPurposeWrong, level.reads)),
      draw_regions(channel.right, level.regions, kCodewordBits - errors, keyed_hash(key, kPurposeRight, level.reads))};
}

unsigned draw_binomial(unsigned trials, double p, double u) {
  if (trials == 0 || !(p > 0)) return 0;
  if (p >= 1) return trials;
  const double n = trials;
  const double odds = p / (1 - p);
  const auto mode = std::min(trials, static_cast<unsigned>((n + 1) * p));
  double up = std::exp(log_gamma(n + 1) - log_gamma(mode + 1.0) - log_gamma(n - mode + 1.0) + mode * std::log(p) +
                       (n - mode) * std::log1p(-p));
  double down = up;
  u -= up;
  if (u < 0) return mode;
  // What rounding leaves of u after both tails is below 1e-12 and goes to the mode.
  unsigned above = mode;
  unsigned below = mode;
  while ((above < trials && up > 1e-18) || (below > 0 && down > 1e-18)) {
    if (above < trials) {
      up *= (n - above) / (above + 1.0) * odds;
      ++above;
      u -= up;
      if (u < 0) return above;
    }
    if (below > 0) {
      down *= below / ((n - below + 1) * odds);
      --below;
      u -= down;
      if (u < 0) return below;
    }
  }
  return mode;
}

}  // namespace wordline::ecc
