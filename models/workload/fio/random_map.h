// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::workload::fio {

/// fio's random map for requests of different lengths: every unit of the region is covered once in a pass. A request
/// takes a unit that is drawn, or where that is covered the next that is not, as fio does, so that it begins where a
/// gap begins; and as many behind it as it asks for and are uncovered. Memory: a bit a unit, and a 64th of that for
/// each level of the index.
class RandomMap {
 public:
  RandomMap() = default;
  RandomMap(std::uint64_t units, std::uint64_t key) : units_(units), key_(key) { begin_pass(); }

  /// The first unit of the next request. All were covered: a new pass begins.
  [[nodiscard]] std::uint64_t take() {
    if (left_ == 0) begin_pass();
    const std::uint64_t hash = keyed_hash(key_, pass_, next_++);
    const auto drawn = static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * units_ >> 64);
    const std::uint64_t behind = uncovered_from(0, drawn);
    return behind != kNone ? behind : uncovered_from(0, 0);
  }
  /// Covers at most `units` from `first` on, up to the first that is covered already; how many.
  std::uint64_t cover(std::uint64_t first, std::uint64_t units) {
    std::uint64_t n = 0;
    for (; n < units && first + n < units_ && !covered(first + n); ++n) {
      set(first + n);
      --left_;
    }
    return n;
  }
  [[nodiscard]] bool all_covered() const { return left_ == 0; }
  void begin_pass() {
    levels_.clear();
    // Of a level each bit is a word of the one below; what lies behind the end is covered.
    std::uint64_t bits = units_;
    do {
      const std::uint64_t words = (bits + 63) / 64;
      levels_.emplace_back(words, 0);
      if (bits % 64 != 0) levels_.back().back() = ~std::uint64_t{0} << (bits % 64);
      bits = words;
    } while (bits > 1);
    left_ = units_;
    next_ = 0;
    ++pass_;
  }

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  [[nodiscard]] bool covered(std::uint64_t unit) const { return (levels_[0][unit / 64] >> (unit % 64) & 1U) != 0; }

  void set(std::uint64_t bit) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[bit / 64];
      word |= std::uint64_t{1} << (bit % 64);
      if (word != ~std::uint64_t{0}) return;
      bit /= 64;
    }
  }
  /// The first bit of a level from `bit` on that is not set.
  [[nodiscard]] std::uint64_t uncovered_from(std::size_t level, std::uint64_t bit) const {
    if (bit / 64 >= levels_[level].size()) return kNone;
    const std::uint64_t open = ~levels_[level][bit / 64] & ~std::uint64_t{0} << (bit % 64);
    if (open != 0) return bit / 64 * 64 + static_cast<unsigned>(__builtin_ctzll(open));
    if (level + 1 == levels_.size()) return kNone;
    const std::uint64_t word = uncovered_from(level + 1, bit / 64 + 1);
    return word == kNone ? kNone : uncovered_from(level, word * 64);
  }

  std::uint64_t units_ = 0;
  std::uint64_t key_ = 0;
  std::vector<std::vector<std::uint64_t>> levels_;
  std::uint64_t left_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t pass_ = 0;
};

}  // namespace wordline::workload::fio
