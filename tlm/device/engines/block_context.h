// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/device/engines/engine_registers.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::engines {

/// What the parts of an EngineBlock share: registers, the tables of the firmware, the geometry of the flash, one alarm
/// that wakes the block.
class BlockContext {
 public:
  using Memory = sc_core::sc_port<tlm_if::SharedMemoryIf>;

  /// `recorder` may be null: no waves.
  BlockContext(const sc_core::sc_object& block, Memory& memory, tlm_if::Alarm& wake, tlm_if::RecorderIf* recorder)
      : recorder(recorder), block_(block), memory_(memory), wake_(wake) {}

  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return wake_.now(); }

  tlm_if::RecorderIf* const recorder;
  EngineRegisters registers;
  wl_geometry geometry{};  // geometry from the registers, when the firmware enables engines

  /// All engines of `set` (wl_engine) are enabled.
  [[nodiscard]] bool has(std::uint32_t set) const { return (enabled_ & set) == set; }
  [[nodiscard]] std::uint32_t enabled() const { return enabled_; }
  void enable(std::uint32_t set) { enabled_ = set; }

  /// A table of the firmware in tightly coupled memory; its address is in the register at `offset`, which is called
  /// `name`. Null: an error was reported.
  template <class Entry>
  [[nodiscard]] Entry* table(std::uint32_t offset, std::size_t entries, const char* name) const {
    return reinterpret_cast<Entry*>(bytes(offset, entries * sizeof(Entry), name));
  }

  /// Opens a ring of the firmware, of `entries` entries; as table(). False: an error was reported.
  template <class Ring>
  [[nodiscard]] bool open(Ring& ring, std::uint32_t offset, std::uint32_t entries, const char* name) const {
    if (ring.open(*memory_[0], registers[offset], entries)) return true;
    no_memory(name);
    return false;
  }

  /// The block acts at `at`, or earlier.
  void wake(Picoseconds at) { wake_.set_no_later_than(at); }

  void error(const std::string& text) const;

 private:
  void no_memory(const char* name) const;
  [[nodiscard]] std::byte* bytes(std::uint32_t offset, std::size_t count, const char* name) const;

  const sc_core::sc_object& block_;
  Memory& memory_;
  tlm_if::Alarm& wake_;
  std::uint32_t enabled_ = 0;
};

}  // namespace wordline::engines
