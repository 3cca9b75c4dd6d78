// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/min_sum_decoder.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace wordline::ecc {
namespace {

constexpr int kLimit = 31;
constexpr int kMessageLimit = 7;

// Sixteen lanes at a time in the compiler's vector types: plain loops over bytes are left scalar by some compilers, and
// then take eight times as long. Comparisons give all ones or zero in each lane.
using Bytes = std::int8_t __attribute__((vector_size(16)));
constexpr unsigned kWidth = sizeof(Bytes);

Bytes load_lanes(const std::int8_t* p) {
  Bytes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
void store_lanes(std::int8_t* p, Bytes v) { std::memcpy(p, &v, sizeof v); }
Bytes all(int value) { return Bytes{} + static_cast<std::int8_t>(value); }
Bytes select(Bytes mask, Bytes a, Bytes b) { return b ^ ((a ^ b) & mask); }
Bytes smaller(Bytes a, Bytes b) { return select(a < b, a, b); }
Bytes larger(Bytes a, Bytes b) { return select(a < b, b, a); }
Bytes saturate(Bytes v) { return larger(smaller(v, all(kLimit)), all(-kLimit)); }
Bytes negate_where(Bytes mask, Bytes v) { return (v ^ mask) - mask; }
Bytes message_magnitude(Bytes q) { return smaller(negate_where(q < 0, q), all(kMessageLimit)); }

/// (3 m + 1) >> 2 of 0 to 7, by counting the steps of that staircase.
Bytes scale(Bytes m) { return -((m > 0) + (m > 2) + (m > 3) + (m > 4) + (m > 6)); }

}  // namespace

MinSumDecoder::MinSumDecoder() {
  for (unsigned r = 0; r < kBlockRows; ++r) message_[r].resize(LdpcCode::instance().row(r).size);
}

void MinSumDecoder::load(const CodeBits& bits, const CodeBits& rel0, const CodeBits& rel1, const LlrTable& llr) {
  for (const std::uint8_t magnitude : llr) {
    if (magnitude > kMessageLimit) {
      throw std::invalid_argument(
          fmt::format("min-sum decoder: a channel magnitude of {}; the table holds 0 to 7", magnitude));
    }
  }
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) {
      std::uint64_t hard = bits[c].word[i];
      std::uint64_t low = rel0[c].word[i];
      std::uint64_t high = rel1[c].word[i];
      std::int8_t* value = &value_[c][i * 64];
      for (unsigned b = 0; b < 64; ++b, hard >>= 1, low >>= 1, high >>= 1) {
        const int magnitude = llr[(low & 1) | (high & 1) << 1];
        const int sign = -static_cast<int>(hard & 1);
        value[b] = static_cast<std::int8_t>((magnitude ^ sign) - sign);
      }
    }
  }
  for (unsigned j = kLifting - kShortenedBits; j < kLifting; ++j) value_[kShortenedColumn][j] = kLimit;
  for (auto& row : message_) {
    for (Row& message : row) message.fill(0);
  }
}

bool MinSumDecoder::layer(unsigned r) {
  const auto& circulants = LdpcCode::instance().row(r);
  for (unsigned k = 0; k < circulants.size; ++k) {
    const auto [column, shift] = circulants.list[k];
    std::memcpy(turned_[k].data(), value_[column].data() + shift, kLifting - shift);
    std::memcpy(turned_[k].data() + kLifting - shift, value_[column].data(), shift);
  }
  Bytes disturbed = all(0);
  for (unsigned j = 0; j < kLifting; j += kWidth) {
    Bytes min1 = all(kMessageLimit);
    Bytes min2 = all(kMessageLimit);
    Bytes sign = all(0);  // in the sign bits, as the next two
    Bytes parity = all(0);
    Bytes changed = all(0);
    std::array<Bytes, kBlockColumns> intermediate;
    for (unsigned k = 0; k < circulants.size; ++k) {
      const Bytes value = load_lanes(&turned_[k][j]);
      const Bytes q = saturate(value - load_lanes(&message_[r][k][j]));
      intermediate[k] = q;
      sign ^= q;
      parity ^= value;
      const Bytes m = message_magnitude(q);
      min2 = smaller(min2, larger(min1, m));
      min1 = smaller(min1, m);
    }
    const Bytes scaled1 = scale(min1);
    const Bytes scaled2 = scale(min2);
    for (unsigned k = 0; k < circulants.size; ++k) {
      const Bytes q = intermediate[k];
      const Bytes magnitude = select(message_magnitude(q) == min1, scaled2, scaled1);
      const Bytes message = negate_where((sign ^ q) < 0, magnitude);
      store_lanes(&message_[r][k][j], message);
      const Bytes value = saturate(q + message);
      changed |= value ^ load_lanes(&turned_[k][j]);
      store_lanes(&turned_[k][j], value);
    }
    disturbed |= parity | changed;
  }
  for (unsigned k = 0; k < circulants.size; ++k) {
    const auto [column, shift] = circulants.list[k];
    std::memcpy(value_[column].data() + shift, turned_[k].data(), kLifting - shift);
    std::memcpy(value_[column].data(), turned_[k].data() + kLifting - shift, shift);
  }
  for (unsigned i = 0; i < kWidth; ++i) {
    if (disturbed[i] < 0) return false;
  }
  return true;
}

MinSumResult MinSumDecoder::decode(CodeBits& bits, const CodeBits& rel0, const CodeBits& rel1, const LlrTable& llr,
                                   unsigned max_layers) {
  load(bits, rel0, rel1, llr);
  MinSumResult result{false, 0, 1};
  for (unsigned quiet = 0; quiet < kBlockRows && result.layers < max_layers; ++result.layers) {
    const unsigned r = result.layers % kBlockRows;
    quiet = layer(r) ? quiet + 1 : 0;
    result.cycles += 2 * LdpcCode::instance().row(r).size;
    result.ok = quiet == kBlockRows;
  }
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) {
      std::uint64_t word = 0;
      for (unsigned b = 0; b < 64; ++b)
        word |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(value_[c][i * 64 + b]) >> 7) << b;
      bits[c].word[i] = word;
    }
  }
  return result;
}

}  // namespace wordline::ecc
