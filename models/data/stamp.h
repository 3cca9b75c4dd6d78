// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/units/index.h"
#include "models/units/sector_size.h"

namespace wordline::data {

/// Content of one 512-byte block in stamp mode: which LBA it belongs to and which write put it there.
/// 0 is a block of zeros (never written, or deallocated). Version 1 is the preconditioned fill.
class BlockStamp {
 public:
  constexpr BlockStamp() = default;
  constexpr BlockStamp(Lba lba, std::uint32_t version) : bits_(lba.value() << 32 | version) {}
  [[nodiscard]] constexpr bool is_zero() const { return bits_ == 0; }
  [[nodiscard]] constexpr Lba lba() const { return Lba(bits_ >> 32); }
  [[nodiscard]] constexpr std::uint32_t version() const { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(BlockStamp a, BlockStamp b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(BlockStamp a, BlockStamp b) { return a.bits_ != b.bits_; }

 private:
  std::uint64_t bits_ = 0;
};

inline constexpr std::uint32_t kVersionZero = 0;
inline constexpr std::uint32_t kVersionPrecondition = 1;
inline constexpr std::uint32_t kVersionFirstWrite = 2;
/// Of copies that were out of date before the run: no read may return one.
inline constexpr std::uint32_t kVersionStale = UINT32_MAX;

/// Content of one sector as it moves through buffers and NAND pages, in eight bytes. Either uniform (all LBAs of
/// the sector written by one version) or a reference to a mixed sector kept in a TokenPool.
class SectorToken {
 public:
  constexpr SectorToken() = default;
  static constexpr SectorToken uniform(Lpn lpn, std::uint32_t version) {
    return SectorToken(static_cast<std::uint64_t>(lpn.value()) << 32 | version);
  }
  static constexpr SectorToken mixed(std::uint64_t index) { return SectorToken(kMixedBit | index); }

  [[nodiscard]] constexpr bool is_zero() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool is_mixed() const { return (bits_ & kMixedBit) != 0; }
  /// Index in the TokenPool; only of a mixed token.
  [[nodiscard]] constexpr std::uint64_t index() const { return bits_ & ~kMixedBit; }
  /// Sector and version; only of a uniform token.
  [[nodiscard]] constexpr Lpn lpn() const { return Lpn(static_cast<std::uint32_t>(bits_ >> 32)); }
  [[nodiscard]] constexpr std::uint32_t version() const { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(SectorToken a, SectorToken b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(SectorToken a, SectorToken b) { return a.bits_ != b.bits_; }

 private:
  static constexpr std::uint64_t kMixedBit = 1ULL << 63;
  constexpr explicit SectorToken(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

/// The blocks of a sector; of a short one the first four.
using SectorBlocks = std::array<BlockStamp, SectorSize::kMaxLbas>;

/// Turns the block stamps of a sector into a token and back. Mixed sectors (written in part, or misaligned) live here.
/// Known gap: a mixed sector is kept for the rest of the run, 64 bytes each.
class TokenPool {
 public:
  explicit TokenPool(SectorSize size = {}) : size_(size) {}

  [[nodiscard]] SectorToken intern(const SectorBlocks& blocks);
  [[nodiscard]] SectorBlocks expand(SectorToken token) const;
  /// Stamp of block `i` of the sector.
  [[nodiscard]] BlockStamp block(SectorToken token, unsigned i) const;
  [[nodiscard]] std::size_t mixed_count() const { return mixed_.size(); }

 private:
  SectorSize size_;
  std::vector<SectorBlocks> mixed_;
};

}  // namespace wordline::data
