// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/units/growing_ring.h"
#include "models/units/quantity.h"
#include "tlm/protocol/time_ordered.h"

namespace wordline::host {

/// The driver's end of the queue pairs: which command identifiers of each are free, and which requests wait for one. A
/// request may first be the work of a core for some time. A place is an identifier of one of the pairs.
class PairQueues {
 public:
  /// `depth` commands of each of `pairs` pairs can be in flight.
  void open(std::uint32_t pairs, std::uint32_t depth) {
    depth_ = depth;
    pairs_.resize(pairs);
    for (Pair& pair : pairs_) {
      pair.free_ids.reserve(depth);
      for (std::uint32_t id = depth; id-- > 0;) pair.free_ids.push_back(static_cast<std::uint16_t>(id));
    }
  }
  [[nodiscard]] std::uint32_t pairs() const { return static_cast<std::uint32_t>(pairs_.size()); }
  [[nodiscard]] std::uint32_t places() const { return pairs() * depth_; }
  [[nodiscard]] std::uint32_t place(std::uint32_t pair, std::uint16_t id) const {
    return pair < pairs() && id < depth_ ? pair * depth_ + id : places();
  }
  [[nodiscard]] std::uint32_t pair_of(std::uint32_t place) const { return place / depth_; }
  [[nodiscard]] std::uint16_t id_of(std::uint32_t place) const { return static_cast<std::uint16_t>(place % depth_); }

  /// The request waits for an identifier of `pair` from `at` on; requests of one time in the order of the calls.
  void submit(std::uint32_t request, std::uint32_t pair, Picoseconds at) { works_.put({at, orders_++, request, pair}); }
  void submit_now(std::uint32_t request, std::uint32_t pair) {
    pairs_[pair].waiting.push(request);
    ++waiting_;
  }
  /// Those whose time has come wait.
  void pass_on(Picoseconds now) {
    while (!works_.empty() && works_.first().at <= now) {
      const Work work = works_.take();
      submit_now(work.request, work.pair);
    }
  }
  [[nodiscard]] bool works() const { return !works_.empty(); }
  /// When the next one will wait; works().
  [[nodiscard]] Picoseconds next() const { return works_.first().at; }

  /// Requests that wait, on all pairs.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// A request that comes now would wait.
  [[nodiscard]] bool is_full(std::uint32_t pair) const {
    return pairs_[pair].waiting.size() >= pairs_[pair].free_ids.size();
  }
  [[nodiscard]] bool can_issue(std::uint32_t pair) const {
    return !pairs_[pair].waiting.empty() && !pairs_[pair].free_ids.empty();
  }
  /// The request that waits first; can_issue().
  [[nodiscard]] std::uint32_t first(std::uint32_t pair) { return pairs_[pair].waiting.front(); }
  void drop_first(std::uint32_t pair) {
    pairs_[pair].waiting.pop();
    --waiting_;
  }
  [[nodiscard]] std::uint32_t take_place(std::uint32_t pair) {
    const std::uint16_t id = pairs_[pair].free_ids.back();
    pairs_[pair].free_ids.pop_back();
    return place(pair, id);
  }
  void give_back(std::uint32_t place) { pairs_[pair_of(place)].free_ids.push_back(id_of(place)); }

 private:
  struct Pair {
    std::vector<std::uint16_t> free_ids;
    GrowingRing<std::uint32_t> waiting;  // requests with commands not yet issued
  };
  struct Work {
    Picoseconds at{};
    std::uint64_t order = 0;
    std::uint32_t request = 0, pair = 0;
  };

  std::uint32_t depth_ = 1;  // of a pair
  std::vector<Pair> pairs_;
  std::size_t waiting_ = 0;
  tlm_if::TimeOrdered<Work> works_;  // of cores
  std::uint64_t orders_ = 0;
};

}  // namespace wordline::host
