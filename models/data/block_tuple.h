// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/units/lpage_size.h"

namespace wordline::data {

/// Metadata of one logical block, eight bytes: with protection information its fields (NVM Command Set 5.2.1, 16b
/// guard). Without, they are the host's, and the fields only name them.
struct BlockTuple {
  static constexpr std::size_t kBytes = 8;

  std::uint16_t guard = 0;
  std::uint16_t application = 0;
  std::uint32_t reference = 0;

  /// In memory the fields are big endian.
  [[nodiscard]] static BlockTuple from_bytes(const std::byte* bytes) {
    const auto at = [bytes](unsigned i) { return std::to_integer<std::uint32_t>(bytes[i]); };
    return {static_cast<std::uint16_t>(at(0) << 8 | at(1)), static_cast<std::uint16_t>(at(2) << 8 | at(3)),
            at(4) << 24 | at(5) << 16 | at(6) << 8 | at(7)};
  }
  void to_bytes(std::byte* bytes) const {
    const std::uint64_t all = std::uint64_t{guard} << 48 | std::uint64_t{application} << 32 | reference;
    for (unsigned i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::byte>(all >> (56 - 8 * i));
  }
  friend bool operator==(const BlockTuple& a, const BlockTuple& b) {
    return a.guard == b.guard && a.application == b.application && a.reference == b.reference;
  }
  friend bool operator!=(const BlockTuple& a, const BlockTuple& b) { return !(a == b); }
};

/// What protects the blocks (DPS): none, the tuples are the host's.
enum class ProtectionType : std::uint8_t { kNone, kType1, kType2, kType3 };

/// Those of a logical page, each at the place of its block's first LBA: of each LBA of blocks of 512 bytes, of each
/// eighth of blocks of 4 KiB.
using LpageTuples = std::array<BlockTuple, LpageSize::kMaxLbas>;

/// Of a block that is deallocated or was never written (DLFEAT: guard FFFFh): no type checks it.
inline constexpr BlockTuple kNoTuple{0xffff, 0xffff, 0xffffffff};

}  // namespace wordline::data
