// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/index.h"
#include "models/units/quantity.h"

namespace wordline {

/// A logical page is what the drive maps, buffers, and protects by ECC as one: 4 KiB in two codewords, or 2 KiB in one
/// on a drive whose NAND page is no longer.
class LpageSize {
 public:
  static constexpr std::uint32_t kCodewordUserBytes = 2048;
  static constexpr std::uint32_t kMaxCodewords = 2;
  static constexpr std::uint32_t kMaxLbas = kMaxCodewords * kCodewordUserBytes / kLbaBytes;

  constexpr LpageSize() = default;  // 4 KiB
  /// The size on a drive with NAND pages of `page` bytes, whole codewords.
  static constexpr LpageSize of_page(Bytes page) {
    return LpageSize(page.count() == kCodewordUserBytes ? 1 : kMaxCodewords);
  }

  [[nodiscard]] constexpr std::uint32_t codewords() const { return codewords_; }
  [[nodiscard]] constexpr std::uint32_t bytes() const { return codewords_ * kCodewordUserBytes; }
  /// LBAs of a logical page are 1 << shift().
  [[nodiscard]] constexpr std::uint32_t shift() const { return codewords_ + 1; }
  [[nodiscard]] constexpr std::uint32_t lbas() const { return 1U << shift(); }
  [[nodiscard]] constexpr std::uint64_t lpage_of(std::uint64_t lba) const { return lba >> shift(); }
  [[nodiscard]] constexpr std::uint64_t first_lba(std::uint64_t lpage) const { return lpage << shift(); }
  /// Place of an LBA in its logical page.
  [[nodiscard]] constexpr std::uint32_t lba_offset(std::uint64_t lba) const {
    return static_cast<std::uint32_t>(lba) & (lbas() - 1U);
  }

  friend constexpr bool operator==(LpageSize a, LpageSize b) { return a.codewords_ == b.codewords_; }

 private:
  constexpr explicit LpageSize(std::uint32_t codewords) : codewords_(codewords) {}
  std::uint32_t codewords_ = kMaxCodewords;
};
static_assert(LpageSize().lbas() * kLbaBytes == LpageSize().bytes() && LpageSize().lbas() == LpageSize::kMaxLbas);

}  // namespace wordline
