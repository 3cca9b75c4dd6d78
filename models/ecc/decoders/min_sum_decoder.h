// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Tier 2: layered normalised min-sum, one circulant a clock in two phases. This text is the specification of the RTL.
///
/// Values. A posteriori values L (one per bit) are 6 bits, -31 to 31; messages R from check to bit (one per circulant
/// and lane) are a sign and a magnitude of 3 bits, 0 to 5 after scaling. Positive and zero mean bit 0, negative bit 1.
/// sat(v) clips to -31..31. At the start all R are 0, and L is the channel's magnitude, negative where the hard bit is
/// 1; the 96 shortened bits have L = +31 (and are treated as any other bit from then on).
///
/// One layer is one block row r; its circulants are taken in rising columns. Check j of the row sees of circulant k
/// the bit in lane (j + shift) mod 256.
///   Phase A, one clock a circulant: Q = sat(L - R). Over the row: parity ^= (L < 0), sign ^= (Q < 0), and the two
///   smallest of min(|Q|, 7), counted with repetition (min2 = min1 when two are equal, so ties need no rule).
///   Phase B, one clock a circulant: m = min2 when min(|Q|, 7) == min1, else min1; magnitude (3 m + 1) >> 2 (0.75,
///   halves down; 0 1 1 2 3 4 4 5); R = that, negative when sign ^ (Q < 0); L = sat(Q + R).
/// A layer is quiet when all 256 parities were even and no L changed between negative and not negative in phase B.
///
/// Schedule: layers r = 0, 1, ..., 7, 0, 1, ... After a layer: when the last eight layers were all quiet, success (all
/// checks then hold for the same bits); else after layer 160 (20 iterations) or the limit given, failure. The bits out
/// are the signs of L in both cases. Cycles: 2 for every circulant of every layer (72 or 74 a layer, 582 an iteration),
/// and one for the verdict.
///
/// Halves go down because weak messages must stay weak: with (3 m + 2) >> 2 two to six times as many words fail (seven
/// reads at 1.8e-2: 7.3 % for 1.4 %).
///
/// Known gap: a success whose shortened bits came out as 1 is not a word of the shortened code; the payload's CRC
/// catches it, as any other miscorrection.
/// Exact in bits and clocks (rtl/ldpc/ldpc_min_sum_decoder.sv). One word at a time: loading and unloading, which
/// overlap in the RTL, are not here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/ecc/code/ldpc_code.h"

namespace wordline::ecc {

/// Magnitude of the channel value for each reliability symbol {rel1, rel0}, 0 to 7, weakest first. One read has one
/// symbol; two reads give {0, 7} (erasures between them), three {2, 7}, five {1, 3, 7}, seven {1, 2, 4, 7}.
using LlrTable = std::array<std::uint8_t, 4>;
inline constexpr LlrTable kHardLlr{{7, 7, 7, 7}};
inline constexpr LlrTable kTwoReadLlr{{0, 7, 7, 7}};
inline constexpr LlrTable kThreeReadLlr{{2, 7, 7, 7}};
inline constexpr LlrTable kFiveReadLlr{{1, 3, 7, 7}};
inline constexpr LlrTable kSevenReadLlr{{1, 2, 4, 7}};

struct MinSumResult {
  bool ok;               // every check holds
  std::uint32_t layers;  // processed, 8 to 160 unless limited
  std::uint32_t cycles;  // cycles from the last beat in to the verdict
};

class MinSumDecoder {
 public:
  static constexpr unsigned kMaxIterations = 20;
  static constexpr unsigned kMaxLayers = kMaxIterations * kBlockRows;

  MinSumDecoder();

  /// Decodes in place from one read.
  MinSumResult decode(CodeBits& bits) { return decode(bits, CodeBits{}, CodeBits{}, kHardLlr); }

  /// Decodes in place from hard bits and two planes of reliability: bit i's symbol is {rel1, rel0}.
  /// Throws std::invalid_argument when a magnitude exceeds 7.
  MinSumResult decode(CodeBits& bits, const CodeBits& rel0, const CodeBits& rel1, const LlrTable& llr,
                      unsigned max_layers = kMaxLayers);

 private:
  using Row = std::array<std::int8_t, kLifting>;

  void load(const CodeBits& bits, const CodeBits& rel0, const CodeBits& rel1, const LlrTable& llr);
  bool layer(unsigned r);

  std::array<Row, kBlockColumns> value_;              // L
  std::array<std::vector<Row>, kBlockRows> message_;  // R, by circulant of the row
  std::array<Row, kBlockColumns> turned_;             // L of one layer, in the order of its checks
};

}  // namespace wordline::ecc
