// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::host {

/// What a module will do, in order of time; actions of one time in the order in which they were added. One kernel event
/// for the first of them is enough. Memory grows to the largest number outstanding and stays.
template <class Kind>
class Agenda {
 public:
  struct Action {
    Picoseconds at{};
    std::uint64_t order = 0;
    Kind kind{};
    std::uint32_t index = 0;
    std::uint64_t value = 0;
  };

  void add(Picoseconds at, Kind kind, std::uint32_t index, std::uint64_t value = 0) {
    heap_.push_back({at, next_order_++, kind, index, value});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Action& first() const { return heap_.front(); }
  Action take() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Action action = heap_.back();
    heap_.pop_back();
    return action;
  }

 private:
  static bool later(const Action& a, const Action& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

  std::vector<Action> heap_;
  std::uint64_t next_order_ = 0;
};

}  // namespace wordline::host
