// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace wordline::riscv {

class Hart;
struct Block;

/// Where translated code has gone back to the interpreter, which does what is left.
struct Exit {
  enum class Kind : std::uint8_t {
    kLimit,     // at the block's entry: HartState::limit is reached
    kTaken,     // to the target of the branch or jump
    kFall,      // to the block behind
    kIndirect,  // to HartState::pc
    kAt,        // at the instruction
    kAfter,     // after the instruction, which asked for attention; cycles are exact
    kThrown,    // a callback of the instruction has thrown; cycles and instructions are exact
  };
  Kind kind;
  std::uint8_t slot;
  std::uint32_t jump;  // offset of the jump to link, of kTaken and kFall
  Block* block;
};

/// Blocks of one hart as code of the host (x86-64), made with AsmJit. Bit for bit what the interpreter does: the same
/// registers, memory, cycles and counts wherever they can be read, and interrupts at the same instruction.
///
/// Blocks jump to their translated successors by themselves, through a table where the target is in a register. The
/// limit is compared at every entry. Memory regions are reached directly; the bus, traps, atomics, fence.i, WFI and
/// CSRs are left to the interpreter at exactly their instruction, and it comes back behind it (InsnInfo::resume).
/// Observation CSRs are written from here. All translations are forgotten with the blocks (BlockCache::flush()).
class Translator {
 public:
  /// Empty: this host can; else why not.
  [[nodiscard]] static std::string why_not();

  explicit Translator(Hart& hart);
  ~Translator();
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  /// Sets Block::translated, and entry, resume and translated_runs where there is code now.
  void translate(Block& block);
  /// From Block::entry or InsnInfo::resume on. HartState has cycles and instructions as the interpreter holds them
  /// within a block, before and after.
  [[nodiscard]] const Exit& run(std::uint32_t from);
  /// `to` follows `exit`, which needs to come here no more when `to` has an entry.
  void link(const Exit& exit, const Block& to);
  /// What a callback threw, of an exit kThrown.
  [[noreturn]] void rethrow();
  /// No room: forget() everything, with the blocks.
  [[nodiscard]] bool full() const;
  void forget();
  /// Translated so far.
  [[nodiscard]] std::uint64_t blocks() const;
  /// The bytes of code that there is now.
  [[nodiscard]] std::size_t bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::riscv
