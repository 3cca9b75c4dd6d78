// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "models/units/quantity.h"
#include "registers/wordline_regs.hpp"

namespace wordline::engines {

/// The registers ENGINES. Each part of the block claims, when it is made, those that do something or count something; a
/// register without a claim keeps what firmware writes, for parts that calculate with it.
class EngineRegisters {
 public:
  using Read = std::function<std::uint32_t()>;
  /// `at`: when the write arrives, not before the present.
  using Write = std::function<void(std::uint32_t value, Picoseconds at)>;

  /// Throws std::logic_error if the register at `offset` has an owner.
  void claim(std::uint32_t offset, Read read, Write write);
  /// Write only: reads as 0.
  void command(std::uint32_t offset, Write write);
  /// Read only, its low 32 bits. `count` lives as long as the registers.
  void counter(std::uint32_t offset, const std::uint64_t& count);

  /// A register that keeps its value.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t offset) const { return words_[offset / 4].value; }

  /// Accesses of the firmware. False: there is no such register.
  [[nodiscard]] bool read(std::uint32_t offset, std::uint32_t& value) const;
  [[nodiscard]] bool write(std::uint32_t offset, std::uint32_t value, Picoseconds at);

 private:
  struct Word {
    std::uint32_t value = 0;
    Read read;    // empty: no part claimed it
    Write write;  // empty: a write has no effect
  };
  std::array<Word, registers::engines::kStride / 4> words_;
};

}  // namespace wordline::engines
