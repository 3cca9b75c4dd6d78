// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibration.h"

#include <cmath>
#include <ostream>
#include <stdexcept>

#include "models/ecc/bit_flipping_decoder.h"
#include "models/ecc/min_sum_decoder.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeWord = 0x776f7264;
constexpr std::uint64_t kPurposeError = 0x6572726f72;
constexpr std::uint64_t kPurposeRate = 0x72617465;
constexpr unsigned kDifferentWords = 64;  // what the decoders do depends on the errors; min-sum's ties on the word too
constexpr unsigned kStep = 5;

std::vector<CodeBits> codewords(std::uint64_t seed) {
  std::vector<CodeBits> words(kDifferentWords);
  for (unsigned w = 0; w < kDifferentWords; ++w) {
    for (unsigned c = 0; c < kInformationColumns; ++c) {
      for (unsigned i = 0; i < 4; ++i) words[w][c].word[i] = keyed_hash(seed, kPurposeWord, w, c, i);
    }
    words[w][kShortenedColumn] = words[w][kShortenedColumn] & ~kShortenedLanes;
    LdpcCode::instance().encode(words[w]);
  }
  return words;
}

/// Bit of the code for a stored bit: the shortened ones are skipped.
unsigned code_bit(unsigned stored) { return stored < kInformationBits ? stored : stored + kShortenedBits; }

/// `corrupt(frame, bits)` puts the errors of that frame into a codeword.
template <class Corrupt>
Measurement measure(unsigned words, std::uint64_t seed, Corrupt corrupt) {
  if (words == 0) throw std::invalid_argument("decoder calibration: needs at least one word");
  const std::vector<CodeBits> written = codewords(seed);
  MinSumDecoder min_sum;
  Measurement m;
  for (std::uint64_t frame = 0; frame < std::uint64_t{words} * kBitFlippingShare; ++frame) {
    const CodeBits& word = written[frame % kDifferentWords];
    CodeBits bits = word;
    corrupt(frame, bits);
    CodeBits repaired = bits;
    const BitFlippingResult first = BitFlippingDecoder::decode(repaired);
    ++m.bit_flipping_words;
    if (first.ok) {
      m.bit_flipping_cycles += first.cycles;
      if (repaired != word) ++m.miscorrections;
    } else {
      ++m.bit_flipping_failures;
    }
    if (frame >= words) continue;
    const MinSumResult second = min_sum.decode(bits);
    ++m.min_sum_words;
    if (second.ok) {
      m.min_sum_cycles += second.cycles;
      if (bits != word) ++m.miscorrections;
    } else {
      ++m.min_sum_failures;
    }
  }
  if (m.bit_flipping_words > m.bit_flipping_failures) {
    m.bit_flipping_cycles /= static_cast<double>(m.bit_flipping_words - m.bit_flipping_failures);
  }
  if (m.min_sum_words > m.min_sum_failures) {
    m.min_sum_cycles /= static_cast<double>(m.min_sum_words - m.min_sum_failures);
  }
  return m;
}

/// Failure rates that never fall from row to row: pool adjacent violators.
std::vector<double> rising_rates(const std::vector<std::uint64_t>& failures, const std::vector<std::uint64_t>& words) {
  struct Pool {
    std::uint64_t failures;
    std::uint64_t words;
    std::size_t rows;
    [[nodiscard]] double rate() const { return static_cast<double>(failures) / static_cast<double>(words); }
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    pools.push_back({failures[i], words[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].rate() > pools.back().rate()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().failures += last.failures;
      pools.back().words += last.words;
      pools.back().rows += last.rows;
    }
  }
  std::vector<double> rates;
  for (const Pool& pool : pools) rates.insert(rates.end(), pool.rows, pool.rate());
  return rates;
}

}  // namespace

Measurement measure_count(unsigned errors, unsigned words, std::uint64_t seed) {
  if (errors > kCodewordBits) throw std::invalid_argument("decoder calibration: more errors than bits");
  return measure(words, seed, [&](std::uint64_t frame, CodeBits& bits) {
    CodeBits flips{};
    unsigned placed = 0;
    for (std::uint64_t i = 0; placed < errors; ++i) {
      const unsigned bit = code_bit(
          static_cast<unsigned>(keyed_hash(seed, kPurposeError, errors, frame, i) % kCodewordBits));
      if (flips[bit / kLifting].test(bit % kLifting)) continue;
      flips[bit / kLifting].flip(bit % kLifting);
      ++placed;
    }
    for (unsigned c = 0; c < kBlockColumns; ++c) bits[c] ^= flips[c];
  });
}

