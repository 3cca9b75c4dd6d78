// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/ecc/calibrated_decoder.h"

namespace wordline::ecc {

/// What both bit-true decoders do with random codewords that have errors in random places. Means are over successes,
/// 0 when there was none.
struct Measurement {
  std::uint64_t bit_flipping_words = 0;
  std::uint64_t bit_flipping_failures = 0;
  double bit_flipping_cycles = 0;
  std::uint64_t min_sum_words = 0;
  std::uint64_t min_sum_failures = 0;
  double min_sum_cycles = 0;
  std::uint64_t miscorrections = 0;  // of either tier: success with a word that was not written
};

/// Bit flipping is ten times as fast and its failures spread wider, so it gets ten times the words.
inline constexpr unsigned kBitFlippingShare = 10;

/// Exactly `errors` wrong bits in each codeword.
[[nodiscard]] Measurement measure_count(unsigned errors, unsigned words, std::uint64_t seed);

/// Every bit wrong with probability `rate`. Independent of the counts, so it checks the table made of them.
[[nodiscard]] Measurement measure_rate(double rate, unsigned words, std::uint64_t seed);

struct CalibrationRow {
  unsigned bit_errors;
  Measurement measured;
};

/// Measures 0, 1, 5, 10, 15, ... errors until no word is repaired any more; `progress` hears of every row.
[[nodiscard]] std::vector<CalibrationRow> calibrate(unsigned words, std::uint64_t seed,
                                                    const std::function<void(const CalibrationRow&)>& progress);

/// The decoder's table. Where noise makes a failure rate fall with more errors, neighbours are pooled (isotonic
/// regression, the maximum-likelihood rates that never fall). Nothing is extrapolated: no failure seen is 0.
[[nodiscard]] Table table_of(const std::vector<CalibrationRow>& rows);

/// The table as parse_table reads it, with the counts behind every row as comments.
void write_table(std::ostream& out, const std::vector<CalibrationRow>& rows, const std::string& provenance);

}  // namespace wordline::ecc
