// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "models/riscv/block_cache.h"
#include "models/riscv/translate/code_memory.h"
#include "models/riscv/translate/guest_registers.h"
#include "models/riscv/translate/translator.h"

namespace wordline::riscv::translate {

/// What a slow access is: log2 of the size, and what to do with it.
struct Access {
  static constexpr std::uint32_t kSize = 3, kSigned = 4, kStore = 8;
  static constexpr unsigned kRegisterShift = 8;  // rd of a load
};

/// What has become of a write to an observation CSR.
enum class Observed : std::uint32_t { kDone, kRefused, kThrown };

/// Addresses that all blocks of a hart share.
struct Surroundings {
  const HartConfig& config;
  const AddressSpace& memory;
  const BlockCache& cache;
  const void* targets;                   // CodeMemory::targets()
  std::uint64_t leave;                   // eax: number of the exit
  std::uint64_t access;                  // eax: address, ecx: Access, edx: what to store; rax: cycles, edx: 0: not done
  std::array<std::uint64_t, 3> observe;  // edx: value; eax: Observed
};

/// Code for one block: what the interpreter does, instruction by instruction, and exits to it at exactly the
/// instruction for everything that may read the hart or change the course of things.
///
/// The costs of loads and stores are added with the block's static ones at its entry, as those of the memory that each
/// used last; exits and slow accesses set that right.
class BlockEmitter {
 public:
  struct Resume {
    unsigned slot;
    std::uint32_t offset;  // offset from the beginning of the code that runs often
  };

  /// `seldom`: section for what runs seldom, its offset set. `exits`: of all blocks; those of this one are added. Their
  /// jumps count from the beginning of the code that runs often.
  BlockEmitter(x86::Assembler& assembler, asmjit::Section& seldom, const Surroundings& around, Block& block,
               const std::uint64_t* runs, std::vector<Exit>& exits);

  /// False: nothing of the block can be translated, and nothing has been emitted.
  [[nodiscard]] bool emit();
  /// The block's first instruction is at the code's beginning.
  [[nodiscard]] bool has_entry() const { return has_entry_; }
  [[nodiscard]] const std::vector<Resume>& resumes() const { return resumes_; }

 private:
  struct Slot {
    Op op;
    bool outside;           // left to the interpreter
    std::uint32_t assumed;  // cycles of a load or store
    std::uint32_t later;    // those of this and all behind
  };
  void emit_poll();
  void emit_entry();
  void emit_slot(unsigned n);
  void emit_load(unsigned n, unsigned log2, bool is_signed);
  void emit_store(unsigned n, unsigned log2);
  /// eax = offset in the memory that slot `n` used last; on to `slow` when it is not there.
  void emit_offset(unsigned n, unsigned log2, bool store, const asmjit::Label& slow);
  void emit_slow_access(unsigned n, std::uint32_t access, const asmjit::Label& slow, const asmjit::Label& back);
  void use_memory_of(std::uint8_t slice);  // rdx = its host address
  void emit_observation(unsigned n);       // of the value in ecx:
  void emit_told(unsigned n);              // by Hart::observe()
  /// Inline what is not reported to the probe; otherwise jumps to `reported`.
  void emit_unreported(unsigned n, const asmjit::Label& reported);
  void emit_branch(unsigned n, x86::Inst::Id jump);
  void emit_jump(unsigned n);
  void emit_indirect_jump(unsigned n);
  void emit_edge(Exit::Kind kind);
  void emit_exit(Exit::Kind kind, unsigned slot, std::uint32_t jump = 0);
  void emit_exit_at(unsigned n);
  void can_resume(unsigned slot);
  /// Memory that holds the address of shared code: jumps and calls from a section that may lie anywhere go through it.
  x86::Mem shared(std::uint64_t code);
  void emit_shared();
  [[nodiscard]] const Insn& insn(unsigned n) const { return block_.insns[n]; }
  /// What the host register has more than the cycles before slot `n`.
  [[nodiscard]] std::int32_t cycles_ahead(unsigned n) const {
    return static_cast<std::int32_t>(slots_[n].later + block_.static_cycles - block_.info[n].before);
  }
  [[nodiscard]] std::uint32_t here() const {
    return static_cast<std::uint32_t>(a_.offset() + (behind_all_ ? seldom_.offset() : 0));
  }

  x86::Assembler& a_;
  asmjit::Section& seldom_;
  const Surroundings& around_;
  Block& block_;
  const std::uint64_t* runs_;
  std::vector<Exit>& exits_;
  GuestRegisters registers_;
  std::vector<Slot> slots_;
  std::vector<std::function<void()>> behind_;  // what runs seldom, to be emitted after the rest
  std::vector<std::pair<std::uint64_t, asmjit::Label>> shared_;
  bool behind_all_ = false;  // it is being emitted
  std::vector<Resume> resumes_;
  std::uint8_t memory_ = 0;  // slice whose host address rdx holds; 0: none
  bool has_entry_ = false;
};

}  // namespace wordline::riscv::translate
