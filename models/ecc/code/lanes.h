// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// 256 bits as four words of 64, and the turns of a circulant: what decoders and encoder calculate with. Exact; it
/// holds no number of the code.
#pragma once

#include <array>
#include <cstdint>

namespace wordline::ecc {

/// The 256 bits of one block column (or the 256 checks of one block row): lane i is bit i % 64 of word i / 64. Plane
/// arithmetic on four 64-bit words is what makes the decoders fast; the RTL counts the same way.
struct Lanes {
  std::array<std::uint64_t, 4> word{};

  Lanes& operator^=(const Lanes& b) {
    for (unsigned i = 0; i < 4; ++i) word[i] ^= b.word[i];
    return *this;
  }
  [[nodiscard]] bool any() const { return (word[0] | word[1] | word[2] | word[3]) != 0; }
  [[nodiscard]] bool test(unsigned lane) const { return (word[lane / 64] >> (lane % 64) & 1) != 0; }
  void flip(unsigned lane) { word[lane / 64] ^= std::uint64_t{1} << (lane % 64); }
};

inline Lanes operator&(Lanes a, const Lanes& b) {
  for (unsigned i = 0; i < 4; ++i) a.word[i] &= b.word[i];
  return a;
}
inline Lanes operator|(Lanes a, const Lanes& b) {
  for (unsigned i = 0; i < 4; ++i) a.word[i] |= b.word[i];
  return a;
}
inline Lanes operator^(Lanes a, const Lanes& b) { return a ^= b; }
inline Lanes operator~(Lanes a) {
  for (unsigned i = 0; i < 4; ++i) a.word[i] = ~a.word[i];
  return a;
}
inline bool operator==(const Lanes& a, const Lanes& b) { return a.word == b.word; }
inline bool operator!=(const Lanes& a, const Lanes& b) { return a.word != b.word; }

/// result[j] = x[(j + shift) mod 256]: what block column x contributes to the checks of a circulant with this shift.
inline Lanes rotate(const Lanes& x, unsigned shift) {
  const unsigned chunk = shift / 64;
  const unsigned bit = shift % 64;
  Lanes r;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t low = x.word[(i + chunk) & 3];
    const std::uint64_t high = x.word[(i + chunk + 1) & 3];
    r.word[i] = (low >> bit) | ((high << 1) << (63 - bit));
  }
  return r;
}

/// The way back: result[(j + shift) mod 256] = x[j].
inline Lanes rotate_back(const Lanes& x, unsigned shift) { return rotate(x, (256 - shift) & 255); }

}  // namespace wordline::ecc
