// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// LDPC decoding as statistics.
///
/// A hard read goes through tier 1 (column-serial bit flipping, at most 20 iterations), and when that gives up through
/// tier 2 (layered normalised min-sum, at most 20 iterations) on the same bits. Indexed by the number of bit errors,
/// not by an error rate: the slope of frame errors over RBER is mostly the binomial spread of the count, so the table
/// holds for pages whose rates differ. A soft read goes to tier 2 alone and is indexed by its severity
/// (decoder_table.h).
///
/// Accuracy: outcome and clocks are drawn from what was counted. Between rows, failure probabilities are interpolated
/// in the logit, and clocks are those of one of the two rows, of the nearer one more often (tier 1's distribution has a
/// peak in every iteration, tier 2's clocks are whole layers: neither would survive averaging). Past the last row its
/// values hold. Words that tier 1 finds hard take
/// tier 2 longer: the two draws are correlated (a Gaussian copula, one coefficient for all rows).
/// `testbenches/models/ecc` and `wordline calibrate ecc --check` hold all of it against the bit-true decoders on other
/// seeds. Known gaps: errors are taken as independent, wherever they lie in the word; a soft read's outcome does not
/// depend on the outcome of the hard read before it other than through the counts. It decodes no bits, and never
/// miscorrects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ecc/code/ldpc_code.h"
#include "models/ecc/decoders/decoder_table.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {

enum class Tier : std::uint8_t { kBitFlipping, kMinSum };

struct Outcome {
  bool ok;
  std::uint32_t cycles;  // cycles from the last bit in to the verdict, both tiers and the copy between them
  Tier tier;             // the one that gave the verdict
};

class CalibratedDecoder {
 public:
  CalibratedDecoder() : CalibratedDecoder(builtin_table()) {}
  /// Throws std::invalid_argument when check_table() does.
  explicit CalibratedDecoder(const Table& table);

  /// Decodes one read by both tiers. The outcome is a function of (bit_errors, key): the same read of the same codeword
  /// ends the same way. It is that of decode_bit_flipping() or, when that fails, of decode_min_sum() with its cycles on
  /// top.
  [[nodiscard]] Outcome decode(unsigned bit_errors, std::uint64_t key) const {
    const Outcome first = decode_bit_flipping(bit_errors, key);
    return first.ok ? first : decode_again(bit_errors, key);
  }
  /// One tier alone, on one read.
  [[nodiscard]] Outcome decode_bit_flipping(unsigned bit_errors, std::uint64_t key) const {
    const Entry& row = entry(bit_errors);
    const double good = 1.0 - row.bit_flipping_failure;
    const double u = bit_flipping_draw(key);
    if (u >= good) return {false, bit_flipping_limit_, Tier::kBitFlipping};
    // A draw below 1 - failure is a success, and the slower the nearer to failure.
    return {true, rows_[draw_row(row.between, key)].bit_flipping_clocks.clocks(u / good), Tier::kBitFlipping};
  }
  [[nodiscard]] Outcome decode_min_sum(unsigned bit_errors, std::uint64_t key) const;

  /// Tier 2 on the sum of `reads` reads (2, 3, 5 or 7). Throws std::invalid_argument when the table has no such
  /// section.
  [[nodiscard]] Outcome decode_soft(unsigned reads, const SoftCounts& counts, std::uint64_t key) const;

  /// Probability that neither tier succeeds (the two taken as independent; they overlap nowhere in the built-in table).
  [[nodiscard]] double failure(unsigned bit_errors) const;
  [[nodiscard]] double bit_flipping_failure(unsigned bit_errors) const {
    return entry(bit_errors).bit_flipping_failure;
  }
  [[nodiscard]] double soft_failure(unsigned reads, const SoftCounts& counts) const;

  /// Iterations after which the tiers of the table gave up: whole ones within its limits in clocks.
  [[nodiscard]] unsigned bit_flipping_iterations() const { return (bit_flipping_limit_ - 1) / kBlockColumns; }
  [[nodiscard]] unsigned min_sum_iterations() const { return (min_sum_limit_ - 1) / (2 * kCirculants); }

 private:
  /// Between two rows of the table, `t` from the first (0) to the second (1).
  struct Interpolation {
    std::size_t a;
    std::size_t b;
    double t;
  };
  static constexpr std::uint64_t kPurposeBitFlipping = 0x62666c6970;
  static constexpr std::uint64_t kPurposeRow = 0x726f77;

  [[nodiscard]] static double bit_flipping_draw(std::uint64_t key) {
    return unit_interval(keyed_hash(key, kPurposeBitFlipping));
  }
  [[nodiscard]] static std::size_t draw_row(const Interpolation& between, std::uint64_t key) {
    return between.t > 0 && unit_interval(keyed_hash(key, kPurposeRow)) < between.t ? between.b : between.a;
  }
  /// By tier 2, what tier 1 has given up.
  [[nodiscard]] Outcome decode_again(unsigned bit_errors, std::uint64_t key) const;
  struct Entry {
    double bit_flipping_failure;
    double min_sum_failure;
    Interpolation between;
  };
  [[nodiscard]] const Entry& entry(unsigned bit_errors) const {
    return dense_[bit_errors < dense_.size() ? bit_errors : dense_.size() - 1];
  }
  [[nodiscard]] const SoftTable& section(unsigned reads) const;
  [[nodiscard]] static Interpolation interpolate(const SoftTable& table, const SoftCounts& counts);

  std::vector<TableRow> rows_;
  std::vector<Entry> dense_;  // dense by bit errors, from 0
  std::vector<SoftTable> soft_;
  std::uint32_t bit_flipping_limit_;
  std::uint32_t min_sum_limit_;
  double correlation_;
};

}  // namespace wordline::ecc
