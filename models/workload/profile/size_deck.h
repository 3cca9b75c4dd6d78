// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/workload/profile/parameters.h"
#include "models/workload/profile/stratified.h"

namespace wordline::workload {

/// The lengths of one direction as a deck of 4096, dealt in keyed order: after each pass the shares of the modes and
/// the mean are exact, where independent draws of a tail of large requests would leave the mean percents off.
class SizeDeck {
 public:
  static constexpr std::size_t kCards = 4096;

  SizeDeck() = default;
  /// Throws std::invalid_argument, with the parameter and what to do, when the mean cannot be met.
  SizeDeck(const SizeParameters& parameters, std::uint64_t key);

  /// Blocks of 512 bytes of the request `index` of its direction.
  [[nodiscard]] std::uint32_t operator()(std::uint64_t index) const { return blocks_[order_.stratum(index)]; }
  [[nodiscard]] std::uint32_t max_nlb() const;
  /// Share of the requests that are no shorter than this.
  [[nodiscard]] double share_from(double bytes) const;

 private:
  void fill_tail(const SizeParameters& parameters, std::size_t first);

  std::array<std::uint32_t, kCards> blocks_{};
  Stratified order_;
};

}  // namespace wordline::workload
