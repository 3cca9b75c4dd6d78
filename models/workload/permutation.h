// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/keyed_random.h"

namespace wordline::workload {

/// A keyed permutation of [0, n): every block once per pass, in an order that looks random, with no memory, where fio
/// keeps a bitmap. An unbalanced Feistel network over the next power of two (Luby, Rackoff 1988), walked until the
/// value falls inside (Black, Rogaway, CT-RSA 2002): fewer than two steps on average.
class Permutation {
 public:
  Permutation() = default;
  Permutation(std::uint64_t n, std::uint64_t key) : n_(n), key_(key) {
    unsigned bits = 1;
    while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
    low_bits_ = (bits + 1) / 2;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << (bits - low_bits_)) - 1;
  }

  [[nodiscard]] std::uint64_t size() const { return n_; }

  /// Image of `index` < size() in pass `pass`; each pass has an order of its own.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index, std::uint64_t pass = 0) const {
    const std::uint64_t key = mix64(key_ ^ mix64(pass));
    std::uint64_t x = index;
    do {
      std::uint64_t low = x & low_mask_;
      std::uint64_t high = x >> low_bits_;
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        high ^= mix64(key + (low << 3 | round)) & high_mask_;
        low ^= mix64(~key + (high << 3 | round)) & low_mask_;
      }
      x = high << low_bits_ | low;
    } while (x >= n_);
    return x;
  }

 private:
  static constexpr std::uint64_t kRounds = 3;
  std::uint64_t n_ = 1;
  std::uint64_t key_ = 0;
  unsigned low_bits_ = 1;
  std::uint64_t low_mask_ = 1;
  std::uint64_t high_mask_ = 0;
};

}  // namespace wordline::workload
