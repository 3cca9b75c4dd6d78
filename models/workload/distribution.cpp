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

BlockDraw::BlockDraw(Distribution distribution, double parameter, std::uint64_t n, std::uint64_t key, double center)
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
  if (center >= 0) {
    const auto place = static_cast<std::uint64_t>(static_cast<double>(n) * center) % n;
    shift_ = (place + n - scatter_(0)) % n;
  }
}

/// The mean of twelve even draws, which deviates by a twelfth of the region, and an even one of `parameter_` percent of
/// it, at most half, around that.
std::uint64_t BlockDraw::normal_rank(std::uint64_t hash) const {
  constexpr unsigned kDraws = 12;
  const auto below = [&](unsigned number, std::uint64_t limit) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(keyed_hash(hash, number)) * limit >> 64);
  };
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < kDraws; ++i) sum += below(i, n_ + 1);
  const auto mean = static_cast<std::int64_t>((sum + kDraws - 1) / kDraws);
  const auto n = static_cast<std::int64_t>(n_);
  const auto width = std::min(static_cast<std::int64_t>(std::ceil(static_cast<double>(n_) * parameter_ / 100)), n / 2);
  if (width == 0) return static_cast<std::uint64_t>(std::min(mean, n - 1));
  std::int64_t beside = static_cast<std::int64_t>(below(kDraws, static_cast<std::uint64_t>(width))) - width / 2;
  while (beside > 0 && beside + mean >= n) beside /= 2;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(mean + beside, 0, n - 1));
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
    case Distribution::kNormal:
      return normal_rank(hash);
  }
  return std::min(n_ - 1, static_cast<std::uint64_t>(value));
}

std::uint64_t BlockDraw::operator()(std::uint64_t hash) const {
  const std::uint64_t r = rank(hash);
  return distribution_ == Distribution::kRandom ? r : (scatter_(r) + shift_) % n_;
}

}  // namespace wordline::workload
