// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/firmware/contract/ring.h"
#include "tlm/protocol/interfaces.h"

/// The hardware's ends of the rings that it shares with the firmware (models/firmware/contract/ring.h). Base and size
/// are registers of the block that owns the ring; it opens the ring when they are valid. What to do about a ring that
/// overflows is the block's matter: it can name the register or the number of commands that the firmware got wrong.
namespace wordline::tlm_if {

/// The counters are taken modulo the size.
[[nodiscard]] constexpr bool is_ring_size(std::uint32_t entries) {
  return entries != 0 && (entries & (entries - 1)) == 0;
}

/// Header and entries in tightly coupled memory: what both ends need.
template <class Entry>
class Ring {
 public:
  /// `entries` is a ring size. False: no memory there, which the memory has reported.
  bool open(SharedMemoryIf& memory, std::uint32_t base, std::uint32_t entries) {
    header_ = reinterpret_cast<wl_ring*>(memory.at(base, WL_RING_ENTRIES + std::size_t{entries} * sizeof(Entry)));
    mask_ = entries - 1;
    return header_ != nullptr;
  }
  void close() { header_ = nullptr; }
  [[nodiscard]] bool is_open() const { return header_ != nullptr; }
  [[nodiscard]] std::uint32_t size() const { return mask_ + 1; }

 protected:
  [[nodiscard]] wl_ring& header() const { return *header_; }
  [[nodiscard]] std::byte* entry(std::uint32_t counter) const {
    return reinterpret_cast<std::byte*>(header_) + WL_RING_ENTRIES + std::size_t{counter & mask_} * sizeof(Entry);
  }

 private:
  wl_ring* header_ = nullptr;
  std::uint32_t mask_ = 0;
};

/// Hardware writes, firmware reads. The interrupt after the counter is the owner's.
template <class Entry>
class RingProducer : public Ring<Entry> {
 public:
  /// Entries that the firmware has not consumed.
  [[nodiscard]] std::uint32_t level() const { return this->header().produced - this->header().consumed; }

  /// False: the ring is full, nothing is written.
  [[nodiscard]] bool push(const Entry& entry) {
    if (level() >= this->size()) return false;
    const std::uint32_t produced = this->header().produced;
    std::memcpy(this->entry(produced), &entry, sizeof entry);
    this->header().produced = produced + 1;  // after the entry: from here on a core may read it
    return true;
  }
};

/// Firmware writes, hardware reads up to the last doorbell. Hardware has a counter of its own and publishes it, so
/// firmware that overwrites `consumed` cannot make it read an entry twice.
template <class Entry>
class RingConsumer : public Ring<Entry> {
 public:
  bool open(SharedMemoryIf& memory, std::uint32_t base, std::uint32_t entries) {
    if (!Ring<Entry>::open(memory, base, entries)) return false;
    consumed_ = this->header().consumed;
    return true;
  }
  [[nodiscard]] std::uint32_t consumed() const { return consumed_; }
  /// Entries between what was read and the value of a doorbell.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t produced) const { return produced - consumed_; }

  /// Calls take(entry) for each entry up to the value of a doorbell. False: these would be more than the ring holds,
  /// nothing is read.
  template <class Take>
  [[nodiscard]] bool read_until(std::uint32_t produced, Take&& take) {
    if (waiting(produced) > this->size()) return false;
    while (consumed_ != produced) {
      Entry entry;
      std::memcpy(&entry, this->entry(consumed_), sizeof entry);
      this->header().consumed = ++consumed_;  // before `take`: the entry is copied, its place is free
      take(entry);
    }
    return true;
  }

 private:
  std::uint32_t consumed_ = 0;
};

}  // namespace wordline::tlm_if
