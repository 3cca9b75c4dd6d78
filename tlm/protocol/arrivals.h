// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::tlm_if {

/// What is on its way to a block: doorbells of cores that run ahead of simulated time, jobs of other blocks. In order
/// of arrival, of equal times in the order of add(). Few at a time: kept sorted.
template <class What>
class Arrivals {
 public:
  void add(Picoseconds at, const What& what) {
    auto place = waiting_.end();
    while (place != waiting_.begin() && at < std::prev(place)->at) --place;
    waiting_.insert(place, {at, what});
  }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  /// The time of the first one; there is one.
  [[nodiscard]] Picoseconds next() const { return waiting_.front().at; }

  /// Calls arrive(at, what) for all that arrive by `now`, and forgets them. `arrive` may add what arrives at `now` or
  /// later.
  template <class Arrive>
  void deliver(Picoseconds now, Arrive&& arrive) {
    std::size_t due = 0;
    while (due < waiting_.size() && waiting_[due].at <= now) {
      const Arrival arrival = waiting_[due++];
      arrive(arrival.at, arrival.what);
    }
    if (due != 0) waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(due));
  }

 private:
  struct Arrival {
    Picoseconds at;
    What what;
  };
  std::vector<Arrival> waiting_;
};

}  // namespace wordline::tlm_if
