// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The rules of an AXI4-Stream output (AMBA AXI-Stream, IHI 0051, 2.2.1), as rtl/checkers/axi_stream_checker.sv has
/// them for the shipped blocks, for a block that is seen by its pins only: once valid, a beat stays as it is until
/// ready takes it; valid is low in reset; packets have so many beats, the last one marked; tuser is the same on all
/// beats of one. It checks the handshakes and reports what is wrong; it does not interpret the beats.
#pragma once

#include <cstdint>
#include <string>

namespace wordline::rtl {

/// A port in one clock, as it is at the rising edge.
struct StreamPort {
  bool in_reset;
  bool valid;
  bool ready;
  bool last;
  std::uint64_t data;
  std::uint64_t user;
};

class StreamChecker {
 public:
  explicit StreamChecker(unsigned beats) : beats_(beats) {}

  /// What is wrong in this clock; empty: nothing. Once something is, nothing more is learnt of the port.
  [[nodiscard]] std::string clock(const StreamPort& port);

  [[nodiscard]] unsigned beat() const { return beat_; }  ///< beat of the packet: the one that is offered, or the next
  [[nodiscard]] std::uint64_t packets() const { return packets_; }  ///< that left whole

 private:
  [[nodiscard]] std::string problem(const StreamPort& port) const;

  unsigned beats_;
  unsigned beat_ = 0;
  std::uint64_t packets_ = 0;
  bool was_reset_ = false;
  bool held_ = false;  // before was offered and not taken
  StreamPort before_{};
  std::uint64_t user_ = 0;  // user of the first beat of the packet
};

}  // namespace wordline::rtl
