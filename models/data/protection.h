// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/data/block_tuple.h"
#include "models/data/stamp.h"

/// Protection information (NVM Command Set 1.0, 5.2) of blocks that are stamps.
namespace wordline::data {

/// CRC-16 of T10 DIF: polynomial 8BB7h, begins with 0, nothing reflected or inverted.
[[nodiscard]] std::uint16_t crc16_t10dif(const std::byte* bytes, std::size_t count, std::uint16_t crc = 0);

/// The bytes for which the stamp of 512 of them stands: its own eight, little endian, 64 times. A block of zeros is
/// zeros.
void expand(LbaStamp stamp, std::byte* bytes);
/// The stamp for which 512 bytes stand. False: they stand for none.
[[nodiscard]] bool contract(const std::byte* bytes, LbaStamp& stamp);
/// The guard of a logical block of `count` stamps: crc16_t10dif() of what they stand for.
[[nodiscard]] std::uint16_t guard_of(const LbaStamp* stamps, std::uint32_t count);

/// What a command says of the protection information of its blocks.
struct ProtectionTags {
  static constexpr std::uint8_t kReference = 1, kApplication = 2, kGuard = 4;  // PRCHK

  ProtectionType type = ProtectionType::kNone;
  std::uint8_t checks = 0;
  std::uint16_t application = 0, mask = 0;
  std::uint32_t reference = 0;  // of the first block

  /// Of block `i`: types 1 and 2 count on.
  [[nodiscard]] std::uint32_t reference_of(std::uint32_t i) const {
    return type == ProtectionType::kType3 ? reference : reference + i;
  }
};

/// Which of a block's fields is not what it should be; the first in this order counts.
enum class ProtectionFault : std::uint8_t { kNone, kGuard, kApplication, kReference };
/// Block `i` of a command (NVM Command Set 5.2.2.5): `guard` is that of its data.
[[nodiscard]] ProtectionFault check_tuple(const ProtectionTags& tags, std::uint32_t i, const BlockTuple& tuple,
                                          std::uint16_t guard);

/// The tuples that blocks have of which nobody has said another: those that the host of a run writes. Content of flash
/// and buffers that has them needs no memory for them.
class TupleRule {
 public:
  static constexpr std::uint16_t kApplication = 0x1234;  // as fio's apptag

  TupleRule() = default;
  /// A logical block is 512 bytes << `shift`; `firsts`: where the namespaces begin, in 512 bytes, in order.
  TupleRule(unsigned shift, std::vector<std::uint64_t> firsts, ProtectionType type)
      : shift_(shift), counts_(type != ProtectionType::kType3), firsts_(std::move(firsts)) {}

  [[nodiscard]] unsigned shift() const { return shift_; }
  /// Reference tag: the logical block in its namespace that begins at LBA `lba` of the drive, of type 3 0.
  [[nodiscard]] std::uint32_t reference(std::uint64_t lba) const;
  /// Of the logical block with these stamps; kNoTuple of one without data.
  [[nodiscard]] BlockTuple of(const LbaStamp* block) const;
  [[nodiscard]] LpageTuples of_lpage(const LpageStamps& stamps) const;

 private:
  unsigned shift_ = 0;
  bool counts_ = true;
  std::vector<std::uint64_t> firsts_;
};

/// Tuples of the logical page: by the rule, unless others were put with it.
[[nodiscard]] LpageTuples tuples_of(const TokenPool& pool, LpageToken token, const LpageStamps& stamps,
                                    const TupleRule& rule);
/// The token of a logical page with these tuples.
[[nodiscard]] LpageToken intern(TokenPool& pool, const LpageStamps& stamps, const LpageTuples& tuples,
                                const TupleRule& rule);

}  // namespace wordline::data
