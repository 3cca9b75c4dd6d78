// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/riscv/elf_loader.h"
#include "models/riscv/hart.h"

namespace wordline::riscv {

/// Cycles and instructions of one hart by function and cost tag. Give it to Hart::set_profile() before the hart runs.
///
/// Accuracy: exact, what the hart counts: over all functions the cycles of a tag are those of Hart::tag_costs(), the
/// instructions are Hart::instructions(). Idle cycles are in neither. A basic block belongs whole to the function it
/// begins in (code that runs into the next function without a jump), and the compiler's inlining is not undone. There
/// are no call stacks: the time of a function is that of its own instructions.
class CycleProfile {
 public:
  struct Entry {
    std::uint32_t function;  // of name()
    std::uint32_t tag;
    std::uint64_t cycles, instructions;
  };

  /// `image` outlives the profile.
  explicit CycleProfile(const ElfFile& image);

  /// The hart's part: the stretch since the last call ran at `pc` with `tag`.
  void charge(std::uint32_t pc, std::uint32_t tag, std::uint64_t cycles, std::uint64_t instructions) {
    if (pc - low_ >= size_) find(pc);
    Counts& counts = counts_[std::size_t{current_} * kTags + tag];
    counts.cycles += cycles;
    counts.instructions += instructions;
  }

  /// What ran, the costliest first.
  [[nodiscard]] std::vector<Entry> entries() const;
  /// Of a function of entries(); "[no symbol]" for code that no function symbol covers.
  [[nodiscard]] const std::string& name(std::uint32_t function) const { return names_[function]; }

 private:
  struct Counts {
    std::uint64_t cycles = 0, instructions = 0;
  };
  void find(std::uint32_t pc);

  const ElfFile& image_;
  std::vector<std::string> names_;  // as image_.functions(), then the one for the rest
  std::vector<Counts> counts_;      // function * kTags + tag
  std::uint32_t low_ = 0, size_ = 0, current_ = 0;
};

}  // namespace wordline::riscv
