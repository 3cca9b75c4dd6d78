// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/firmware/contract/contract.h"
#include "tlm/device/engines/engine_registers.h"

namespace wordline::engines {

/// Content of the two maps in DRAM, as engines read them; the time of it is DramIf's.
class MapReader {
 public:
  static constexpr std::uint64_t kBurstBytes = 64;  // bytes of a DRAM access; LPDDR4: 16 beats of 32 bits
  static constexpr std::uint32_t kEntriesPerBurst = kBurstBytes / sizeof(std::uint32_t);

  /// `dram`: the bytes behind WL_DRAM_BASE.
  MapReader(const std::byte* dram, const EngineRegisters& registers) : dram_(dram), registers_(registers) {}

  /// Map entry of a logical page, the initial value resolved.
  [[nodiscard]] std::uint32_t entry(std::uint32_t lpn) const {
    return wl_map_resolve(word(regs::map_base, lpn), lpn, registers_[regs::map_initial]);
  }
  /// ... as it lies in DRAM.
  [[nodiscard]] std::uint32_t raw(std::uint32_t lpn) const { return word(regs::map_base, lpn); }
  /// Logical page that the inverse map names for a PPA, WL_LPN_NONE: none.
  [[nodiscard]] std::uint32_t owner(std::uint32_t ppa) const {
    return wl_owner_resolve(word(regs::owners_base, ppa), ppa,
                            registers_[regs::map_initial] != 0 ? registers_[regs::map_lpages] : 0);
  }

 private:
  struct regs {
    static constexpr std::uint32_t map_base = registers::engines::map_base, map_lpages = registers::engines::map_lpages,
                                   map_initial = registers::engines::map_initial,
                                   owners_base = registers::engines::owners_base;
  };

  [[nodiscard]] std::uint32_t word(std::uint32_t base, std::uint32_t index) const {
    std::uint32_t value;
    std::memcpy(&value, dram_ + (registers_[base] - WL_DRAM_BASE) + index * sizeof value, sizeof value);
    return value;
  }

  const std::byte* const dram_;
  const EngineRegisters& registers_;
};

}  // namespace wordline::engines
