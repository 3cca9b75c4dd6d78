// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

#include "testbenches/models/firmware/drive.h"

/// The hardware's ends of the rings of a Drive, for the files that it is made of.
namespace wordline::testing {

/// The drive, or its host, finds what must not be.
[[noreturn]] inline void fail(const std::string& message) { throw std::runtime_error(message); }

template <class Entry>
void Drive::push(const HardRing& ring, const Entry& entry) {
  std::uint8_t* base = hal_.tcm + (ring.base - WL_TCM_BASE);
  auto* header = reinterpret_cast<wl_ring*>(base);
  if (header->produced - header->consumed >= ring.size) fail("ring towards the firmware overflows");
  std::memcpy(base + WL_RING_ENTRIES + (header->produced % ring.size) * sizeof(Entry), &entry, sizeof(Entry));
  header->produced = header->produced + 1;
}

template <class Entry>
bool Drive::pop(const HardRing& ring, Entry* entry) {
  std::uint8_t* base = hal_.tcm + (ring.base - WL_TCM_BASE);
  auto* header = reinterpret_cast<wl_ring*>(base);
  if (header->consumed == ring.doorbell) return false;
  std::memcpy(entry, base + WL_RING_ENTRIES + (header->consumed % ring.size) * sizeof(Entry), sizeof(Entry));
  header->consumed = header->consumed + 1;
  return true;
}

}  // namespace wordline::testing
