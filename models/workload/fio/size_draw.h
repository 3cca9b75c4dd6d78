// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/workload/fio/job.h"

namespace wordline::workload::fio {

/// Draws lengths of requests in blocks of 512 bytes, as fio does: of a range a random number of bytes rounded down to
/// the smallest size, of a split by its shares. A length that does not fit is drawn again.
class SizeDraw {
 public:
  SizeDraw() = default;
  SizeDraw(const BlockSizes& sizes, std::uint64_t key);

  [[nodiscard]] bool fixed() const { return min_ == max_; }
  [[nodiscard]] std::uint32_t min() const { return min_; }
  [[nodiscard]] std::uint32_t max() const { return max_; }
  /// A length for request `number` of at most `limit` blocks; 0: not even the smallest fits.
  [[nodiscard]] std::uint32_t operator()(std::uint64_t number, std::uint64_t limit) const;

 private:
  struct Share {
    std::uint32_t nlb = 0;
    double up_to = 0;  // cumulated share
  };
  [[nodiscard]] std::uint32_t draw(double u) const;

  std::uint32_t min_ = 8, max_ = 8;
  std::vector<Share> shares_;
  std::uint64_t key_ = 0;
};

}  // namespace wordline::workload::fio
