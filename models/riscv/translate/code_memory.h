// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wordline::riscv::translate {

/// Host memory for translated code: one piece, so that every jump is a near one. Its pages are the host's only once
/// they are used. Counters and the table of indirect jumps lie in pages of their own before the code, because a host
/// that sees a store near code that runs throws its pipeline away. What runs seldom lies apart, so that what runs often
/// is dense.
class CodeMemory {
 public:
  /// Where the block at `pc` has its translation; kNone: nowhere.
  struct Target {
    std::uint32_t pc;
    std::uint32_t unused;
    const std::byte* code;
  };
  static constexpr std::uint32_t kNone = 1;  // no instruction lies at an odd address
  static constexpr std::size_t kTargets = 4096;

  CodeMemory() = default;
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  /// Asks the host for the memory; false: it gives none that is writable and executable.
  [[nodiscard]] bool reserve();
  /// What has been placed before stays for good; forget() goes back to here.
  void keep() { kept_ = often_; }
  void forget();

  /// Where the next code goes that runs often, and that which runs seldom.
  [[nodiscard]] std::byte* next() const { return base_ + often_; }
  [[nodiscard]] std::byte* next_seldom() const { return base_ + seldom_; }
  /// The room of either kind.
  [[nodiscard]] std::size_t room() const { return std::min(kSeldomAt - often_, kBytes - seldom_); }
  [[nodiscard]] std::size_t used() const { return often_ - kCodeAt + (seldom_ - kSeldomAt); }
  void take(std::size_t often, std::size_t seldom) {
    often_ += (often + 15) & ~std::size_t{15};
    seldom_ += (seldom + 7) & ~std::size_t{7};
  }

  /// A counter at zero; null: there are no more.
  [[nodiscard]] std::uint64_t* counter();
  [[nodiscard]] Target* targets() const { return reinterpret_cast<Target*>(base_); }
  void set_target(std::uint32_t pc, const std::byte* code) { targets()[(pc >> 1) % kTargets] = {pc, 0, code}; }

  [[nodiscard]] std::byte* at(std::uint32_t offset) const { return base_ + offset; }
  [[nodiscard]] std::uint32_t offset(const std::byte* code) const { return static_cast<std::uint32_t>(code - base_); }

 private:
  static constexpr std::size_t kBytes = std::size_t{32} << 20;
  static constexpr std::size_t kCounters = std::size_t{1} << 17;
  static constexpr std::size_t kCountersAt = kTargets * sizeof(Target);
  static constexpr std::size_t kCodeAt = kCountersAt + kCounters * sizeof(std::uint64_t);

  static constexpr std::size_t kSeldomAt = kBytes / 2;

  std::byte* base_ = nullptr;
  std::size_t often_ = kCodeAt, seldom_ = kSeldomAt;
  std::size_t kept_ = kCodeAt;  // bytes of code that runs often
  std::size_t counters_ = 0;
};

}  // namespace wordline::riscv::translate
