// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The standard normal distribution: probability, density, quantile. As exact as std::erfc; no other distribution.
#pragma once

#include <cmath>

namespace wordline::ecc {

/// P(X <= x) of the standard normal distribution.
[[nodiscard]] inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The density of the normal distribution.
[[nodiscard]] inline double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }

/// The x with normal_cdf(x) = p, 0 < p < 1: a start from the tail's asymptote (Abramowitz and Stegun 26.2.23, error
/// below 4.5e-4), then Newton steps.
[[nodiscard]] inline double normal_quantile(double p) {
  const bool upper = p > 0.5;
  const double tail = upper ? 1 - p : p;
  const double t = std::sqrt(-2 * std::log(tail));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int i = 0; i < 3; ++i) x -= (normal_cdf(x) - tail) / normal_density(x);
  return upper ? -x : x;
}

}  // namespace wordline::ecc
