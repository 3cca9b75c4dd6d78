// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::tlm_if {

/// One of several transfers that are reserved at once: not before `at`; afterwards, when it ends.
struct Transfer {
  std::uint64_t bytes;
  Picoseconds at;
};

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
    const Picoseconds from = std::max(now, earliest);
    return from < end_ ? fit_in(now, from, length) : append(now, from, length);
  }

 private:
  struct Interval {
    Picoseconds from, to;
  };

  /// Behind all others.
  Slot append(Picoseconds now, Picoseconds from, Picoseconds length) {
    if (length == Picoseconds{}) return {from, false};
    if (!taken_.empty() && from == end_) {
      taken_.back().to = from + length;
    } else {
      if (taken_.size() >= many_) forget_before(now);
      taken_.push_back({from, from + length});
    }
    end_ = from + length;
    return {from, false};
  }

  Slot fit_in(Picoseconds now, Picoseconds from, Picoseconds length) {
    if (taken_.size() >= many_) forget_before(now);
    auto next = taken_.end();  // the first that ends behind `from`
    while (next != taken_.begin() && from < (next - 1)->to) --next;
    const Picoseconds room = std::max(length, Picoseconds(1));  // nothing takes no time, but waits its turn
    for (; next != taken_.end() && next->from < from + room; ++next) from = next->to;
    if (length == Picoseconds{}) return {from, next != taken_.end() && next->from == from};
    const Picoseconds to = from + length;
    const bool joins_last = next != taken_.begin() && (next - 1)->to == from;
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
    end_ = taken_.back().to;
    return {from, joins_next};
  }

  /// The past is dropped when it may be half of all.
  void forget_before(Picoseconds now) {
    const auto stays = std::find_if(taken_.begin(), taken_.end(), [now](const Interval& i) { return !(i.to < now); });
    taken_.erase(taken_.begin(), stays);
    many_ = std::max(kFew, 2 * taken_.size());
  }

  static constexpr std::size_t kFew = 64;
  std::vector<Interval> taken_;  // in order of time, apart
  std::size_t many_ = kFew;
  Picoseconds end_{};  // of the last
};

}  // namespace wordline::tlm_if
