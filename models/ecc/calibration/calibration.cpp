// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <stdexcept>

#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "models/ecc/decoders/min_sum_decoder.h"

namespace wordline::ecc {
namespace {

constexpr unsigned kStep = 5;
constexpr unsigned kSoftTransition = 120;  // below, soft rows are two steps apart
constexpr unsigned kSoftReads[] = {2, 3, 5, 7};

/// The bin of a codeword that bit flipping decodes in so many clocks: an eighth of an iteration each. The last clock of
/// an iteration has a bin of its own, since many codewords end there.
unsigned bit_flipping_bin(std::uint32_t clocks) {
  if (clocks < 2) return 0;
  const unsigned iteration = (clocks - 2) / kBlockColumns;
  return 1 + iteration * 9 + (clocks - 2) % kBlockColumns / 9;
}
static_assert((kBlockColumns - 1) % 9 == 0);

/// Failure rates that never fall from row to row: pool adjacent violators.
std::vector<double> rising_rates(const std::vector<CalibrationRow>& rows, TierCount Measurement::*tier) {
  struct Pool {
    std::uint64_t failures;
    std::uint64_t words;
    std::size_t rows;
    [[nodiscard]] double rate() const { return static_cast<double>(failures) / static_cast<double>(words); }
  };
  std::vector<Pool> pools;
  for (const CalibrationRow& row : rows) {
    const TierCount& count = row.measured.*tier;
    pools.push_back({count.failures, count.words, 1});
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

/// A row without success has no times; it repeats the one before, and a decoder never asks for it.
const std::map<std::uint32_t, std::uint64_t>& clocks_of(const std::vector<CalibrationRow>& rows, std::size_t i,
                                                        TierCount Measurement::*tier) {
  static const std::map<std::uint32_t, std::uint64_t> kLeast{{1, 1}};
  while ((rows[i].measured.*tier).clocks.empty()) {
    if (i == 0) return kLeast;
    --i;
  }
  return (rows[i].measured.*tier).clocks;
}

double correlation_of(const std::vector<CalibrationRow>& rows) {
  double score = 0;
  double full = 0;
  for (const CalibrationRow& row : rows) {
    score += row.measured.score;
    full += row.measured.full_score;
  }
  return full > 0 ? std::clamp(std::round(1000 * score / full) / 1000, 0.0, 1.0) : 0.0;
}

void write_weights(std::ostream& out, const char* name, const std::array<double, kMaxRegions>& weights,
                   unsigned regions) {
  out << ' ' << name;
  for (unsigned r = 0; r < regions; ++r) out << ' ' << weights[r];
}

}  // namespace

const SeverityWeights& severity_weights(unsigned reads) {
  static const SeverityWeights kTwo{{0.105, 1}, {0.105, 0}};  // an erasure is neither wrong nor right
  static const SeverityWeights kThree{{0.28, 1}, {0.032, 0}};
  static const SeverityWeights kFive{{0.215, 0.46, 1}, {0.056, 0.008, 0}};
  static const SeverityWeights kSeven{{0.215, 0.335, 0.635, 1}, {0.055, 0.023, 0.002, 0}};
  switch (reads) {
    case 2:
      return kTwo;
    case 3:
      return kThree;
    case 5:
      return kFive;
    case 7:
      return kSeven;
    default:
      throw std::invalid_argument(fmt::format("severity of {} reads: there are 2, 3, 5 and 7", reads));
  }
}

std::vector<CalibrationSection> calibrate(unsigned words, std::uint64_t seed,
                                          const std::function<void(unsigned reads, const CalibrationRow&)>& progress) {
  std::vector<CalibrationSection> sections;
  const auto run = [&](unsigned reads, auto measure) {
    sections.push_back({reads, {}});
    const auto next = [&](unsigned key) {
      if (reads == 1) return key < kStep ? key + 1 : key + kStep;
      return key < 2 * kStep || key >= kSoftTransition ? key + kStep : key + 2 * kStep;
    };
    for (unsigned key = 0;; key = next(key)) {
      CalibrationRow row{key, measure(key, words)};
      if (row.measured.min_sum.failures > 0 && row.measured.min_sum.failures < row.measured.min_sum.words) {
        row.measured = measure(key, words * kTransitionShare);
      }
      const Measurement& m = row.measured;
      if (m.miscorrections != 0) {
        throw std::runtime_error(
            fmt::format("decoder calibration: {} miscorrections, {} reads, row {}; the table has no place for them",
                        m.miscorrections, reads, key));
      }
      progress(reads, row);
      sections.back().rows.push_back(row);
      if (m.min_sum.failures == m.min_sum.words && m.bit_flipping.failures == m.bit_flipping.words) return;
    }
  };
  run(1, [&](unsigned errors, unsigned n) { return measure_count(errors, n, seed); });
  for (const unsigned reads : kSoftReads) {
    run(reads, [&](unsigned severity, unsigned n) { return measure_severity(reads, severity, n, seed); });
  }
  return sections;
}

Table table_of(const std::vector<CalibrationSection>& sections) {
  Table table;
  table.bit_flipping_limit = 1 + BitFlippingDecoder::kMaxIterations * kBlockColumns;
  table.min_sum_limit = 1;
  for (unsigned r = 0; r < kBlockRows; ++r) {
    table.min_sum_limit += 2 * MinSumDecoder::kMaxIterations * LdpcCode::instance().row(r).size;
  }
  for (const CalibrationSection& section : sections) {
    const std::vector<CalibrationRow>& rows = section.rows;
    const std::vector<double> min_sum = rising_rates(rows, &Measurement::min_sum);
    const auto latency = [&](std::size_t i, TierCount Measurement::*tier, unsigned (*bin)(std::uint32_t) = nullptr) {
      return Latency(spans_of(clocks_of(rows, i, tier), bin));
    };
    if (section.reads == 1) {
      table.correlation = correlation_of(rows);
      const std::vector<double> bit_flipping = rising_rates(rows, &Measurement::bit_flipping);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        table.rows.push_back({rows[i].key, bit_flipping[i], latency(i, &Measurement::bit_flipping, bit_flipping_bin),
                              min_sum[i], latency(i, &Measurement::min_sum)});
      }
      continue;
    }
    SoftTable soft{section.reads, severity_weights(section.reads), {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      soft.rows.push_back({static_cast<double>(rows[i].key), min_sum[i], latency(i, &Measurement::min_sum)});
    }
    table.soft.push_back(soft);
  }
  return table;
}

void write_table(std::ostream& out, const std::vector<CalibrationSection>& sections, const std::string& provenance) {
  const Table table = table_of(sections);
  out << "# " << provenance
      << "\n# Random errors in random codewords of the 8x73, Z = 256 code, counted on the bit-true decoders.\n"
         "# Format: models/ecc/decoders/decoder_table.h. Comments: failures/words of bit flipping, of min-sum.\n"
      << "limits " << table.bit_flipping_limit << ' ' << table.min_sum_limit << "\ncorrelation " << table.correlation
      << '\n';
  std::size_t next_soft = 0;
  for (const CalibrationSection& section : sections) {
    const auto spans = [&](std::size_t i, TierCount Measurement::*tier, unsigned (*bin)(std::uint32_t) = nullptr) {
      out << ' ';
      write_spans(out, spans_of(clocks_of(section.rows, i, tier), bin));
    };
    const SoftTable* const soft = section.reads == 1 ? nullptr : &table.soft[next_soft++];
    if (soft != nullptr) {
      const unsigned regions = soft_level(soft->reads).regions;
      out << "soft " << soft->reads;
      write_weights(out, "wrong", soft->weights.wrong, regions);
      write_weights(out, "right", soft->weights.right, regions);
      out << '\n';
    }
    for (std::size_t i = 0; i < section.rows.size(); ++i) {
      const Measurement& m = section.rows[i].measured;
      out << section.rows[i].key << ' ';
      if (soft == nullptr) {
        out << table.rows[i].bit_flipping_failure;
        spans(i, &Measurement::bit_flipping, bit_flipping_bin);
        out << ' ' << table.rows[i].min_sum_failure;
        spans(i, &Measurement::min_sum);
        out << "  # " << m.bit_flipping.failures << '/' << m.bit_flipping.words;
      } else {
        out << soft->rows[i].min_sum_failure;
        spans(i, &Measurement::min_sum);
        out << "  #";
      }
      out << ' ' << m.min_sum.failures << '/' << m.min_sum.words << '\n';
    }
  }
}

}  // namespace wordline::ecc
