// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/riscv/elf_loader.h"
#include "models/riscv/hart.h"

namespace wordline::riscv {

/// Cycles and instructions of one hart by call stack and tag, and by context and tag (ObservationCsrs). Give it to
/// Hart::set_profile() before the hart runs.
///
/// The stack is a shadow of what jumps do: a jump that writes ra or t0 is a call, a jump through one of them a return
/// (the hints of the Unprivileged ISA, table 2.1), a trap is a call and mret its return. A return goes to the frame
/// that waits at its target, so frames that a longjmp leaves are gone too; a jump without a frame (tail call) puts the
/// new function in the place of the old one.
///
/// Accuracy: exact, what the hart counts: over all stacks the cycles of a tag are those of Hart::tag_costs(), the
/// instructions are Hart::instructions(). Idle cycles are in neither. A basic block belongs whole to the function it
/// begins in (code that runs into the next function without a jump), and the compiler's inlining is not undone. Stacks
/// deeper than kMaxDepth count for their first kMaxDepth frames.
class CycleProfile {
 public:
  static constexpr std::size_t kMaxDepth = 128;
  struct Entry {
    std::uint32_t function;  // index of name()
    std::uint32_t tag;
    std::uint64_t cycles, instructions;
  };
  struct Stack {
    std::vector<std::uint32_t> functions;  // the outermost first; the last one ran
    std::uint32_t tag;
    std::uint64_t cycles, instructions;
  };

  struct Share {
    std::uint32_t context, tag;
    std::uint64_t cycles, instructions;
  };

  /// `image` outlives the profile.
  explicit CycleProfile(const ElfFile& image);

  // The hart's part.
  /// The stretch since the last call ran at `pc` with `tag`, on behalf of `context`.
  void charge(std::uint32_t pc, std::uint32_t tag, std::uint32_t context, std::uint64_t cycles,
              std::uint64_t instructions) {
    if (pc - low_ >= size_) find(pc);
    for (Counts* counts : {&counts_[std::size_t{current_} * kTags + tag], &contexts_[context * kTags + tag]}) {
      counts->cycles += cycles;
      counts->instructions += instructions;
    }
  }
  /// Code at `pc` has called; it will go on at `return_address`.
  void call(std::uint32_t pc, std::uint32_t return_address);
  /// A return to `target`.
  void leave(std::uint32_t target);

  /// By function and tag, the costliest first.
  [[nodiscard]] std::vector<Entry> entries() const;
  /// By call stack and tag, in the order in which the stacks came up.
  [[nodiscard]] std::vector<Stack> stacks() const;
  /// By context and tag, in their order.
  [[nodiscard]] std::vector<Share> contexts() const;
  /// The name of a function of entries(); "[no symbol]" for code that no function symbol covers.
  [[nodiscard]] const std::string& name(std::uint32_t function) const { return names_[function]; }

 private:
  struct Counts {
    std::uint64_t cycles = 0, instructions = 0;
  };
  struct Node {  // a function called from a node
    std::uint32_t parent, function;
  };
  struct Frame {
    std::uint32_t caller;  // node above the function that waits
    std::uint32_t return_address;
  };
  void find(std::uint32_t pc);
  [[nodiscard]] std::uint32_t child(std::uint32_t parent, std::uint32_t function);

  const ElfFile& image_;
  std::vector<std::string> names_;                             // as image_.functions(), then the one for the rest
  std::vector<Node> nodes_;                                    // 0: outside of everything
  std::vector<Counts> counts_;                                 // node * kTags + tag
  std::vector<Counts> contexts_;                               // context * kTags + tag
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // parent << 32 | function
  std::vector<Frame> frames_;
  std::uint32_t caller_ = 0;                        // node that the running function was called from
  std::uint32_t low_ = 0, size_ = 0, current_ = 0;  // the running function's addresses and node
};

}  // namespace wordline::riscv
