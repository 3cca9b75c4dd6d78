// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a program says of itself by the observation CSRs, and what is counted by it: cycles by tag, and the feed of a
// CycleProfile. Nothing here changes time or results.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/riscv/hart_state.h"

namespace wordline::riscv {

class CycleProfile;

/// Custom CSRs by which a program says what it is doing, for profiles and waveforms. The hart's user chooses their
/// numbers, of those that the Privileged Architecture leaves to custom machine-mode CSRs (0x7c0 to 0x7ff, 0xbc0 to
/// 0xbff).
struct ObservationCsrs {
  static constexpr std::uint32_t kAbsent = 0xffffffff;  // no instruction holds such a number: an illegal instruction
  std::uint32_t tag = kAbsent;      // what runs: cycles are counted by the value that was written last; below kTags
  std::uint32_t context = kAbsent;  // context on whose behalf: profiles count by both; below kContexts
  std::uint32_t mark = kAbsent;     // a point in time: the value goes to Probe::mark(), the CSR reads zero
  std::uint32_t first_context = 0;  // value of `context` after reset; `tag` is 0
};

/// Throws std::invalid_argument for numbers that are not custom, or not different.
void check(const ObservationCsrs& csrs);

/// Cycles and entries by tag (ObservationCsrs); idle cycles are not in it.
struct TagCosts {
  std::array<std::uint64_t, kTags> cycles{};
  std::array<std::uint64_t, kTags> entries{};
};

/// Cycles of one hart by tag. `cycles`: the hart's, exact at the call.
class TagCount {
 public:
  explicit TagCount(Observations& observed) : observed_(observed) {}
  void reset(std::uint32_t context) {
    observed_ = {};
    observed_.context = context;
    idle_ = 0;
  }
  /// False: no such tag or context.
  [[nodiscard]] bool set_tag(std::uint32_t tag, std::uint64_t cycles) {
    if (tag >= kTags) return false;
    observed_.cycles[observed_.tag] += cycles;
    observed_.cycles[tag] -= cycles;
    ++observed_.entries[tag];
    observed_.tag = tag;
    return true;
  }
  [[nodiscard]] bool set_context(std::uint32_t context) {
    if (context >= kContexts) return false;
    observed_.context = context;
    return true;
  }
  /// Time passes, no tag pays.
  void idle(std::uint64_t cycles) {
    observed_.cycles[observed_.tag] -= cycles;
    idle_ += cycles;
  }
  [[nodiscard]] std::uint32_t tag() const { return observed_.tag; }
  [[nodiscard]] std::uint32_t context() const { return observed_.context; }
  [[nodiscard]] std::uint64_t idle_cycles() const { return idle_; }
  [[nodiscard]] TagCosts costs(std::uint64_t cycles) const {
    TagCosts now;
    std::copy_n(observed_.cycles, kTags, now.cycles.begin());
    std::copy_n(observed_.entries, kTags, now.entries.begin());
    now.cycles[observed_.tag] += cycles;
    return now;
  }

 private:
  Observations& observed_;
  std::uint64_t idle_ = 0;
};

/// Feeds a CycleProfile from one hart: stretches of code between jumps. Only set(), on(), reset() and begin() may be
/// called without one.
class ProfileFeed {
 public:
  void set(CycleProfile* profile) { profile_ = profile; }
  [[nodiscard]] bool on() const { return profile_ != nullptr; }
  void reset(std::uint32_t pc) {
    pc_ = pc;
    busy_ = instructions_ = 0;
  }
  /// Code from `pc` on comes next.
  void begin(std::uint32_t pc) { pc_ = pc; }
  /// What ran since the last call; with exact counters: where a block begins, and where the tag changes within one.
  void charge(const TagCount& tags, std::uint64_t cycles, std::uint64_t instructions);
  /// What a jump is by the hints of the Unprivileged ISA, table 2.1: one that writes ra or t0 calls, one through the
  /// other of them returns.
  struct Jump {
    bool calls, returns;
  };
  [[nodiscard]] static constexpr Jump jump_of(unsigned rd, unsigned rs1, bool through_register) {
    return {is_link(rd), through_register && is_link(rs1) && rs1 != rd};
  }
  /// A jump to `target`, a trap (a call) or MRET (a return). `return_address`: of a call.
  void follow(const Jump& jump, std::uint32_t return_address, std::uint32_t target);

 private:
  [[nodiscard]] static constexpr bool is_link(unsigned reg) { return reg == 1 || reg == 5; }

  CycleProfile* profile_ = nullptr;
  std::uint32_t pc_ = 0;
  std::uint64_t busy_ = 0, instructions_ = 0;  // charged so far; cycles without idle ones
};

}  // namespace wordline::riscv
