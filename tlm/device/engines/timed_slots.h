// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/engines/slot_rows.h"
#include "models/units/quantity.h"

namespace wordline::engines {

/// SlotRows whose slots may be given back for later, when their data have left.
class TimedSlots {
 public:
  static constexpr std::uint32_t kNone = SlotRows::kNone;

  void reset(std::uint32_t slots, std::uint32_t row) {
    rows_ = SlotRows(slots, row);
    leaving_.clear();
    leaving_.reserve(slots);
  }
  [[nodiscard]] std::uint32_t row() const { return rows_.row(); }

  /// Returns the slots whose use has ended by `now`.
  void return_due(Picoseconds now) {
    while (!leaving_.empty() && leaving_.front().at <= now) {
      std::pop_heap(leaving_.begin(), leaving_.end(), later);
      rows_.give(leaving_.back().slot, leaving_.back().count);
      leaving_.pop_back();
    }
  }
  std::uint32_t take(std::uint32_t count) { return rows_.take(count); }
  void give(std::uint32_t slot, std::uint32_t count) { rows_.give(slot, count); }
  void give_at(Picoseconds at, std::uint32_t slot, std::uint32_t count) {
    leaving_.push_back({at, slot, count});
    std::push_heap(leaving_.begin(), leaving_.end(), later);
  }

 private:
  struct Leaving {
    Picoseconds at;
    std::uint32_t slot, count;
  };
  static bool later(const Leaving& a, const Leaving& b) { return a.at > b.at; }  // the heap's first is the earliest

  SlotRows rows_;
  std::vector<Leaving> leaving_;  // heap by time
};

}  // namespace wordline::engines
