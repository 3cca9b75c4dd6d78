// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/codeword_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/ecc/code/crc32c.h"
#include "models/ecc/code/scrambler.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeData = 0x64617461;
constexpr std::uint64_t kPurposeCell = 0x63656c6c;
constexpr unsigned kCrcOffset = kInformationBytes - 4;
constexpr unsigned kUserBytes = 2048;
constexpr unsigned kBlockBytes = 512;
constexpr unsigned kBlocks = kUserBytes / kBlockBytes;

void store_word(std::uint8_t* bytes, std::uint64_t word) {
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

/// Hands out the stored bits of a codeword in an order keyed by `key`, each once.
class CellOrder {
 public:
  explicit CellOrder(std::uint64_t key) : key_(key) {}

  /// Bit of the code.
  unsigned next() {
    for (;;) {
      const std::uint64_t hash = keyed_hash(key_, kPurposeCell, draws_++);
      const auto stored = static_cast<unsigned>((hash >> 32) * kCodewordBits >> 32);
      const unsigned bit = stored < kInformationBits ? stored : stored + kShortenedBits;
      Lanes& taken = taken_[bit / kLifting];
      if (taken.test(bit % kLifting)) continue;
      taken.flip(bit % kLifting);
      return bit;
    }
  }

 private:
  std::uint64_t key_;
  std::uint64_t draws_ = 0;
  CodeBits taken_{};
};

void flip(CodeBits& bits, unsigned bit) { bits[bit / kLifting].flip(bit % kLifting); }

}  // namespace

CodewordBytes payload_of(const data::LpageStamps& blocks, std::uint64_t address, unsigned codeword) {
  if (codeword >= kMostCodewords) throw std::invalid_argument("codeword: a logical page has no such one");
  CodewordBytes bytes{};
  for (unsigned b = 0; b < kBlocks; ++b) {
    const data::LbaStamp stamp = blocks[codeword * kBlocks + b];
    if (stamp.is_zero()) continue;
    std::uint8_t* block = &bytes[b * kBlockBytes];
    store_word(block, stamp.bits());
    for (unsigned i = 1; i < kBlockBytes / 8; ++i) store_word(block + 8 * i, keyed_hash(stamp.bits(), kPurposeData, i));
  }
  store_word(&bytes[kUserBytes], address);
  bytes[kUserBytes + 8] = static_cast<std::uint8_t>(codeword);
  return bytes;
}

void encode_codeword(CodewordBytes& codeword, std::uint64_t codeword_address) {
  const std::uint32_t crc = payload_crc(codeword.data(), codeword_address);
  for (unsigned i = 0; i < 4; ++i) codeword[kCrcOffset + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  scramble(codeword.data(), kInformationBytes, codeword_address);
  CodeBits bits = unpack(codeword.data());
  LdpcCode::instance().encode(bits);
  pack(bits, codeword.data());
}

bool open_codeword(CodewordBytes& codeword, std::uint64_t codeword_address) {
  scramble(codeword.data(), kInformationBytes, codeword_address);
  return crc_holds(codeword.data(), codeword_address);
}

CodeBits make_codeword(const data::LpageStamps& blocks, std::uint64_t address, unsigned codeword) {
  CodewordBytes bytes = payload_of(blocks, address, codeword);
  encode_codeword(bytes, codeword_address(address, codeword));
  return unpack(bytes.data());
}

ReadBits read_codeword(const CodeBits& written, unsigned errors, std::uint64_t key) {
  SoftCounts counts;
  counts.wrong[0] = errors;
  counts.right[0] = errors > kCodewordBits ? 0 : kCodewordBits - errors;
  return read_codeword(written, soft_level(1), counts, key);
}

ReadBits read_codeword(const CodeBits& written, const SoftLevel& level, const SoftCounts& counts, std::uint64_t key) {
  std::uint64_t bits = 0;
  for (unsigned r = 0; r < kMaxRegions; ++r) {
    bits += std::uint64_t{counts.wrong[r]} + counts.right[r];
    if (r >= level.regions && counts.wrong[r] + counts.right[r] != 0) {
      throw std::invalid_argument(
          fmt::format("read of a codeword: {} reads have {} regions", level.reads, level.regions));
    }
  }
  if (bits != kCodewordBits) {
    throw std::invalid_argument(
        fmt::format("read of a codeword: the regions hold {} bits, not {}", bits, kCodewordBits));
  }
  ReadBits read{written, {}, {}};
  CellOrder cells(key);
  const unsigned last = level.regions - 1;
  // Everything starts in the outermost region, so only the wrong and the weak bits have to be visited.
  for (Lanes& column : read.rel0) {
    if ((last & 1) != 0) column = ~column;
  }
  for (Lanes& column : read.rel1) {
    if ((last & 2) != 0) column = ~column;
  }
  const auto visit = [&](unsigned region, bool wrong) {
    const unsigned bit = cells.next();
    if (wrong) flip(read.hard, bit);
    if (((region ^ last) & 1) != 0) flip(read.rel0, bit);
    if (((region ^ last) & 2) != 0) flip(read.rel1, bit);
  };
  for (unsigned r = level.regions; r-- > 0;) {
    for (unsigned i = 0; i < counts.wrong[r]; ++i) visit(r, true);
  }
  for (unsigned r = 0; r < last; ++r) {
    for (unsigned i = 0; i < counts.right[r]; ++i) visit(r, false);
  }
  return read;
}

}  // namespace wordline::ecc
