// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the decoders do, as counted by `wordline calibrate ecc`; text and back.
///
///   limits BF_CLOCKS MS_CLOCKS                   until each tier gives up
///   correlation R                                of the two tiers on one word, -1 to 1; left out: 0
///   BIT_ERRORS BF_FAILURE BF_CLOCKS MS_FAILURE MS_CLOCKS    one read; rising bit errors
///   soft READS wrong W... right W...             severity of a bit by region, weakest first
///   SEVERITY MS_FAILURE MS_CLOCKS                of that many reads; rising severity
///
/// CLOCKS of a row are distributions (latency.h); `#` starts a comment.
/// It reads and checks a table; models/ecc/calibration makes one, calibrated_decoder.h draws from it.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "models/ecc/code/codeword.h"
#include "models/ecc/decoders/latency.h"
#include "models/ecc/decoders/soft_channel.h"

namespace wordline::ecc {

/// What the decoder does with a codeword of this many bit errors from one read.
struct TableRow {
  unsigned bit_errors;
  double bit_flipping_failure;  // probability that tier 1 gives up
  Latency bit_flipping_clocks;  // bit flipping clocks of tier 1 when it succeeds
  double min_sum_failure;       // probability that tier 2 gives up
  Latency min_sum_clocks;       // min sum clocks of tier 2 when it succeeds
};

/// How much harder a bit of each region makes a codeword to decode, in wrong strong bits.
///
/// Severity is the one number that shows best whether soft decoding fails: a logistic fit on the counts of all regions
/// explains two thirds of the deviance of failures, errors and weak bits together less than half, the error rate a
/// tenth (docs/measurements/ecc.md). A word of severity s is about as hard as a hard read of s errors.
struct SeverityWeights {
  std::array<double, kMaxRegions> wrong{};
  std::array<double, kMaxRegions> right{};

  [[nodiscard]] double severity(const SoftCounts& counts) const {
    double sum = 0;
    for (unsigned r = 0; r < kMaxRegions; ++r) sum += wrong[r] * counts.wrong[r] + right[r] * counts.right[r];
    return sum;
  }
};

struct SoftRow {
  double severity;
  double min_sum_failure;
  Latency min_sum_clocks;
};

struct SoftTable {
  unsigned reads = 0;
  SeverityWeights weights;
  std::vector<SoftRow> rows;  // rising severity
};

struct Table {
  std::uint32_t bit_flipping_limit = 0;  // clocks of tier 1 until it gives up
  std::uint32_t min_sum_limit = 0;       // clocks of tier 2 until it gives up
  double correlation = 0;
  std::vector<TableRow> rows;  // rising bit_errors
  std::vector<SoftTable> soft;
};

/// models/ecc/decoders/decoder.table: what `wordline calibrate ecc` measured on the bit-true decoders.
[[nodiscard]] const Table& builtin_table();

/// Throws std::runtime_error naming file and line.
[[nodiscard]] Table parse_table(std::istream& in, const std::string& name);
[[nodiscard]] Table load_table(const std::string& path);

/// Throws std::invalid_argument when the table has no rows, does not rise, or holds impossible values.
void check_table(const Table& table);

}  // namespace wordline::ecc
