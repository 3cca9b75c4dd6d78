// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The streams of a block of somebody else's (docs/own_rtl.md), checked at its ports in every clock: the rules of the
/// stream out, no codeword that did not come in, busy while one is inside. What is wrong is a SlotError that names
/// codeword, beat and clock. Whether the bits are right is for the drive, which holds them.
///
/// Source and sink wait at times, so that handshakes are put to the test; where the drive counts clocks, it counts such
/// that these waits are not in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtl/slot/loaded_block.h"
#include "rtl/slot/port_window.h"
#include "rtl/slot/stream_checker.h"
#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

/// Packets of a block.
struct StreamShape {
  unsigned beats_in, beats_out;
  bool whole;  // nothing comes out before all of the codeword is in
};

/// The pins of a block's streams and what is kept of them: part of the classes of slot_blocks.h.
class SlotStream {
 public:
  /// Throws SlotError when the block does not fit the slot.
  SlotStream(const std::string& path, const Slot& slot, const StreamShape& shape);

  [[nodiscard]] LoadedBlock& block() { return block_; }
  [[nodiscard]] const LoadedBlock& block() const { return block_; }
  [[nodiscard]] std::uint32_t result() const { return static_cast<std::uint32_t>(pins_.m_user); }
  void set_user(std::uint64_t value) {  ///< sets the user field of the beats in, where the slot has it
    pins_.s_user = value;
  }
  void set(const char* port, std::uint64_t value);  ///< sets a port that stands still while something is inside

  /// The clock in which beat `beat` of the codeword that left last was taken.
  [[nodiscard]] std::uint64_t clock_of_beat(unsigned beat) const { return taken_.at(beat); }
  /// Codewords that left whole.
  [[nodiscard]] std::uint64_t codewords() const { return checker_.packets(); }
  void write_window(const std::string& path) const;
  void add_status(std::vector<StatusSignal>& signals) const;

  // What AxiStreamBlock asks for.
  struct Pins {
    std::uint8_t rst_n = 0, s_valid = 0, s_last = 0, s_ready = 0;
    std::uint8_t m_valid = 0, m_last = 0, m_ready = 0, busy = 0;
    std::uint64_t s_data = 0, s_user = 0, m_data = 0, m_user = 0;
  };
  [[nodiscard]] Pins& pins() { return pins_; }
  static void settle(void* stream) { static_cast<SlotStream*>(stream)->evaluate(); }
  static void clock(void* stream) { static_cast<SlotStream*>(stream)->tick(); }

 private:
  struct Handles {
    LoadedBlock::Handle rst_n, s_data, s_valid, s_last, s_ready, m_data, m_valid, m_last, m_ready, busy;
    std::optional<LoadedBlock::Handle> s_user, m_user;  // where the slot has them
  };

  void evaluate();
  void tick();
  void check();
  void sample();
  [[nodiscard]] std::string problem();
  [[noreturn]] void fail(const std::string& what) const;
  void outputs();

  LoadedBlock block_;
  Handles handles_;
  const bool soft_;  // a codeword may be several packets
  const StreamShape shape_;
  Pins pins_;
  Pins evaluated_;  // inputs of the last evaluation; while fresh_ the outputs are theirs
  bool fresh_ = false;
  StreamChecker checker_;
  std::uint64_t at_codeword_ = 0;  // where the stream out is in this clock, for messages
  unsigned at_beat_ = 0;
  std::vector<LoadedBlock::Handle> shown_;
  PortWindow window_;
  std::vector<std::uint64_t> taken_;
  unsigned beat_in_ = 0;            // beats in of the packet
  unsigned packets_in_ = 0;         // packets in of the codeword
  std::uint64_t codewords_in_ = 0;  // codewords in that came in whole
};

}  // namespace wordline::rtl
