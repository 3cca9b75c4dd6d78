// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/units/index.h"

namespace wordline::flash {

/// The table of spare blocks (contract/spare_blocks.h) as the channel controllers use it: behind each virtual block of
/// a job it finds the physical block that the address cycles name.
///
/// Accuracy: takes no time. A controller keeps the entries of its dies beside its address generator and compares with
/// those of a plane at once, while the command cycle is on the bus; the firmware's changes are rare.
class SpareTable {
 public:
  SpareTable(const config::Config& config, const config::Layout& layout)
      : planes_(config.nand.geometry.planes), spares_(config.ftl.spare_blocks), superblocks_(layout.superblocks) {}

  /// `dram`: the memory from WL_DRAM_BASE on, which outlives this object; null: there is none.
  void use(const std::byte* dram) { dram_ = dram; }
  /// FLASH.SPARE_TABLE.
  [[nodiscard]] std::uint32_t address() const { return address_; }
  void set_address(std::uint32_t address) { address_ = address; }

  /// `die`: of the drive.
  [[nodiscard]] BlockId physical(std::uint32_t die, std::uint32_t plane, BlockId block) const {
    if (address_ < WL_DRAM_BASE || spares_ == 0 || dram_ == nullptr) return block;
    const auto* const table = reinterpret_cast<const std::uint16_t*>(dram_ + (address_ - WL_DRAM_BASE));
    const std::size_t of_plane = (std::size_t{die} * planes_ + plane) * spares_;
    return BlockId(wl_physical_block(table + of_plane, spares_, superblocks_, block.value()));
  }

 private:
  const std::uint32_t planes_, spares_, superblocks_;
  const std::byte* dram_ = nullptr;
  std::uint32_t address_ = 0;
};

}  // namespace wordline::flash
