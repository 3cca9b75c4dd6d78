// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::tlm_if {

/// Entries in order of their time `at`, and of `order` where times are equal; both are members of Entry, and `order`
/// rises from one put() to the next. Memory grows to the largest number of entries and stays.
///
/// Most of what a drive plans happens soon, and a few things late (array operations, timers). So the next few entries
/// are a sorted list, in which a new one has to pass only those before it, and the others a heap that is touched when
/// the list is empty.
template <class Entry>
class TimeOrdered {
 public:
  [[nodiscard]] bool empty() const { return soon_.empty(); }
  [[nodiscard]] std::size_t size() const { return soon_.size() + late_.size(); }
  /// The first. Not empty.
  [[nodiscard]] const Entry& first() const { return soon_.back(); }

  void put(const Entry& entry) {
    if (!(entry.at < soon_end_) && !soon_.empty()) {
      late_.push_back(entry);
      std::push_heap(late_.begin(), late_.end(), after);
      return;
    }
    if (soon_.empty()) soon_end_ = entry.at + Picoseconds(1);
    std::size_t place = soon_.size();
    soon_.push_back(entry);
    for (; place != 0 && !(entry.at < soon_[place - 1].at); --place) soon_[place] = soon_[place - 1];
    soon_[place] = entry;
    if (soon_.size() == kMost) shorten();
  }

  /// Removes the first. Not empty.
  Entry take() {
    const Entry entry = soon_.back();
    soon_.pop_back();
    if (soon_.empty() && !late_.empty()) refill();
    return entry;
  }

  /// Removes all entries for which `goes` is true; asks once for each, in no order. Takes as long as there are entries.
  template <class Condition>
  void erase_if(Condition goes) {
    soon_.erase(std::remove_if(soon_.begin(), soon_.end(), goes), soon_.end());
    late_.erase(std::remove_if(late_.begin(), late_.end(), goes), late_.end());
    std::make_heap(late_.begin(), late_.end(), after);
    if (soon_.empty() && !late_.empty()) refill();
  }

 private:
  static constexpr std::size_t kFew = 16, kMost = 64;  // of the list

  static bool after(const Entry& a, const Entry& b) { return a.at != b.at ? b.at < a.at : b.order < a.order; }

  Entry take_late() {
    std::pop_heap(late_.begin(), late_.end(), after);
    const Entry entry = late_.back();
    late_.pop_back();
    return entry;
  }

  /// Entries of one time stay together: their order is that of the list.
  void refill() {
    do soon_.push_back(take_late());
    while (!late_.empty() && (soon_.size() < kFew || late_.front().at == soon_.back().at));
    soon_end_ = soon_.back().at + Picoseconds(1);
    std::reverse(soon_.begin(), soon_.end());
  }

  /// The later half of the list goes to the heap, unless all are of one time.
  void shorten() {
    const Picoseconds limit = soon_[kMost / 2].at;
    if (limit == soon_.back().at) return;
    const auto stays = std::find_if(soon_.begin(), soon_.end(), [limit](const Entry& e) { return e.at < limit; });
    for (auto e = soon_.begin(); e != stays; ++e) {
      late_.push_back(*e);
      std::push_heap(late_.begin(), late_.end(), after);
    }
    soon_.erase(soon_.begin(), stays);
    soon_end_ = limit;
  }

  std::vector<Entry> soon_;  // the first is last
  std::vector<Entry> late_;  // a heap: none before soon_end_
  Picoseconds soon_end_{};
};

}  // namespace wordline::tlm_if
