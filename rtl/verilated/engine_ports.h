// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the engines in gates (rtl/engines) have in common: a port, and how they are clocked.
#pragma once

#include <cstdint>
#include <string>

namespace wordline::rtl {

/// A port to memory of 32-bit words: requests with valid and ready, answers in their order.
struct WordMemoryOut {
  bool valid = false, write = false;
  std::uint32_t address = 0;
  std::uint32_t wdata = 0;  // of a write
};
struct WordMemoryIn {
  bool ready = false;
  bool answer = false, error = false;
  std::uint32_t rdata = 0;
};

/// An engine as the drive clocks it: the shipped gates, or a block of the user's own.
template <class Ports>
class EngineDoor {
 public:
  EngineDoor() = default;
  virtual ~EngineDoor() = default;
  EngineDoor(const EngineDoor&) = delete;
  EngineDoor& operator=(const EngineDoor&) = delete;

  /// The outputs of a clock that has these inputs; then its rising edge.
  virtual typename Ports::Outputs step(const typename Ports::Inputs& inputs) = 0;
  /// Where it is, for messages: `clock` clocks after a request was offered.
  [[nodiscard]] virtual std::string place(std::uint64_t clock) const { return "clock " + std::to_string(clock); }
  /// After an answer it is clocked on until busy is low, since what follows is to be seen.
  [[nodiscard]] virtual bool settles() const { return false; }
};

}  // namespace wordline::rtl
