// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/workload/permutation.h"

namespace wordline::workload {

enum class Distribution : std::uint8_t { kRandom, kZipf, kPareto, kNormal };

/// Sum of 1 / i^theta for i = 1..n: the first terms added up, the rest by Euler-Maclaurin, so that a large drive does
/// not cost a second of start-up. fio adds up at most ten million terms and leaves the rest out.
[[nodiscard]] double generalized_harmonic(std::uint64_t n, double theta);

/// Draws blocks of [0, n) as fio 3.33 does: zipf by the approximation of Gray et al. (SIGMOD 1994, "Quickly generating
/// billion-record synthetic databases"), pareto as n * u^(log h / log(1 - h)), normal as the
/// mean of twelve even draws and an even one of so many percent of the region around it (lib/gauss.c). Ranks are
/// scattered over the region; with a centre, a share of the region, the first of them is there.
///
/// Known gaps: fio scatters by a multiplicative hash in which ranks can meet; here it is a permutation. The draws are
/// not fio's, only their distribution.
class BlockDraw {
 public:
  BlockDraw() = default;
  /// No centre is below 0: the first rank is anywhere.
  BlockDraw(Distribution distribution, double parameter, std::uint64_t n, std::uint64_t key, double center = -1);

  /// Block for the draw `hash` (64 random bits).
  [[nodiscard]] std::uint64_t operator()(std::uint64_t hash) const;
  /// The rank of a draw, before the scatter: 0 is the most popular.
  [[nodiscard]] std::uint64_t rank(std::uint64_t hash) const;

 private:
  [[nodiscard]] std::uint64_t normal_rank(std::uint64_t hash) const;

  Distribution distribution_ = Distribution::kRandom;
  std::uint64_t n_ = 1;
  double parameter_ = 0;
  double zetan_ = 0, second_ = 0, alpha_ = 0, eta_ = 0;  // zipf
  double power_ = 0;                                     // pareto
  Permutation scatter_;
  std::uint64_t shift_ = 0;  // of all scattered ranks
};

}  // namespace wordline::workload
