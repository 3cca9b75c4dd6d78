// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "models/ecc/codeword.h"

namespace wordline::ecc {

/// What the decoder does with a codeword of this many bit errors.
struct TableRow {
  unsigned bit_errors;
  double bit_flipping_failure;        // probability that tier 1 gives up
  std::uint32_t bit_flipping_cycles;  // mean of tier 1 when it succeeds
  double min_sum_failure;             // probability that tier 2 gives up
  std::uint32_t min_sum_cycles;       // mean of tier 2 when it succeeds
};

struct Table {
  std::uint32_t bit_flipping_limit = 0;  // cycles of tier 1 until it gives up
  std::uint32_t min_sum_limit = 0;       // cycles of tier 2 until it gives up
  std::vector<TableRow> rows;            // rising bit_errors
};

/// models/ecc/decoder.table: what `wordline calibrate ecc` measured on the bit-true decoders.
[[nodiscard]] Table builtin_table();

/// Reads a table: lines `bit_errors bf_failure bf_cycles ms_failure ms_cycles` in rising order of bit_errors, and one
/// line `limits bf_cycles ms_cycles`; `#` starts a comment. Throws std::runtime_error naming file and line.
[[nodiscard]] Table parse_table(std::istream& in, const std::string& name);
[[nodiscard]] Table load_table(const std::string& path);

enum class Tier : std::uint8_t { kBitFlipping, kMinSum };

struct Outcome {
  bool ok;
  std::uint32_t cycles;  // from the last bit in to the verdict, both tiers and the copy between them
  Tier tier;             // the one that gave the verdict
};

/// Hard-decision LDPC decoding as statistics: tier 1 (column-serial bit flipping, at most 20 iterations), and when it
/// gives up tier 2 (layered normalised min-sum, at most 20 iterations) on the same bits.
///
/// Indexed by the number of bit errors, not by an error rate: the slope of frame errors over RBER is mostly the
/// binomial spread of the count, so the table holds for pages whose rates differ.
/// Accuracy: between rows, failure probabilities are interpolated in the logit, cycles linearly; past the last row its
/// values hold. Times are means: the spread of iterations at one error count is not drawn. Tier 1 and tier 2 fail
/// independently. Miscorrection (a wrong codeword accepted) does not happen: the calibration stops when it sees one. A
/// failure that the measurement never saw has probability 0: see the word counts in the table.
class CalibratedDecoder {
 public:
  CalibratedDecoder() : CalibratedDecoder(builtin_table()) {}
  /// Throws std::invalid_argument when the table is empty, not rising, or holds impossible values.
  explicit CalibratedDecoder(const Table& table);

  /// The outcome is a function of (bit_errors, key): the same read of the same codeword ends the same way.
  [[nodiscard]] Outcome decode(unsigned bit_errors, std::uint64_t key) const;

  /// Probability that neither tier succeeds.
  [[nodiscard]] double failure(unsigned bit_errors) const;
  [[nodiscard]] double bit_flipping_failure(unsigned bit_errors) const {
    return entry(bit_errors).bit_flipping_failure;
  }

 private:
  [[nodiscard]] const TableRow& entry(unsigned bit_errors) const {
    return dense_[bit_errors < dense_.size() ? bit_errors : dense_.size() - 1];
  }

  std::vector<TableRow> dense_;  // by bit errors, from 0
  std::uint32_t bit_flipping_limit_;
  std::uint32_t min_sum_limit_;
};

}  // namespace wordline::ecc
