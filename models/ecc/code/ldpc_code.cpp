// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/code/ldpc_code.h"

#include <stdexcept>
#include <utility>

namespace wordline::ecc {
namespace {

/// Sum of rotations of x, one for every lane set in the polynomial.
Lanes apply(const Lanes& polynomial, const Lanes& x) {
  Lanes sum;
  for (unsigned i = 0; i < 4; ++i) {
    for (std::uint64_t bits = polynomial.word[i]; bits != 0; bits &= bits - 1) {
      sum ^= rotate(x, i * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
    }
  }
  return sum;
}

/// Product of two polynomials: shifts add.
Lanes multiply(const Lanes& a, const Lanes& b) {
  Lanes product;
  for (unsigned k = 0; k < kLifting; ++k) {
    if (a.test(k)) product ^= rotate_back(b, k);
  }
  return product;
}

bool is_unit(const Lanes& a) {
  unsigned weight = 0;
  for (const std::uint64_t w : a.word) weight += static_cast<unsigned>(__builtin_popcountll(w));
  return weight % 2 == 1;
}

/// a^255: in GF(2)[x]/(x^256 - 1), a^256 = a(x^256) = a(1), which is 1 for every unit.
Lanes reciprocal(const Lanes& a) {
  Lanes result;
  result.word[0] = 1;
  Lanes power = a;
  for (unsigned i = 0; i < 8; ++i) {
    result = multiply(result, power);
    power = multiply(power, power);
  }
  return result;
}

}  // namespace

const LdpcCode& LdpcCode::instance() {
  static const LdpcCode code;
  return code;
}

LdpcCode::LdpcCode() {
  for (unsigned r = 0; r < kBlockRows; ++r) {
    for (unsigned c = 0; c < kBlockColumns; ++c) {
      if (kShift[r][c] < 0) continue;
      const auto shift = static_cast<std::uint8_t>(kShift[r][c]);
      rows_[r].list[rows_[r].size++] = {static_cast<std::uint8_t>(c), shift};
      columns_[c].list[columns_[c].size++] = {static_cast<std::uint8_t>(r), shift};
    }
  }
  invert_parity_part();
}

void LdpcCode::invert_parity_part() {
  // Gauss-Jordan over the ring of circulants. The ring is local (Z is a power of two): an element is a unit exactly
  // when its weight is odd, so a full-rank matrix has a unit in every pivot column.
  std::array<std::array<Lanes, kBlockRows>, kBlockRows> m{};
  for (unsigned r = 0; r < kBlockRows; ++r) {
    for (unsigned c = 0; c < kBlockRows; ++c) {
      const int shift = kShift[r][kInformationColumns + c];
      if (shift >= 0) m[r][c].flip(static_cast<unsigned>(shift));
    }
    inverse_[r][r].word[0] = 1;
  }
  for (unsigned c = 0; c < kBlockRows; ++c) {
    unsigned pivot = c;
    while (pivot < kBlockRows && !is_unit(m[pivot][c])) ++pivot;
    if (pivot == kBlockRows) {
      throw std::logic_error("LDPC base matrix: its parity part (columns 65 to 72) has no inverse");
    }
    std::swap(m[pivot], m[c]);
    std::swap(inverse_[pivot], inverse_[c]);
    const Lanes scale = reciprocal(m[c][c]);
    for (unsigned k = 0; k < kBlockRows; ++k) {
      m[c][k] = multiply(scale, m[c][k]);
      inverse_[c][k] = multiply(scale, inverse_[c][k]);
    }
    for (unsigned r = 0; r < kBlockRows; ++r) {
      if (r == c || !m[r][c].any()) continue;
      const Lanes factor = m[r][c];
      for (unsigned k = 0; k < kBlockRows; ++k) {
        m[r][k] ^= multiply(factor, m[c][k]);
        inverse_[r][k] ^= multiply(factor, inverse_[c][k]);
      }
    }
  }
}

Syndrome LdpcCode::syndrome(const CodeBits& bits) const {
  Syndrome s{};
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    for (const Circulant& k : columns_[c]) s[k.block] ^= rotate(bits[c], k.shift);
  }
  return s;
}

bool LdpcCode::is_codeword(const CodeBits& bits) const {
  if ((bits[kShortenedColumn] & kShortenedLanes).any()) return false;
  for (const Lanes& row : syndrome(bits)) {
    if (row.any()) return false;
  }
  return true;
}

void LdpcCode::encode(CodeBits& bits) const {
  if ((bits[kShortenedColumn] & kShortenedLanes).any()) {
    throw std::invalid_argument("LDPC encoder: a shortened bit (16544 to 16639) is set; information is 2068 bytes");
  }
  for (unsigned c = kInformationColumns; c < kBlockColumns; ++c) bits[c] = Lanes{};
  const Syndrome s = syndrome(bits);
  for (unsigned p = 0; p < kBlockRows; ++p) {
    Lanes parity;
    for (unsigned r = 0; r < kBlockRows; ++r) parity ^= apply(inverse_[p][r], s[r]);
    bits[kInformationColumns + p] = parity;
  }
}

CodeBits unpack(const std::uint8_t* codeword) {
  CodeBits bits{};
  for (unsigned i = 0; i < kCodewordBytes; ++i) {
    const unsigned bit = i < kInformationBytes ? i * 8 : i * 8 + kShortenedBits;
    bits[bit / 256].word[bit % 256 / 64] |= static_cast<std::uint64_t>(codeword[i]) << (bit % 64);
  }
  return bits;
}

void pack(const CodeBits& bits, std::uint8_t* codeword) {
  for (unsigned i = 0; i < kCodewordBytes; ++i) {
    const unsigned bit = i < kInformationBytes ? i * 8 : i * 8 + kShortenedBits;
    codeword[i] = static_cast<std::uint8_t>(bits[bit / 256].word[bit % 256 / 64] >> (bit % 64));
  }
}

}  // namespace wordline::ecc
