// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/riscv/memory_region.h"

namespace wordline::riscv {

constexpr unsigned kLineShift = 6;  // stores are held against decoded code in lines of 64 bytes

/// The memory that a hart reaches by pointers. Costs of accesses and what lies on the bus are the hart's matter.
class AddressSpace {
 public:
  struct Region {
    MemoryRegion memory;
    std::unique_ptr<std::uint8_t[], void (*)(void*)> code_lines;  // null when not executable; zero pages until marked
  };
  /// A region for the fast path; limit = size - bytes + 1, 0: never.
  struct alignas(64) Slice {
    std::uint32_t base = 0;
    std::uint32_t load_limit[3] = {0, 0, 0};   // load limit by log2 of the access size
    std::uint32_t store_limit[3] = {0, 0, 0};  // 0 where the region is read-only
    std::uint32_t load_cycles = 0, store_cycles = 0;
    std::byte* host = nullptr;
    const std::uint8_t* code_lines = nullptr;  // executable: one byte per line, not 0 where code has been decoded
  };

  /// Throws std::invalid_argument for an empty, unaligned or overlapping region. Pointers to regions end here.
  void add(const MemoryRegion& region);
  /// The region that holds all of it, or null.
  [[nodiscard]] const Region* find(std::uint32_t address, std::uint32_t bytes) const {
    if (in_gap(address)) return nullptr;
    for (const Region& region : regions_) {
      const std::uint32_t offset = address - region.memory.base;
      if (offset < region.memory.size) return bytes <= region.memory.size - offset ? &region : nullptr;
    }
    note_gap(address);
    return nullptr;
  }
  [[nodiscard]] std::byte* host_pointer(std::uint32_t address, std::uint32_t bytes) const;

  [[nodiscard]] const Slice* slices() const { return slices_.data(); }
  /// Position in slices() of the region around `address`; 0, which holds nothing: none, or one for find().
  [[nodiscard]] std::uint8_t slice_of(std::uint32_t address) const {
    if (in_gap(address)) return 0;
    for (unsigned i = 1; i < slice_count_; ++i)
      if (address - slices_[i].base < slices_[i].load_limit[0]) return static_cast<std::uint8_t>(i);
    return 0;
  }

 private:
  void fill_slices();
  [[nodiscard]] bool in_gap(std::uint32_t address) const { return address - gap_base_ < gap_size_; }
  void note_gap(std::uint32_t address) const;

  std::array<Slice, 32> slices_{};
  unsigned slice_count_ = 1;
  std::vector<Region> regions_;
  // The gap between regions that the last lookup fell into, a cache: registers are in no region and lie close together,
  // so that the next lookup of a register falls into the same gap.
  mutable std::uint32_t gap_base_ = 0, gap_size_ = 0;
};

}  // namespace wordline::riscv
