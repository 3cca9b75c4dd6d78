// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Tier 1: column-serial bit flipping, one block column a clock. This text is the specification of the RTL.
///
/// State: the 73 columns of bits x, the bits y as they came in, and the 8 rows of the syndrome, which is built while
/// the word streams in. When the syndrome is zero at the end of the stream: success, nothing more is done.
/// Iteration i = 0 to 19 takes columns c = 0 to 72, one a clock, each with the syndrome that the clock before left:
///   e = (unsatisfied checks of the bit: 0 to 4, 0 to 3 in the column of weight 3) + (x differs from y: 0 or 1);
///   every bit of the column with e >= T flips, except the 96 shortened ones (lanes 160 to 255 of column 64), and the
///   syndrome follows in the same clock. When that leaves the syndrome zero: success, later columns are not taken.
/// After iteration 19 without success: failure; the bits are as they then are, so tier 2 needs its own copy of y.
/// T is 4 in iteration 0. Later it is 2 when the iteration before ran with T = 3 and flipped nothing (a stall: the
/// decoder sits in a trapping set, and flipping undecided bits moves it out), else 3.
/// Cycles: one for every column taken, and one for the verdict: 1 without error, 1461 at failure.
///
/// The bonus for bits that differ from what was read lets wrong flips be undone with less evidence: with it and the
/// stall rule 3 % instead of two thirds of the words with 80 errors fail.
/// Exact in bits and clocks (rtl/ldpc/ldpc_bit_flip_decoder.sv). One word at a time: loading and unloading, which
/// overlap in the RTL, are not here.
#pragma once

#include <cstdint>

#include "models/ecc/code/ldpc_code.h"

namespace wordline::ecc {

struct BitFlippingResult {
  bool ok;                   // every check holds
  std::uint32_t iterations;  // begun, 0 to 20; 0 when the word came in without error
  std::uint32_t cycles;      // cycles from the last beat in to the verdict
};

class BitFlippingDecoder {
 public:
  static constexpr unsigned kMaxIterations = 20;

  /// Decodes a codeword in place.
  static BitFlippingResult decode(CodeBits& bits);
};

}  // namespace wordline::ecc
