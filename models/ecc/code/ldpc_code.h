// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The quasi-cyclic LDPC code: 8x73 circulants of Z = 256, every column of weight 4 but one parity column of weight 3,
/// rank 2048, girth 6.
///
/// Bit order. The code has n = 18688 bits; bit i is lane i % 256 of block column i / 256, bit i % 64 of beat i / 64 of
/// the 64-bit stream (292 beats, so a block column is four beats, lowest lanes first). Of the 16640 information bits
/// (columns 0 to 64) the last 96, bits 16544 to 16639, are shortened: always zero, known to the decoder, never stored,
/// but sent as zeros in the stream (upper half of beat 258, all of beat 259). Bits 16640 to 18687 are parity.
/// In a page a codeword is 2324 bytes: bytes 0 to 2067 hold bits 0 to 16543, eight to a byte, lowest bit first (2048
/// user bytes, 16 of metadata, 4 of CRC-32C, little endian); bytes 2068 to 2323 hold the parity bits the same way.
/// Exact. Not a decoder (models/ecc/decoders), and not the CRC or the scrambler, which come before it.
#pragma once

#include <array>
#include <cstdint>

#include "models/ecc/code/codeword.h"
#include "models/ecc/code/lanes.h"
#include "models/ecc/code/ldpc_base.h"

namespace wordline::ecc {

inline constexpr unsigned kInformationColumns = kBlockColumns - kBlockRows;
/// Blocks of the base matrix that are not zero.
inline constexpr unsigned kCirculants = [] {
  unsigned count = 0;
  for (const auto& row : kShift) {
    for (const std::int16_t shift : row) count += shift >= 0 ? 1U : 0U;
  }
  return count;
}();
inline constexpr unsigned kCodeBits = kBlockColumns * kLifting;
inline constexpr unsigned kParityBits = kBlockRows * kLifting;
inline constexpr unsigned kParityBytes = kParityBits / 8;
inline constexpr unsigned kInformationBytes = kCodewordBytes - kParityBytes;
inline constexpr unsigned kInformationBits = kInformationBytes * 8;
inline constexpr unsigned kShortenedBits = kCodeBits - kCodewordBits;
inline constexpr unsigned kShortenedColumn = kInformationColumns - 1;  // its last kShortenedBits lanes
inline constexpr unsigned kStreamBeats = kCodeBits / 64;

static_assert(kStreamBeats == kStreamCycles, "a block column is four beats");
static_assert(kInformationBits + kShortenedBits == kInformationColumns * kLifting);
static_assert(kShortenedBits == 96);

using CodeBits = std::array<Lanes, kBlockColumns>;
using Syndrome = std::array<Lanes, kBlockRows>;

/// Lanes of kShortenedColumn that are shortened: 160 to 255.
inline constexpr Lanes kShortenedLanes{{{0, 0, 0xffff'ffff'0000'0000ULL, ~0ULL}}};

/// One circulant as seen from its row or from its column.
struct Circulant {
  std::uint8_t block;  // the other index: block column in a row's list, block row in a column's
  std::uint8_t shift;
};

template <unsigned kMost>
struct CirculantList {
  std::array<Circulant, kMost> list{};
  unsigned size = 0;
  [[nodiscard]] const Circulant* begin() const { return list.data(); }
  [[nodiscard]] const Circulant* end() const { return list.data() + size; }
};

/// The base matrix by rows (rising columns: the order in which min-sum takes them) and by columns (rising rows).
class LdpcCode {
 public:
  [[nodiscard]] static const LdpcCode& instance();

  [[nodiscard]] const CirculantList<kBlockColumns>& row(unsigned r) const { return rows_[r]; }
  [[nodiscard]] const CirculantList<kBlockRows>& column(unsigned c) const { return columns_[c]; }

  [[nodiscard]] Syndrome syndrome(const CodeBits& bits) const;
  [[nodiscard]] bool is_codeword(const CodeBits& bits) const;

  /// Fills the parity columns from the information columns. s = H_information u by sparse rotations, then
  /// p = inverse(H_parity) s with 8x8 dense circulants: 16 kbit of constants in hardware.
  /// Throws std::invalid_argument when a shortened bit is set.
  void encode(CodeBits& bits) const;

  /// Polynomial of the circulant in row r, column c of inverse(H_parity): lane k set means a rotation by k.
  [[nodiscard]] const Lanes& inverse(unsigned r, unsigned c) const { return inverse_[r][c]; }

 private:
  LdpcCode();
  void invert_parity_part();

  std::array<CirculantList<kBlockColumns>, kBlockRows> rows_;
  std::array<CirculantList<kBlockRows>, kBlockColumns> columns_;
  std::array<std::array<Lanes, kBlockRows>, kBlockRows> inverse_;
};

/// 2324 bytes of a page to the code's bits (shortened bits zero), and back.
[[nodiscard]] CodeBits unpack(const std::uint8_t* codeword);
void pack(const CodeBits& bits, std::uint8_t* codeword);

}  // namespace wordline::ecc
