// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

/// Slots whose content is bytes of the firmware in DRAM (contract/flash_ring.h), as registers of FLASH say.
///
/// Accuracy: an entry of the table takes no time, as that of the slot table; the bytes pass the DRAM port as the
/// content of any other slot.
class MetadataSlots {
 public:
  /// `dram`: the memory from WL_DRAM_BASE on, which outlives this object; null: there is none.
  void use(std::byte* dram) { dram_ = dram; }
  /// The register at this offset in FLASH; null: none of these.
  [[nodiscard]] std::uint32_t* find(std::uint32_t offset) {
    if (offset == registers::flash::metadata_table) return &table_;
    if (offset == registers::flash::metadata_first) return &first_;
    return offset == registers::flash::metadata_count ? &count_ : nullptr;
  }
  [[nodiscard]] const std::uint32_t* find(std::uint32_t offset) const {
    return const_cast<MetadataSlots*>(this)->find(offset);
  }
  /// Where the bytes of the slot are; null: it has none of this kind. `bits`: of its address (WL_METADATA_BITS), 0:
  /// those of WL_LPN_TABLE.
  [[nodiscard]] std::byte* at(tlm_if::SharedMemoryIf& memory, std::uint32_t slot, std::uint32_t bits = 0) const {
    if (slot - first_ >= count_ || dram_ == nullptr) return nullptr;
    const auto* const entry =
        reinterpret_cast<const std::uint32_t*>(memory.at(table_ + (slot - first_) * 4, sizeof(std::uint32_t)));
    if (entry == nullptr || (*entry & WL_METADATA_BITS) != bits) return nullptr;
    const std::uint32_t address = *entry - bits;
    if (address < WL_DRAM_BASE || address - WL_DRAM_BASE > kLast) return nullptr;
    return dram_ + (address - WL_DRAM_BASE);
  }

 private:
  static constexpr std::uint32_t kLast = WL_DRAM_SIZE - kHostPageBytes;  // where a logical page may begin

  std::byte* dram_ = nullptr;
  std::uint32_t table_ = 0, first_ = 0, count_ = 0;
};

}  // namespace wordline::flash
