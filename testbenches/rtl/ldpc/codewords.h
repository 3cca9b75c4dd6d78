// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "models/ecc/decoders/min_sum_decoder.h"
#include "models/units/keyed_random.h"

namespace wordline::testing {

/// Codewords of a comparison; more of them by WORDLINE_RTL_CODEWORDS.
inline unsigned sample(unsigned ordinary) {
  const char* wish = std::getenv("WORDLINE_RTL_CODEWORDS");
  return wish == nullptr ? ordinary : static_cast<unsigned>(std::stoul(wish));
}

/// A codeword of keyed-random information.
inline ecc::CodeBits random_codeword(std::uint64_t seed, std::uint64_t index) {
  ecc::CodeBits bits{};
  for (unsigned beat = 0; beat < ecc::kInformationColumns * 4; ++beat) {
    bits[beat / 4].word[beat % 4] = keyed_hash(seed, 1, index, beat);
  }
  bits[ecc::kShortenedColumn] = bits[ecc::kShortenedColumn] & ~ecc::kShortenedLanes;
  ecc::LdpcCode::instance().encode(bits);
  return bits;
}

/// An exact number of errors among the bits that are stored.
inline void add_errors(ecc::CodeBits& bits, unsigned errors, std::uint64_t seed, std::uint64_t index) {
  ecc::CodeBits hit{};
  unsigned found = 0;
  for (std::uint64_t draw = 0; found < errors; ++draw) {
    unsigned bit = static_cast<unsigned>(keyed_hash(seed, 2, index, draw) % ecc::kCodewordBits);
    if (bit >= ecc::kInformationBits) bit += ecc::kShortenedBits;
    if (hit[bit / 256].test(bit % 256)) continue;
    hit[bit / 256].flip(bit % 256);
    bits[bit / 256].flip(bit % 256);
    ++found;
  }
}

/// Bits as read: the hard plane and two planes of reliability.
struct Received {
  ecc::CodeBits bits{};
  ecc::CodeBits rel0{};
  ecc::CodeBits rel1{};
};

/// Two Gaussians (bit 0 at +1, bit 1 at -1) sensed by equally spaced reads around 0. Symbol 0 is the weakest.
class SoftChannel {
 public:
  /// 1, 2, 3, 5 or 7 reads. `rate`: hard errors of a read in the middle. Two reads leave bits between them undecided.
  SoftChannel(unsigned reads, double rate, double spacing = 0.24) {
    double sigma = 0.1;
    for (const double step : {0.1, 0.01, 0.001}) {
      while (below(0.0, sigma + step) < rate) sigma += step;
    }
    // Thresholds rise; the region above n of them.
    std::vector<double> edge;
    for (unsigned i = 0; i < reads; ++i) edge.push_back((i - (reads - 1) / 2.0) * spacing);
    unsigned next = 0;
    for (unsigned draw = 0; draw < outcome_.size(); ++draw) {
      while (next < reads && below(edge[next], sigma) <= (draw + 0.5) / static_cast<double>(outcome_.size())) ++next;
      outcome_[draw] = symbol(next, reads);
    }
  }

  [[nodiscard]] Received read(const ecc::CodeBits& sent, std::uint64_t seed, std::uint64_t index) const {
    Received out;
    for (unsigned bit = 0; bit < ecc::kCodeBits; bit += 4) {
      std::uint64_t draws = keyed_hash(seed, 6, index, bit);
      for (unsigned i = bit; i < bit + 4; ++i, draws >>= 16) {
        const bool one = sent[i / 256].test(i % 256);
        const bool shortened = i / 256 == ecc::kShortenedColumn && ecc::kShortenedLanes.test(i % 256);
        const std::uint8_t s = shortened ? 0 : outcome_[draws & 0xffff];
        if (((s & 1) != 0) != one) out.bits[i / 256].flip(i % 256);
        if ((s & 2) != 0) out.rel0[i / 256].flip(i % 256);
        if ((s & 4) != 0) out.rel1[i / 256].flip(i % 256);
      }
    }
    return out;
  }

 private:
  static double below(double edge, double sigma) { return 0.5 * std::erfc((1.0 - edge) / sigma / std::sqrt(2.0)); }

  /// {rel1, rel0, wrong} of a region, counted from the lowest: of two reads {weak, strong}, else by distance.
  static std::uint8_t symbol(unsigned region, unsigned reads) {
    const unsigned middle = reads / 2;  // the last wrong region, or of two reads the undecided one
    if (reads == 2) return static_cast<std::uint8_t>((region == 0 ? 1 : 0) | (region == middle ? 0 : 2));
    const bool wrong = region <= middle;
    return static_cast<std::uint8_t>((wrong ? 1 : 0) | (wrong ? middle - region : region - middle - 1) << 1);
  }

  std::array<std::uint8_t, 65'536> outcome_{};
};

}  // namespace wordline::testing