Measurement measure_rate(double rate, unsigned words, std::uint64_t seed) {
  if (!(rate > 0.0 && rate < 1.0)) throw std::invalid_argument("decoder calibration: an error rate lies in (0, 1)");
  return measure(words, seed, [&](std::uint64_t frame, CodeBits& bits) {
    // Gaps between errors are geometric.
    double stored = -1;
    for (std::uint64_t i = 0;; ++i) {
      const double u = 1.0 - unit_interval(keyed_hash(seed, kPurposeRate, frame, i));  // (0, 1]
      stored += 1.0 + std::floor(std::log(u) / std::log1p(-rate));
      if (stored >= kCodewordBits) return;
      const unsigned bit = code_bit(static_cast<unsigned>(stored));
      bits[bit / kLifting].flip(bit % kLifting);
    }
  });
}

std::vector<CalibrationRow> calibrate(unsigned words, std::uint64_t seed,
                                      const std::function<void(const CalibrationRow&)>& progress) {
  std::vector<CalibrationRow> rows;
  for (unsigned errors = 0;; errors = errors == 0 ? 1 : errors == 1 ? kStep : errors + kStep) {
    rows.push_back({errors, measure_count(errors, words, seed)});
    const Measurement& m = rows.back().measured;
    progress(rows.back());
    if (m.miscorrections != 0) {
      throw std::runtime_error("decoder calibration: " + std::to_string(m.miscorrections) + " miscorrections at " +
                               std::to_string(errors) + " errors; the table has no place for them");
    }
    if (m.min_sum_failures == m.min_sum_words && m.bit_flipping_failures == m.bit_flipping_words) return rows;
  }
}

Table table_of(const std::vector<CalibrationRow>& rows) {
  std::vector<std::uint64_t> failures[2];
  std::vector<std::uint64_t> words[2];
  for (const CalibrationRow& row : rows) {
    failures[0].push_back(row.measured.bit_flipping_failures);
    words[0].push_back(row.measured.bit_flipping_words);
    failures[1].push_back(row.measured.min_sum_failures);
    words[1].push_back(row.measured.min_sum_words);
  }
  const std::vector<double> bit_flipping = rising_rates(failures[0], words[0]);
  const std::vector<double> min_sum = rising_rates(failures[1], words[1]);
  Table table;
  table.bit_flipping_limit = 1 + BitFlippingDecoder::kMaxIterations * kBlockColumns;
  table.min_sum_limit = 1;
  for (unsigned r = 0; r < kBlockRows; ++r) {
    table.min_sum_limit += 2 * MinSumDecoder::kMaxIterations * LdpcCode::instance().row(r).size;
  }
  // A row without success has no mean time; it repeats the one before, and a decoder never asks for it.
  TableRow before{0, 0, 1, 0, 1};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& m = rows[i].measured;
    const auto cycles = [](double mean, std::uint32_t previous) {
      return mean > 0 ? static_cast<std::uint32_t>(std::lround(mean)) : previous;
    };
    before = {rows[i].bit_errors, bit_flipping[i], cycles(m.bit_flipping_cycles, before.bit_flipping_cycles), min_sum[i],
              cycles(m.min_sum_cycles, before.min_sum_cycles)};
    table.rows.push_back(before);
  }
  return table;
}

void write_table(std::ostream& out, const std::vector<CalibrationRow>& rows, const std::string& provenance) {
  const Table table = table_of(rows);
  out << "# " << provenance
      << "\n# Random errors in random codewords of the 8x73, Z = 256 code, counted on the bit-true decoders.\n"
         "# BIT_ERRORS BF_FAILURE BF_CYCLES MS_FAILURE MS_CYCLES  # failures/words of bit flipping, of min-sum\n"
      << "limits " << table.bit_flipping_limit << ' ' << table.min_sum_limit << '\n';
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TableRow& row = table.rows[i];
    const Measurement& m = rows[i].measured;
    out << row.bit_errors << ' ' << row.bit_flipping_failure << ' ' << row.bit_flipping_cycles << ' '
        << row.min_sum_failure << ' ' << row.min_sum_cycles << "  # " << m.bit_flipping_failures << '/'
        << m.bit_flipping_words << ' ' << m.min_sum_failures << '/' << m.min_sum_words << '\n';
  }
}

}  // namespace wordline::ecc
