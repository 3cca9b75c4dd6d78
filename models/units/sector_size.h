// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/index.h"
#include "models/units/quantity.h"

namespace wordline {

/// A sector is what the drive maps, buffers, and protects by ECC as one: 4 KiB in two codewords, or 2 KiB in one on a
/// drive whose NAND page is no longer.
class SectorSize {
 public:
  static constexpr std::uint32_t kCodewordUserBytes = 2048;
  static constexpr std::uint32_t kMaxCodewords = 2;
  static constexpr std::uint32_t kMaxLbas = kMaxCodewords * kCodewordUserBytes / kLbaBytes;

  constexpr SectorSize() = default;  // 4 KiB
  /// Of a drive with NAND pages of `page` bytes, whole codewords.
  static constexpr SectorSize of_page(Bytes page) {
    return SectorSize(page.count() == kCodewordUserBytes ? 1 : kMaxCodewords);
  }

  [[nodiscard]] constexpr std::uint32_t codewords() const { return codewords_; }
  [[nodiscard]] constexpr std::uint32_t bytes() const { return codewords_ * kCodewordUserBytes; }
  /// LBAs of a sector are 1 << shift().
  [[nodiscard]] constexpr std::uint32_t shift() const { return codewords_ + 1; }
  [[nodiscard]] constexpr std::uint32_t lbas() const { return 1U << shift(); }
  [[nodiscard]] constexpr std::uint64_t sector_of(std::uint64_t lba) const { return lba >> shift(); }
  [[nodiscard]] constexpr std::uint64_t first_lba(std::uint64_t sector) const { return sector << shift(); }
  /// Place of an LBA in its sector.
  [[nodiscard]] constexpr std::uint32_t block_of(std::uint64_t lba) const {
    return static_cast<std::uint32_t>(lba) & (lbas() - 1U);
  }

  friend constexpr bool operator==(SectorSize a, SectorSize b) { return a.codewords_ == b.codewords_; }

 private:
  constexpr explicit SectorSize(std::uint32_t codewords) : codewords_(codewords) {}
  std::uint32_t codewords_ = kMaxCodewords;
};
static_assert(SectorSize().lbas() * kLbaBytes == SectorSize().bytes() && SectorSize().lbas() == SectorSize::kMaxLbas);

}  // namespace wordline
