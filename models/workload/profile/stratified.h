// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/keyed_random.h"
#include "models/workload/permutation.h"

namespace wordline::workload {

/// Numbers of [0, 1) by their index, one of each of `strata` equal intervals in every pass of `strata` draws, in keyed
/// order: a share is met after a thousand requests where independent draws need a million, for a thousand may be all
/// that a run has.
class Stratified {
 public:
  Stratified() = default;
  Stratified(std::uint64_t strata, std::uint64_t key) : key_(key), order_(strata, key) {}

  [[nodiscard]] double operator()(std::uint64_t index) const {
    const double within = unit_interval(keyed_hash(key_, index));
    return (static_cast<double>(stratum(index)) + within) / static_cast<double>(order_.size());
  }
  /// Which interval the draw `index` is from.
  [[nodiscard]] std::uint64_t stratum(std::uint64_t index) const {
    return order_(index % order_.size(), index / order_.size());
  }

 private:
  std::uint64_t key_ = 0;
  Permutation order_;
};

}  // namespace wordline::workload
