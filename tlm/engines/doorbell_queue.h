// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "tlm/engines/engine.h"

namespace wordline::engines {

/// Doorbells that arrive later than they are written, since a core runs ahead of simulated time. The entries that one
/// announces are read when it is due.
class DoorbellQueue {
 public:
  struct Doorbell {
    Picoseconds at;
    std::uint32_t produced;
  };

  void ring(std::uint32_t produced, Picoseconds at) {
    auto place = doorbells_.end();
    while (place != doorbells_.begin() && at < std::prev(place)->at) --place;
    doorbells_.insert(place, {at, produced});
  }
  /// When the next one is due.
  [[nodiscard]] Picoseconds next() const { return doorbells_.empty() ? kNever : doorbells_.front().at; }
  /// Takes the first one that is due.
  std::optional<Doorbell> take(Picoseconds now) {
    if (next() > now) return {};
    const Doorbell doorbell = doorbells_.front();
    doorbells_.erase(doorbells_.begin());
    return doorbell;
  }

 private:
  std::vector<Doorbell> doorbells_;  // in order of time
};

}  // namespace wordline::engines
