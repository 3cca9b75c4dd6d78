// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::tlm_if {

/// Reserved time of a resource that serves first come, first served. Callers reserve ahead: when data will be back in a
/// microsecond, their transfer is reserved now, for then. A transfer that is ready earlier takes the gap before it, if
/// it fits; so order is by the time at which a transfer is ready, not by the time of the call. Reserved intervals that
/// touch are one: a busy resource keeps one or two. Most go behind all others.
class Calendar {
 public:
  struct Slot {
    Picoseconds from;
    bool joins_next;  // the resource stays busy at its end
  };

  /// First free stretch of `length` from `earliest` on. `now` is the present: no reservation begins before it any more.
  Slot reserve(Picoseconds now, Picoseconds earliest, Picoseconds length) {
    forget_before(now);
    Picoseconds from = std::max(now, earliest);
    if (past_ == taken_.size() || taken_.back().to <= from) return append(from, length);
    auto next =
        std::upper_bound(first(), taken_.end(), from, [](Picoseconds t, const Interval& i) { return t < i.to; });
    const Picoseconds room = std::max(length, Picoseconds(1));  // nothing takes no time, but waits its turn
    for (; next != taken_.end() && next->from < from + room; ++next) from = next->to;
    if (length == Picoseconds{}) return {from, next != taken_.end() && next->from == from};
    const Picoseconds to = from + length;
    const bool joins_last = next != first() && (next - 1)->to == from;
    const bool joins_next = next != taken_.end() && next->from == to;
    if (joins_last && joins_next) {
      (next - 1)->to = next->to;
      taken_.erase(next);
    } else if (joins_last) {
      (next - 1)->to = to;
    } else if (joins_next) {
      next->from = from;
    } else {
      taken_.insert(next, {from, to});
    }
    return {from, joins_next};
  }

 private:
  struct Interval {
    Picoseconds from, to;
  };
  [[nodiscard]] std::vector<Interval>::iterator first() { return taken_.begin() + static_cast<std::ptrdiff_t>(past_); }
  void forget_before(Picoseconds now) {
    while (past_ != taken_.size() && taken_[past_].to < now) ++past_;
    if (past_ < kManyPast && past_ != taken_.size()) return;
    taken_.erase(taken_.begin(), first());
    past_ = 0;
  }
  Slot append(Picoseconds from, Picoseconds length) {
    if (length == Picoseconds{}) return {from, false};
    if (past_ != taken_.size() && taken_.back().to == from) {
      taken_.back().to = from + length;
    } else {
      taken_.push_back({from, from + length});
    }
    return {from, false};
  }

  static constexpr std::size_t kManyPast = 64;
  std::vector<Interval> taken_;  // in order of time, apart
  std::size_t past_ = 0;         // so many of them have passed
};

}  // namespace wordline::tlm_if
