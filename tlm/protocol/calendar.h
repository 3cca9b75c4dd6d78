// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::tlm_if {

/// Reserved time of a resource that serves first come, first served. Callers reserve ahead: when data will be back in a
/// microsecond, their transfer is reserved now, for then. A transfer that is ready earlier takes the gap before it, if
/// it fits; so order is by the time at which a transfer is ready, not by the time of the call. Reserved intervals that
/// touch are one: a busy resource keeps one or two.
class Calendar {
 public:
  struct Slot {
    Picoseconds from;
    bool joins_next;  // the resource stays busy at its end
  };

  /// First free stretch of `length` from `earliest` on. `now` is the present: nobody reserves before it any more.
  Slot reserve(Picoseconds now, Picoseconds earliest, Picoseconds length) {
    const auto past = std::find_if(taken_.begin(), taken_.end(), [now](const Interval& i) { return i.to >= now; });
    taken_.erase(taken_.begin(), past);

    Picoseconds from = std::max(now, earliest);
    auto next = std::upper_bound(taken_.begin(), taken_.end(), from,
                                 [](Picoseconds t, const Interval& i) { return t < i.to; });
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
    return {from, joins_next};
  }

 private:
  struct Interval {
    Picoseconds from, to;
  };
  std::vector<Interval> taken_;  // in order of time, apart
};

}  // namespace wordline::tlm_if
