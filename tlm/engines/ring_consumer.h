// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "tlm/engines/engine.h"

namespace wordline::engines {

/// The engines' end of a ring in tightly coupled memory that firmware fills (wl_ring). Doorbells may arrive for later,
/// since a core runs ahead; entries are read up to a doorbell's value when the doorbell is due.
template <class Entry>
class RingConsumer {
 public:
  struct Doorbell {
    Picoseconds at;
    std::uint32_t produced;
  };

  [[nodiscard]] static constexpr bool is_size(std::uint32_t entries) {
    return entries != 0 && (entries & (entries - 1)) == 0;
  }
  [[nodiscard]] static constexpr std::size_t bytes(std::uint32_t entries) {
    return WL_RING_ENTRIES + entries * sizeof(Entry);
  }

  void attach(std::byte* ring, std::uint32_t entries) {
    ring_ = reinterpret_cast<wl_ring*>(ring);
    size_ = entries;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t consumed() const { return ring_->consumed; }

  void ring(std::uint32_t produced, Picoseconds at) {
    auto place = doorbells_.end();
    while (place != doorbells_.begin() && at < std::prev(place)->at) --place;
    doorbells_.insert(place, {at, produced});
  }
  /// When the next doorbell is due.
  [[nodiscard]] Picoseconds next() const { return doorbells_.empty() ? kNever : doorbells_.front().at; }
  /// Takes the first doorbell that is due.
  std::optional<Doorbell> take(Picoseconds now) {
    if (next() > now) return {};
    const Doorbell doorbell = doorbells_.front();
    doorbells_.erase(doorbells_.begin());
    return doorbell;
  }

  [[nodiscard]] bool overflows(const Doorbell& doorbell) const { return doorbell.produced - ring_->consumed > size_; }
  /// The next entry before the doorbell's value, if there is one.
  std::optional<Entry> pop(const Doorbell& doorbell) {
    if (ring_->consumed == doorbell.produced) return {};
    Entry entry;
    std::memcpy(
        &entry,
        reinterpret_cast<const std::byte*>(ring_) + WL_RING_ENTRIES + (ring_->consumed & (size_ - 1)) * sizeof entry,
        sizeof entry);
    ring_->consumed = ring_->consumed + 1;
    return entry;
  }

 private:
  wl_ring* ring_ = nullptr;
  std::uint32_t size_ = 0;
  std::vector<Doorbell> doorbells_;  // in order of time
};

}  // namespace wordline::engines
