// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "models/data/block_tuple.h"
#include "models/units/index.h"
#include "models/units/lpage_size.h"

namespace wordline::data {

/// Content of one 512-byte block in stamp mode: which LBA it belongs to and which write put it there.
/// 0 is an LBA of zeros (never written, or deallocated). Version 1 is the preconditioned fill.
/// Of an LBA the stamp has the low 32 bits: all of it on a drive of up to 2 TiB. On a larger one blocks that lie a
/// multiple of 2 TiB apart have the same stamps if the same write put them there, or the fill.
class LbaStamp {
 public:
  constexpr LbaStamp() = default;
  constexpr LbaStamp(Lba lba, std::uint32_t version) : bits_(lba.value() << 32 | version) {}
  [[nodiscard]] constexpr bool is_zero() const { return bits_ == 0; }
  [[nodiscard]] constexpr Lba lba() const { return Lba(bits_ >> 32); }
  [[nodiscard]] constexpr bool names(std::uint64_t lba) const { return bits_ >> 32 == (lba & UINT32_MAX); }
  [[nodiscard]] constexpr std::uint32_t version() const { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(LbaStamp a, LbaStamp b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(LbaStamp a, LbaStamp b) { return a.bits_ != b.bits_; }

 private:
  std::uint64_t bits_ = 0;
};

inline constexpr std::uint32_t kVersionZero = 0;
inline constexpr std::uint32_t kVersionPrecondition = 1;
inline constexpr std::uint32_t kVersionFirstWrite = 2;
/// The version of copies that were out of date before the run: no read may return one.
inline constexpr std::uint32_t kVersionStale = UINT32_MAX;

/// Content of a block that Write Uncorrectable has marked: no LBA and no version, but a reason not to read it.
inline constexpr LbaStamp kMarked{Lba(UINT32_MAX), UINT32_MAX};

/// Content of one logical page as it moves through buffers and NAND pages, in eight bytes. Either uniform (all LBAs of
/// the logical page written by one version), or a reference to what a TokenPool keeps: a mixed logical page, or the
/// bytes of one that holds metadata of the firmware.
class LpageToken {
 public:
  constexpr LpageToken() = default;
  static constexpr LpageToken uniform(Lpn lpn, std::uint32_t version) {
    return LpageToken(static_cast<std::uint64_t>(lpn.value() & kNamed) << 32 | version);
  }
  static constexpr LpageToken mixed(std::uint64_t index) { return LpageToken(kMixedBit | index); }
  static constexpr LpageToken metadata(std::uint64_t index) { return LpageToken(kMetadataBits | index); }

  [[nodiscard]] constexpr bool is_zero() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool is_mixed() const { return (bits_ & kMetadataBits) == kMixedBit; }
  [[nodiscard]] constexpr bool is_metadata() const { return (bits_ & kMetadataBits) == kMetadataBits; }
  /// Index in the TokenPool; only of a mixed token, or one of metadata.
  [[nodiscard]] constexpr std::uint64_t index() const { return bits_ & ~kMetadataBits; }
  /// Logical page, as far as its stamps name it, and version; only of a uniform token.
  [[nodiscard]] constexpr Lpn lpn() const { return Lpn(static_cast<std::uint32_t>(bits_ >> 32)); }
  [[nodiscard]] constexpr std::uint32_t version() const { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  /// Parity: bit by bit, as of the bytes. Of all but one of some tokens and their parity it is that one. Parity itself
  /// is no content of a logical page.
  friend constexpr LpageToken operator^(LpageToken a, LpageToken b) { return LpageToken(a.bits_ ^ b.bits_); }
  friend constexpr bool operator==(LpageToken a, LpageToken b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(LpageToken a, LpageToken b) { return a.bits_ != b.bits_; }

 private:
  static constexpr std::uint32_t kNamed = (1U << 31U) - 1;  // more than the stamps of its LBAs have
  static constexpr std::uint64_t kMixedBit = 1ULL << 63;
  static constexpr std::uint64_t kMetadataBits = 3ULL << 62;
  constexpr explicit LpageToken(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

/// The LBAs of a logical page: of one that is not the largest, so many from the first on.
using LpageStamps = std::array<LbaStamp, LpageSize::kMaxLbas>;
/// Those of a page of host memory.
using HostPageStamps = std::array<LbaStamp, kLbasPerHostPage>;

/// Turns the LBA stamps of a logical page into a token and back. Mixed logical pages (written in part, or misaligned)
/// live here, and the bytes of metadata, each for the one page on flash that has it.
/// Known gap: a mixed logical page is kept for the rest of the run, 8 bytes for each LBA, and as many more for tuples
/// of its own.
class TokenPool {
 public:
  explicit TokenPool(LpageSize size = {}) : size_(size) {}

  [[nodiscard]] LpageSize lpage_size() const { return size_; }
  [[nodiscard]] LpageToken intern(const LpageStamps& stamps);
  [[nodiscard]] LpageStamps expand(LpageToken token) const {
    LpageStamps stamps{};
    if (token.is_mixed()) {
      std::copy_n(mixed(token), size_.lbas(), stamps.begin());
      return stamps;
    }
    if (token.is_zero() || token.is_metadata()) return stamps;
    const std::uint64_t first = size_.first_lba(token.lpn().value());
    for (unsigned i = 0; i < size_.lbas(); ++i) stamps[i] = LbaStamp(Lba(first + i), token.version());
    return stamps;
  }
  /// Stamp of LBA `i` of the logical page.
  [[nodiscard]] LbaStamp stamp(LpageToken token, unsigned i) const;
  [[nodiscard]] std::size_t mixed_count() const { return mixed_.size() >> size_.shift(); }
  /// Some logical page had a block that is marked uncorrectable.
  [[nodiscard]] bool has_marks() const { return has_marks_; }
  /// One of the LBAs [first, first + count) of the logical page is marked.
  [[nodiscard]] bool marked(LpageToken token, unsigned first, unsigned count) const;

  /// A logical page with tuples of its own: what host and controller have put with its blocks, where TupleRule would
  /// say others (models/data/protection.h).
  [[nodiscard]] LpageToken intern(const LpageStamps& stamps, const LpageTuples& tuples);
  /// Null: it has none of its own.
  [[nodiscard]] const LpageTuples* tuples(LpageToken token) const {
    if (!token.is_mixed() || tuples_.empty()) return nullptr;
    const auto found = tuples_.find(token.index());
    return found == tuples_.end() ? nullptr : &found->second;
  }

  /// Metadata: a copy of a logical page of bytes, until it is dropped.
  [[nodiscard]] LpageToken keep(const std::byte* bytes);
  [[nodiscard]] const std::vector<std::byte>& metadata(LpageToken token) const { return metadata_.at(token.index()); }
  void drop(LpageToken token);
  [[nodiscard]] std::size_t metadata_kept() const { return metadata_.size() - dropped_.size(); }

 private:
  LpageToken keep_mixed(const LpageStamps& stamps);
  /// The stamps of a mixed logical page.
  [[nodiscard]] const LbaStamp* mixed(LpageToken token) const {
    if (token.index() >= mixed_count()) throw std::out_of_range("content that the pool does not hold");
    return &mixed_[token.index() << size_.shift()];
  }

  LpageSize size_;
  std::vector<LbaStamp> mixed_;                            // those of a logical page behind those of another
  std::unordered_map<std::uint64_t, LpageTuples> tuples_;  // of mixed ones, by index
  bool has_marks_ = false;
  std::vector<std::vector<std::byte>> metadata_;  // empty: dropped
  std::vector<std::uint64_t> dropped_;
};

}  // namespace wordline::data
