// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace wordline::workload {

/// Quantiles of a stream of numbers, in bounded memory. Exact up to a million different values; of a stream with more
/// the 15 highest binary digits of each value are kept: an error below 1e-4.
class Quantiles {
 public:
  void add(std::uint64_t value);
  /// The smallest value that a share `p` (0..1) of the stream does not exceed: the ceil(p n)-th of n. 0 when n is 0.
  [[nodiscard]] std::uint64_t at(double p) const;
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> times_;
  std::uint64_t count_ = 0;
  bool exact_ = true;
};

}  // namespace wordline::workload
