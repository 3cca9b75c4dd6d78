// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/index.h"
#include "models/units/quantity.h"

namespace wordline {

/// A logical page is what the drive maps, buffers, and protects by ECC as one: 4 KiB in two codewords, 2 KiB in one on
/// a drive whose NAND page is no longer, or more, as a drive with a large indirection unit has it (ftl.logical_page).
class LpageSize {
 public:
  static constexpr std::uint32_t kCodewordUserBytes = 2048;
  static constexpr std::uint32_t kMaxCodewords = 8;
  static constexpr std::uint32_t kMaxLbas = kMaxCodewords * kCodewordUserBytes / kLbaBytes;

  constexpr LpageSize() = default;  // 4 KiB
  /// `bytes`: 2, 4, 8 or 16 KiB; anything else is taken as the next smaller one.
  static constexpr LpageSize of(Bytes bytes) {
    std::uint32_t shift = kLeastShift;
    while (shift < kMostShift && (std::uint64_t{kLbaBytes} << (shift + 1)) <= static_cast<std::uint64_t>(bytes.count()))
      ++shift;
    return LpageSize(shift);
  }

  [[nodiscard]] constexpr std::uint32_t codewords() const { return 1U << (shift_ - kLeastShift); }
  [[nodiscard]] constexpr std::uint32_t bytes() const { return kLbaBytes << shift_; }
  /// LBAs of a logical page are 1 << shift().
  [[nodiscard]] constexpr std::uint32_t shift() const { return shift_; }
  [[nodiscard]] constexpr std::uint32_t lbas() const { return 1U << shift(); }
  [[nodiscard]] constexpr std::uint64_t lpage_of(std::uint64_t lba) const { return lba >> shift(); }
  [[nodiscard]] constexpr std::uint64_t first_lba(std::uint64_t lpage) const { return lpage << shift(); }
  /// Place of an LBA in its logical page.
  [[nodiscard]] constexpr std::uint32_t lba_offset(std::uint64_t lba) const {
    return static_cast<std::uint32_t>(lba) & (lbas() - 1U);
  }

  /// LBAs of whole logical pages and whole pages of the host: what deallocations should begin and end at.
  [[nodiscard]] constexpr std::uint32_t whole_lbas() const {
    return lbas() < kLbasPerHostPage ? kLbasPerHostPage : lbas();
  }

  friend constexpr bool operator==(LpageSize a, LpageSize b) { return a.shift_ == b.shift_; }

 private:
  static constexpr std::uint32_t kLeastShift = 2, kMostShift = 5;  // one codeword, kMaxCodewords
  constexpr explicit LpageSize(std::uint32_t shift) : shift_(shift) {}
  std::uint32_t shift_ = 3;
};
static_assert(LpageSize().bytes() == 4096 && LpageSize().codewords() == 2);
static_assert(LpageSize::of(Bytes(16384)).lbas() == LpageSize::kMaxLbas &&
              LpageSize::of(Bytes(16384)).codewords() == LpageSize::kMaxCodewords);

}  // namespace wordline
