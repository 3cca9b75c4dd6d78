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

[[nodiscard]] const Slot& ecc_decoder_slot();       ///< hard bits in, corrected bits out: tier 1
[[nodiscard]] const Slot& ecc_soft_decoder_slot();  ///< soft bits in: tier 2
[[nodiscard]] const Slot& ecc_encoder_slot();       ///< information in, codeword out
[[nodiscard]] const Slot& stream_tap_slot();        ///< user data in and out
[[nodiscard]] const Slot& apb_block_slot();         ///< registers for firmware, and an interrupt
[[nodiscard]] const Slot& read_retry_slot();        ///< the controller of one read of one page
[[nodiscard]] const Slot& flash_sequencer_slot();   ///< sequencer and digital side of the pads of one ONFI channel
[[nodiscard]] const Slot& engine_parse_slot();      ///< submission queue entries, checked and decoded
[[nodiscard]] const Slot& engine_l2p_slot();        ///< map entries of a read, counts of a write
[[nodiscard]] const Slot& engine_victim_slot();     ///< the superblock to collect

}  // namespace wordline::rtl
