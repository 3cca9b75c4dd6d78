// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace wordline::riscv {

/// Memory the hart reaches through a host pointer, without asking the bus (a DMI region). Several harts may share one.
struct MemoryRegion {
  std::uint32_t base;          // bus address, a multiple of 4
  std::uint32_t size;          // bytes, a multiple of 4; base + size may be 2^32
  std::byte* host;             // `size` bytes, little-endian, alive as long as the hart
  std::uint32_t load_cycles;   // whole cost of a load instruction from here (not on top of CycleCosts)
  std::uint32_t store_cycles;  // whole cost of a store instruction to here
  bool executable;
  bool writable;  // false: a store is an access fault
};

/// Everything that is not a MemoryRegion. Called for naturally aligned accesses of 1, 2 or 4 bytes. Inside a call
/// Hart::cycles() is exact: all instructions before this one are counted, this one is not yet. A call may use
/// Hart::stall(), Hart::request_stop() and Hart::set_interrupt(), and may block its thread.
class Bus {
 public:
  virtual ~Bus() = default;
  /// False: load access fault. `value` is zero-extended, the hart extends signs.
  virtual bool read(std::uint32_t address, unsigned size, std::uint32_t& value) = 0;
  /// False: store access fault. Bits of `value` above `size` bytes are zero.
  virtual bool write(std::uint32_t address, unsigned size, std::uint32_t value) = 0;
};

/// Receives what the program writes to the observation CSRs (hart.h). Hart::cycles() is exact inside, as in Bus.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void tag(std::uint32_t tag) = 0;          // ObservationCsrs::tag: from now on
  virtual void context(std::uint32_t context) = 0;  // ObservationCsrs::context: from now on
  virtual void mark(std::uint32_t value) = 0;       // ObservationCsrs::mark
  /// The instruction at Hart::pc() raises an exception; the hart is as before it. True: it goes to mtvec. False: run()
  /// returns kException, the hart as it is.
  virtual bool exception(std::uint32_t cause, std::uint32_t tval) {
    (void)cause;
    (void)tval;
    return true;
  }
};

}  // namespace wordline::riscv
