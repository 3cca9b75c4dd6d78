// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/distribution.h"

#include <algorithm>
#include <cmath>

namespace wordline::workload {

double generalized_harmonic(std::uint64_t n, double theta) {
  constexpr std::uint64_t kExact = 1000;
  double sum = 0;
  for (std::uint64_t i = 1; i <= std::min(n, kExact); ++i) sum += std::pow(static_cast<double>(i), -theta);
  if (n <= kExact) return sum;
  const auto a = static_cast<double>(kExact);
  const auto b = static_cast<double>(n);
  const double integral =
      theta == 1.0 ? std::log(b / a) : (std::pow(b, 1 - theta) - std::pow(a, 1 - theta)) / (1 - theta);
  const double ends = (std::pow(b, -theta) - std::pow(a, -theta)) / 2;
  const double slope = -theta * (std::pow(b, -theta - 1) - std::pow(a, -theta - 1)) / 12;
  return sum + integral + ends + slope;
}

BlockDraw::BlockDraw(Distribution distribution, double parameter, std::uint64_t n, std::uint64_t key)
    : distribution_(distribution), n_(n), parameter_(parameter), scatter_(n, key) {
  if (distribution == Distribution::kZipf) {
    zetan_ = generalized_harmonic(n, parameter);
    const double zeta2 = 1.0 + std::pow(0.5, parameter);
    second_ = zeta2;
    alpha_ = 1.0 / (1.0 - parameter);
    eta_ = n > 2 ? (1.0 - std::pow(2.0 / static_cast<double>(n), 1.0 - parameter)) / (1.0 - zeta2 / zetan_) : 0.0;
  } else if (distribution == Distribution::kPareto) {
    power_ = std::log(parameter) / std::log(1.0 - parameter);
  }
}

std::uint64_t BlockDraw::rank(std::uint64_t hash) const {
  const double u = unit_interval(hash);
  const auto n = static_cast<double>(n_);
  double value = 0;
  switch (distribution_) {
    case Distribution::kRandom:
      return static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * n_ >> 64);
    case Distribution::kZipf: {
      const double z = u * zetan_;
      if (z < 1.0) return 0;
      if (z < second_) return std::min<std::uint64_t>(1, n_ - 1);
      value = n * std::pow(eta_ * u - eta_ + 1.0, alpha_);
      break;
    }
    case Distribution::kPareto:
      value = (n - 1) * std::pow(u, power_);
      break;
    case Distribution::kNormal: {
      // Box-Muller; the second uniform number from the same key.
      constexpr double kTwoPi = 6.283185307179586;
      const double radius = std::sqrt(-2.0 * std::log(1.0 - u));
      const double gauss = radius * std::cos(kTwoPi * unit_interval(mix64(hash)));
      value = std::floor(n / 2 + gauss * n * parameter_ / 100.0);
      // Draws outside fold back into the region.
      value = std::fmod(value, n);
      if (value < 0) value += n;
      break;
    }
  }
  return std::min(n_ - 1, static_cast<std::uint64_t>(value));
}

std::uint64_t BlockDraw::operator()(std::uint64_t hash) const {
  const std::uint64_t r = rank(hash);
  const bool scattered = distribution_ == Distribution::kZipf || distribution_ == Distribution::kPareto;
  return scattered ? scatter_(r) : r;
}

}  // namespace wordline::workload
