// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace wordline::riscv::translate {

/// Host memory for translated code: one piece, so that every jump is a near one. Its pages are the host's only once
/// they are used. Counters and the table of indirect jumps lie in pages of their own before the code, because a host
/// that sees a store near code that runs throws its pipeline away.
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
  void keep() { kept_ = used_; }
  void forget();

  /// Where the next code goes.
  [[nodiscard]] std::byte* next() const { return base_ + used_; }
  [[nodiscard]] std::size_t room() const { return kBytes - used_; }
  [[nodiscard]] std::size_t used() const { return used_; }
  void take(std::size_t bytes) { used_ += (bytes + 15) & ~std::size_t{15}; }

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

  std::byte* base_ = nullptr;
  std::size_t used_ = kCodeAt, kept_ = kCodeAt, counters_ = 0;
};

}  // namespace wordline::riscv::translate
