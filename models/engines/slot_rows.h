// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wordline::engines {

/// Slots in rows of at most 64 consecutive ones; a run of slots lies within one row. The first run that is long enough
/// is taken, from the first row on: single slots gather in front, rows behind stay whole for long runs.
///
/// In hardware: a word of bits per row in memory, a bit for each free slot; log2(row) steps of shift and AND find the
/// runs of a length in a word. Rows are examined one after the other; that time is part of the operation it serves.
/// Fragmented, it finds nothing although enough slots are free: nothing is moved and no run is split.
class SlotRows {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kMaxRow = 64;

  SlotRows() = default;
  /// Rows of `row` slots; the last one may be shorter.
  SlotRows(std::uint32_t slots, std::uint32_t row) : row_(row) {
    for (std::uint32_t first = 0; first < slots; first += row) rows_.push_back(ones(std::min(row, slots - first)));
    free_ = slots;
  }

  [[nodiscard]] std::uint32_t row() const { return row_; }
  [[nodiscard]] std::uint32_t free() const { return free_; }

  /// First of `count` consecutive free slots, 1 to row() of them, which are taken now. kNone: there is no such run.
  std::uint32_t take(std::uint32_t count) {
    if (count > free_ || count > row_) return kNone;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      const std::uint64_t runs = begins_of_runs(rows_[r], count);
      if (runs == 0) continue;
      const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(runs));
      rows_[r] &= ~(ones(count) << bit);
      free_ -= count;
      return r * row_ + bit;
    }
    return kNone;
  }
  /// Gives back what take() gave.
  void give(std::uint32_t first, std::uint32_t count) {
    rows_[first / row_] |= ones(count) << first % row_;
    free_ += count;
  }

 private:
  static constexpr std::uint64_t ones(std::uint32_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  /// Bits at which `count` ones begin.
  static std::uint64_t begins_of_runs(std::uint64_t bits, std::uint32_t count) {
    while (count > 1 && bits != 0) {
      const std::uint32_t step = count / 2;
      bits &= bits >> step;
      count -= step;
    }
    return bits;
  }

  std::vector<std::uint64_t> rows_;
  std::uint32_t row_ = 1;
  std::uint32_t free_ = 0;
};

}  // namespace wordline::engines
