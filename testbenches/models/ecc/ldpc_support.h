// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/ecc/code/ldpc_code.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc::testing {

/// A random word of the code.
inline CodeBits random_codeword(std::uint64_t seed) {
  CodeBits bits{};
  for (unsigned c = 0; c < kInformationColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) bits[c].word[i] = keyed_hash(seed, 1, c, i);
  }
  bits[kShortenedColumn] = bits[kShortenedColumn] & ~kShortenedLanes;
  LdpcCode::instance().encode(bits);
  return bits;
}

/// The same with exactly `errors` bits of the stored ones wrong.
inline CodeBits with_errors(const CodeBits& word, unsigned errors, std::uint64_t seed) {
  CodeBits bits = word;
  unsigned placed = 0;
  for (std::uint64_t i = 0; placed < errors; ++i) {
    auto bit = static_cast<unsigned>(keyed_hash(seed, 2, errors, i) % kCodewordBits);
    if (bit >= kInformationBits) bit += kShortenedBits;
    if (bits[bit / 256].test(bit % 256) != word[bit / 256].test(bit % 256)) continue;
    bits[bit / 256].flip(bit % 256);
    ++placed;
  }
  return bits;
}

}  // namespace wordline::ecc::testing
