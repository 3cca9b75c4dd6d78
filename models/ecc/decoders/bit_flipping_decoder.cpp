// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/bit_flipping_decoder.h"

namespace wordline::ecc {
namespace {

bool is_zero(const Syndrome& syndrome) {
  Lanes any;
  for (const Lanes& row : syndrome) any = any | row;
  return !any.any();
}

/// Lanes in which at least `threshold` (2, 3 or 4) of five bits are set: two full adders and a half adder.
Lanes at_least(unsigned threshold, const std::array<Lanes, 5>& in) {
  const Lanes half = in[0] ^ in[1];
  const Lanes sum = half ^ in[2];
  const Lanes carry1 = (in[0] & in[1]) | (half & in[2]);
  const Lanes half2 = sum ^ in[3];
  const Lanes bit0 = half2 ^ in[4];
  const Lanes carry2 = (sum & in[3]) | (half2 & in[4]);
  const Lanes bit1 = carry1 ^ carry2;
  const Lanes bit2 = carry1 & carry2;
  if (threshold == 4) return bit2;
  if (threshold == 3) return bit2 | (bit1 & bit0);
  return bit2 | bit1;
}

}  // namespace

BitFlippingResult BitFlippingDecoder::decode(CodeBits& bits) {
  const LdpcCode& code = LdpcCode::instance();
  Syndrome syndrome = code.syndrome(bits);
  BitFlippingResult result{is_zero(syndrome), 0, 1};
  if (result.ok) return result;
  const CodeBits received = bits;
  unsigned threshold = 4;
  while (result.iterations < kMaxIterations) {
    ++result.iterations;
    bool flipped = false;
    for (unsigned c = 0; c < kBlockColumns; ++c) {
      ++result.cycles;
      const auto& column = code.column(c);
      std::array<Lanes, 5> votes{};
      for (unsigned k = 0; k < column.size; ++k) {
        votes[k] = rotate_back(syndrome[column.list[k].block], column.list[k].shift);
      }
      votes[4] = bits[c] ^ received[c];
      Lanes flips = at_least(threshold, votes);
      if (c == kShortenedColumn) flips = flips & ~kShortenedLanes;
      if (!flips.any()) continue;
      flipped = true;
      bits[c] ^= flips;
      for (const Circulant& k : column) syndrome[k.block] ^= rotate(flips, k.shift);
      if (is_zero(syndrome)) {
        result.ok = true;
        return result;
      }
    }
    threshold = threshold == 3 && !flipped ? 2 : 3;
  }
  return result;
}

}  // namespace wordline::ecc
