// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/profile/zipf_rank.h"

#include <algorithm>
#include <cmath>

namespace wordline::workload {
namespace {

/// Nearer to 1 the quotient of two vanishing differences loses its digits.
bool is_one(double theta) { return std::abs(theta - 1.0) < 1e-6; }

}  // namespace

ZipfRank::ZipfRank(std::uint64_t n, double theta) : n_(n), theta_(theta), total_(area(static_cast<double>(n) + 1.0)) {}

/// Below x^-theta from 1 to `x`.
double ZipfRank::area(double x) const {
  return is_one(theta_) ? std::log(x) : (std::pow(x, 1.0 - theta_) - 1.0) / (1.0 - theta_);
}

std::uint64_t ZipfRank::operator()(double uniform) const {
  const double below = uniform * total_;
  const double x = is_one(theta_) ? std::exp(below) : std::pow(1.0 + below * (1.0 - theta_), 1.0 / (1.0 - theta_));
  return std::min(n_ - 1, static_cast<std::uint64_t>(std::max(x - 1.0, 0.0)));
}

double ZipfRank::share(double ranks) const { return area(std::min(ranks, static_cast<double>(n_)) + 1.0) / total_; }

}  // namespace wordline::workload
