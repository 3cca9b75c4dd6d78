// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/address_space.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/units/hex.h"

namespace wordline::riscv {

void AddressSpace::add(const MemoryRegion& region) {
  const auto refuse = [&region](const std::string& what) {
    throw std::invalid_argument(
        fmt::format("memory region at {} of {} bytes {}", hex_address(region.base), hex_address(region.size), what));
  };
  if (region.size == 0 || region.host == nullptr) refuse("is empty: give it memory");
  if ((region.base | region.size) % 4 != 0) refuse("must be a multiple of 4 bytes");
  const std::uint64_t end = std::uint64_t{region.base} + region.size;
  if (end > std::uint64_t{1} << 32) refuse("ends above the 32-bit address space");
  for (const Region& other : regions_) {
    const std::uint64_t other_end = std::uint64_t{other.memory.base} + other.memory.size;
    if (region.base < other_end && other.memory.base < end) {
      refuse(fmt::format("overlaps the one at {}", hex_address(other.memory.base)));
    }
  }
  Region added{region, {nullptr, &std::free}};
  if (region.executable) {
    // calloc: memory that never holds code costs no page of the host.
    added.code_lines.reset(static_cast<std::uint8_t*>(std::calloc((std::size_t{region.size} >> kLineShift) + 2, 1)));
    if (added.code_lines == nullptr) throw std::bad_alloc();
  }
  regions_.push_back(std::move(added));
  gap_size_ = 0;
  fill_slices();
}

void AddressSpace::note_gap(std::uint32_t address) const {
  std::uint32_t first = 0, last = 0xffffffff;
  for (const Region& region : regions_) {
    const MemoryRegion& memory = region.memory;
    if (memory.base > address) {
      last = std::min(last, memory.base - 1);
    } else {
      first = std::max(first, memory.base + memory.size);
    }
  }
  gap_base_ = first;
  gap_size_ = std::max(last - first, std::uint32_t{1});  // without its last byte, so that a size can say it
}

void AddressSpace::fill_slices() {
  slices_ = {};
  slice_count_ = 1;
  for (const Region& region : regions_) {
    if (slice_count_ == slices_.size()) return;  // find() reaches the others
    const MemoryRegion& memory = region.memory;
    Slice& slice = slices_[slice_count_++];
    slice.base = memory.base;
    slice.host = memory.host;
    slice.load_cycles = memory.load_cycles;
    slice.store_cycles = memory.store_cycles;
    slice.code_lines = region.code_lines.get();
    for (unsigned log2 = 0; log2 < 3; ++log2) {
      slice.load_limit[log2] = memory.size - (1u << log2) + 1;
      slice.store_limit[log2] = memory.writable ? slice.load_limit[log2] : 0;
    }
  }
}

std::byte* AddressSpace::host_pointer(std::uint32_t address, std::uint32_t bytes) const {
  const Region* region = find(address, bytes);
  return region == nullptr ? nullptr : region->memory.host + (address - region->memory.base);
}

}  // namespace wordline::riscv
