// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The places of a drive for blocks of somebody else's, and the ports that each asks for: the tables of
/// docs/own_rtl.md.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/slot/wordline_rtl_slot.h"

namespace wordline::rtl {

/// A port that a slot asks for.
struct SlotPort {
  const char* name;
  std::uint32_t bits;
  std::uint32_t direction;  // direction of the block: enum wordline_rtl_direction
};

struct Slot {
  const char* name;
  std::vector<SlotPort> ports;
};

enum class SlotId : std::uint8_t {
  kEccDecoder,      ///< hard bits in, corrected bits out: tier 1
  kEccSoftDecoder,  ///< soft bits in: tier 2
  kEccEncoder,      ///< information in, codeword out
  kStreamTap,       ///< user data in and out
  kReadRetry,       ///< the controller of one read of one page
  kFlashSequencer,  ///< sequencer and digital side of the pads of one ONFI channel
  kEngineParse,     ///< submission queue entries, checked and decoded
  kEngineL2p,       ///< map entries of a read, counts of a write
  kEngineVictim,    ///< the superblock to collect
  kApbBlock,        ///< registers for firmware, and an interrupt
};

[[nodiscard]] const Slot& slot_of(SlotId id);

}  // namespace wordline::rtl
