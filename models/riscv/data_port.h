// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/riscv/address_space.h"
#include "models/riscv/memory_region.h"

namespace wordline::riscv {

struct CycleCosts;

/// Loads, stores and atomics of one hart where its fast path ends: memory that straddles or lies behind the first
/// regions, the bus, LR/SC and AMOs. SC compares the word with what LR has read.
class DataPort {
 public:
  /// What the port shares with its hart, which outlives it.
  struct Shared {
    const AddressSpace& memory;
    Bus& bus;
    const CycleCosts& costs;
    std::uint64_t& cycles;  // exact before a call; the port adds what the access takes
    bool& code_written;     // set when a store has met decoded code,
    std::uint64_t& limit;   // and then 0: the hart flushes its blocks before the next one
  };

  explicit DataPort(const Shared& shared)
      : memory_(shared.memory),
        bus_(shared.bus),
        costs_(shared.costs),
        cycles_(shared.cycles),
        code_written_(shared.code_written),
        limit_(shared.limit) {}

  // Each returns 0 or the cause of an exception; then nothing has been done.
  std::uint32_t load(std::uint32_t address, unsigned size, std::uint32_t& value);
  std::uint32_t store(std::uint32_t address, unsigned size, std::uint32_t value);
  /// `operation`: funct5. `result`: for rd.
  std::uint32_t atomic(std::uint32_t operation, std::uint32_t address, std::uint32_t operand, std::uint32_t& result);

  /// A trap or a reset has come between LR and SC.
  void forget_reservation() { reservation_.valid = false; }
  /// `size` bytes at `offset` of a region have been stored to.
  void note_code_written(std::uint32_t offset, unsigned size, const std::uint8_t* code_lines) {
    if ((code_lines[offset >> kLineShift] | code_lines[(offset + size - 1) >> kLineShift]) == 0) return;
    code_written_ = true;
    limit_ = 0;
  }

 private:
  struct Reservation {
    bool valid = false;
    std::uint32_t address = 0, value = 0;
  };

  const AddressSpace& memory_;
  Bus& bus_;
  const CycleCosts& costs_;
  std::uint64_t& cycles_;
  bool& code_written_;
  std::uint64_t& limit_;
  Reservation reservation_;
};

}  // namespace wordline::riscv
