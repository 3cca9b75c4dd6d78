// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/protection.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wordline::data {
namespace {

constexpr std::uint16_t kPolynomial = 0x8bb7;
constexpr std::size_t kStampBytes = 8;

struct Tables {
  std::array<std::uint16_t, 256> byte{};  // CRC of a byte
  // The CRC is linear: that of a block is the sum of those of blocks with one byte of the stamp, and a CRC before a
  // block goes on byte by byte.
  std::array<std::array<std::uint16_t, 256>, kStampBytes> stamp{};
  std::array<std::array<std::uint16_t, 256>, 2> on{};  // low and high byte of the CRC before 512 zeros

  Tables() {
    for (unsigned value = 0; value < 256; ++value) {
      auto crc = static_cast<std::uint16_t>(value << 8);
      for (unsigned bit = 0; bit < 8; ++bit) {
        crc = static_cast<std::uint16_t>(crc << 1 ^ ((crc & 0x8000U) != 0 ? kPolynomial : 0U));
      }
      byte[value] = crc;
    }
    for (unsigned value = 0; value < 256; ++value) {
      for (std::size_t i = 0; i < kStampBytes; ++i) {
        std::array<std::byte, kLbaBytes> block{};
        for (std::size_t at = i; at < block.size(); at += kStampBytes) block[at] = static_cast<std::byte>(value);
        stamp[i][value] = over(block.data(), block.size(), 0);
      }
      const std::array<std::byte, kLbaBytes> zeros{};
      on[0][value] = over(zeros.data(), zeros.size(), static_cast<std::uint16_t>(value));
      on[1][value] = over(zeros.data(), zeros.size(), static_cast<std::uint16_t>(value << 8));
    }
  }
  [[nodiscard]] std::uint16_t over(const std::byte* bytes, std::size_t count, std::uint16_t crc) const {
    for (std::size_t i = 0; i < count; ++i) {
      crc = static_cast<std::uint16_t>(crc << 8 ^ byte[(crc >> 8U) ^ std::to_integer<unsigned>(bytes[i])]);
    }
    return crc;
  }
};

const Tables& tables() {
  static const Tables all;
  return all;
}

bool is_data(const LbaStamp& stamp) { return !stamp.is_zero() && stamp != kMarked; }

}  // namespace

std::uint16_t crc16_t10dif(const std::byte* bytes, std::size_t count, std::uint16_t crc) {
  return tables().over(bytes, count, crc);
}

void expand(LbaStamp stamp, std::byte* bytes) {
  const std::uint64_t bits = stamp.bits();
  for (std::size_t at = 0; at < kLbaBytes; at += kStampBytes) std::memcpy(bytes + at, &bits, sizeof bits);
}

bool contract(const std::byte* bytes, LbaStamp& stamp) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  for (std::size_t at = kStampBytes; at < kLbaBytes; at += kStampBytes) {
    if (std::memcmp(bytes, bytes + at, kStampBytes) != 0) return false;
  }
  stamp = LbaStamp(Lba(bits >> 32), static_cast<std::uint32_t>(bits));
  return true;
}

std::uint16_t guard_of(const LbaStamp* stamps, std::uint32_t count) {
  const Tables& t = tables();
  std::uint16_t crc = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    crc = static_cast<std::uint16_t>(t.on[0][crc & 0xffU] ^ t.on[1][crc >> 8U]);
    std::uint64_t bits = stamps[i].bits();
    for (std::size_t at = 0; at < kStampBytes; ++at, bits >>= 8) crc ^= t.stamp[at][bits & 0xffU];
  }
  return crc;
}

ProtectionFault check_tuple(const ProtectionTags& tags, std::uint32_t i, const BlockTuple& tuple, std::uint16_t guard) {
  if (tags.type == ProtectionType::kNone || tags.checks == 0) return ProtectionFault::kNone;
  const bool escapes = tuple.application == kNoTuple.application &&
                       (tags.type != ProtectionType::kType3 || tuple.reference == kNoTuple.reference);
  if (escapes) return ProtectionFault::kNone;
  if ((tags.checks & ProtectionTags::kGuard) != 0 && tuple.guard != guard) return ProtectionFault::kGuard;
  if ((tags.checks & ProtectionTags::kApplication) != 0 && ((tuple.application ^ tags.application) & tags.mask) != 0) {
    return ProtectionFault::kApplication;
  }
  if ((tags.checks & ProtectionTags::kReference) != 0 && tuple.reference != tags.reference_of(i)) {
    return ProtectionFault::kReference;
  }
  return ProtectionFault::kNone;
}

std::uint32_t TupleRule::reference(std::uint64_t lba) const {
  if (!counts_) return 0;
  const auto behind = std::upper_bound(firsts_.begin(), firsts_.end(), lba);
  const std::uint64_t first = behind == firsts_.begin() ? 0 : *(behind - 1);
  return static_cast<std::uint32_t>((lba - first) >> shift_);
}

BlockTuple TupleRule::of(const LbaStamp* block) const {
  const std::uint32_t count = 1U << shift_;
  const LbaStamp* const found = std::find_if(block, block + count, is_data);
  if (found == block + count) return kNoTuple;
  const auto offset = static_cast<std::uint64_t>(found - block);
  return {guard_of(block, count), kApplication, reference(found->lba().value() - offset)};
}

LpageTuples TupleRule::of_lpage(const LpageStamps& stamps) const {
  LpageTuples tuples{};
  for (std::uint32_t i = 0; i < stamps.size(); i += 1U << shift_) tuples[i] = of(&stamps[i]);
  return tuples;
}

LpageTuples tuples_of(const TokenPool& pool, LpageToken token, const LpageStamps& stamps, const TupleRule& rule) {
  const LpageTuples* const own = pool.tuples(token);
  return own != nullptr ? *own : rule.of_lpage(stamps);
}

LpageToken intern(TokenPool& pool, const LpageStamps& stamps, const LpageTuples& tuples, const TupleRule& rule) {
  const LpageTuples ruled = rule.of_lpage(stamps);
  const bool by_rule = std::equal(tuples.begin(), tuples.begin() + pool.lpage_size().lbas(), ruled.begin());
  return by_rule ? pool.intern(stamps) : pool.intern(stamps, tuples);
}

}  // namespace wordline::data
