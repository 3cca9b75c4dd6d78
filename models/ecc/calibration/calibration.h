// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Makes the decoder's table: runs random words through the bit-true decoders, counts failures and clocks. Words of
/// independent errors; nothing is extrapolated, so a failure that was never seen has probability 0. Used by `wordline
/// calibrate ecc`, not by a drive.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "models/ecc/decoders/decoder_table.h"

namespace wordline::ecc {

/// Words that one decoder got, and the clocks of its successes.
struct TierCount {
  std::uint64_t words = 0;
  std::uint64_t failures = 0;
  std::map<std::uint32_t, std::uint64_t> clocks;

  void add(bool ok, std::uint32_t cycles) {
    ++words;
    if (ok) {
      ++clocks[cycles];
    } else {
      ++failures;
    }
  }
  /// Over successes; 0 when there was none.
  [[nodiscard]] double mean_clocks() const;
};

/// What the bit-true decoders do with random codewords that have errors in random places.
struct Measurement {
  TierCount bit_flipping;
  TierCount min_sum;                 // counts on the same words, whatever tier 1 made of them
  std::uint64_t miscorrections = 0;  // miscorrections of either tier: success with a word that was not written
  /// Normal score of tier 2's clocks summed over the words that tier 1 gave up, and what it would be at correlation 1.
  double score = 0;
  double full_score = 0;
};

/// Bit flipping is ten times as fast and its failures spread wider, so it gets ten times the words.
inline constexpr unsigned kBitFlippingShare = 10;
/// Where min-sum fails at times, it gets up to five times the words.
inline constexpr unsigned kTransitionShare = 5;

/// One read with exactly `errors` wrong bits. `words` go to min-sum, kBitFlippingShare times as many to bit flipping.
[[nodiscard]] Measurement measure_count(unsigned errors, unsigned words, std::uint64_t seed);
/// The measurement of both tiers as the drive uses them: min-sum gets the words that bit flipping gives up, and no
/// others.
[[nodiscard]] Measurement measure_flow(unsigned errors, unsigned words, std::uint64_t seed);
/// One read, every bit wrong with probability `rate`. Independent of the counts, so it checks the table made of them.
[[nodiscard]] Measurement measure_rate(double rate, unsigned words, std::uint64_t seed);
/// `reads` reads of symmetric_channel() at this error rate, with the level's spacing times `spacing`; min-sum alone.
/// `each` is called with every word: what was read, success, clocks.
using EachSoftWord = std::function<void(const SoftCounts&, bool ok, std::uint32_t clocks)>;
[[nodiscard]] Measurement measure_soft_rate(unsigned reads, double rate, double spacing, unsigned words,
                                            std::uint64_t seed, const EachSoftWord& each = {});
/// `reads` reads of words whose severity is within half a wrong bit of `severity`, from symmetric channels whose mean
/// severity that is.
[[nodiscard]] Measurement measure_severity(unsigned reads, double severity, unsigned words, std::uint64_t seed);

/// The weights that shipped tables are made with: a logistic fit of failures on the counts of all regions, over
/// spacings of 0.85 to 1.15 (scripts/plot_ecc --fit).
[[nodiscard]] const SeverityWeights& severity_weights(unsigned reads);

struct CalibrationRow {
  unsigned key;  // bit errors, or severity
  Measurement measured;
};

struct CalibrationSection {
  unsigned reads;
  std::vector<CalibrationRow> rows;
};

/// One read at 0, 1, ..., 5, 10, 15, ... errors, then 2, 3, 5 and 7 reads at severities 0, 5, 10, 20, ..., 120, 125,
/// ..., each until no word is repaired any more; `progress` is called with every row. Throws std::runtime_error on a
/// miscorrection.
[[nodiscard]] std::vector<CalibrationSection> calibrate(
    unsigned words, std::uint64_t seed, const std::function<void(unsigned reads, const CalibrationRow&)>& progress);

/// The decoder's table. Where noise makes a failure rate fall with more errors, neighbours are pooled (isotonic
/// regression, the maximum-likelihood rates that never fall). Nothing is extrapolated: no failure seen is 0.
[[nodiscard]] Table table_of(const std::vector<CalibrationSection>& sections);

/// The table as parse_table reads it, with the counts behind every row as comments. Bit flipping's clocks are brought
/// together in eighths of an iteration (the last column apart), min-sum's are exact.
void write_table(std::ostream& out, const std::vector<CalibrationSection>& sections, const std::string& provenance);

}  // namespace wordline::ecc
