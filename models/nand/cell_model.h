// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/config/config.h"
#include "models/nand/plan.h"
#include "models/nand/vth.h"

namespace wordline::nand {

/// The cells of the word lines of one h-layer at one wear and age.
struct WordLineCells {
  VthDistribution vth;
  double width = 1;  // width by which the layer widens the states of the average word line
};

/// The raw bit error rate of every (page type, h-layer, retry step, reads of the block), computed once for each layer,
/// wear and age that is asked for; distributions for every other question. The dies of a drive share one, on the one
/// thread of their drive.
///
/// The distributions are those of the average word line: layer factors are taken relative to their mean, so the mean
/// rate of a block (references re-optimised) is that of the table, and the best layers lie below it.
///
/// Accuracy: Gaussian states with the means and widths of planar TLC at 2,000 P/E cycles (Cai et al. 2017, appendix),
/// interpolated in the logarithm of retention time; shifts scale with sqrt(PE / 2000); time accelerates with 1.1 eV
/// against 30 C (JESD22-A117). Only neighbouring states are confused. Word lines of one h-layer are equal.
/// Known gaps: no interference but that of over-programmed cells. SLC, MLC and QLC levels are assumed.
class CellModel {
 public:
  static constexpr unsigned kKnots = 6;
  using ReadKnots = std::array<double, kKnots>;  // the rate after kReadKnots reads of the block

  /// `region_days`: further ages of data that were there before the run.
  explicit CellModel(const config::Nand& nand, const std::vector<double>& region_days = {});

  /// `erase_count` erases in this run add to the configured P/E cycles, in buckets. `reads` of the block since its
  /// erase are interpolated linearly between knots. `age` as age_of() gives it.
  [[nodiscard]] double rber(unsigned page_type, unsigned layer, unsigned step, std::uint32_t erase_count,
                            std::uint32_t reads = 0, unsigned age = 0) const {
    const unsigned s = step < kRetrySteps ? step : kRetrySteps - 1;
    const bool disturbed = reads >= kReadKnots[1];
    return between(at(layer, erase_count, age, disturbed).table[page_type * kRetrySteps + s], reads);
  }
  /// The bit error rate at other references.
  [[nodiscard]] double rber_at(unsigned page_type, unsigned layer, const References& references,
                               std::uint32_t erase_count, std::uint32_t reads, unsigned age = 0) const;

  /// Age 0: as configured, of data that were there before the run. With nand.aging.page_age, data written so many
  /// seconds of their age ago.
  [[nodiscard]] unsigned age_of(std::uint32_t seconds) const;
  /// Data that were there before the run and had `age` then, `seconds` later: the same without nand.aging.acceleration.
  [[nodiscard]] unsigned age_after(unsigned age, std::uint32_t seconds) const;
  /// The age of `region_days` with that number.
  [[nodiscard]] unsigned region_age(std::size_t region) const { return static_cast<unsigned>(first_region_ + region); }
  [[nodiscard]] double days(unsigned age) const { return days_[age]; }
  [[nodiscard]] const WordLineCells& cells(unsigned layer, std::uint32_t erase_count, unsigned age = 0) const {
    return at(layer, erase_count, age, false).cells;
  }
  /// Cells that have just been programmed.
  [[nodiscard]] const WordLineCells& written_cells(unsigned layer, std::uint32_t erase_count) const {
    return at(layer, erase_count, just_written_, false).cells;
  }
  [[nodiscard]] const References& references(unsigned step) const {
    return references_[step < kRetrySteps ? step : kRetrySteps - 1];
  }
  [[nodiscard]] std::uint16_t mask(unsigned page_type) const { return masks_[page_type]; }
  /// P/E cycles before the run.
  [[nodiscard]] double pe_configured() const { return pe_; }
  /// P/E cycles that `erase_count` erases in this run stand for.
  [[nodiscard]] double pe_cycles(std::uint32_t erase_count) const { return pe_ + kBuckets[bucket(erase_count)]; }
  /// Number that stands for this wear and age in keys.
  [[nodiscard]] unsigned condition(std::uint32_t erase_count, unsigned age) const {
    return age * static_cast<unsigned>(kBuckets.size()) + bucket(erase_count);
  }

  /// Calls visitor(knot, reads) for the counts of reads that rates are computed at.
  template <class Visitor>
  static void for_each_knot(Visitor&& visitor) {
    for (unsigned k = 0; k < kKnots; ++k) visitor(k, kReadKnots[k]);
  }
  /// Where a count of reads lies: `part` (0 to 1) of the way from knot `lower` to the next.
  struct BetweenKnots {
    unsigned lower;
    double part;
  };
  [[nodiscard]] static BetweenKnots between_knots(std::uint32_t reads) {
    unsigned k = 0;
    while (k + 2 < kKnots && reads >= kReadKnots[k + 1]) ++k;
    if (reads >= kReadKnots[kKnots - 1]) return {k, 1};
    return {k, static_cast<double>(reads - kReadKnots[k]) / (kReadKnots[k + 1] - kReadKnots[k])};
  }
  [[nodiscard]] static std::uint32_t reads_at(unsigned knot) { return kReadKnots[knot]; }
  [[nodiscard]] static double between(const ReadKnots& row, std::uint32_t reads) {
    const auto [lower, part] = between_knots(reads);
    return row[lower] + part * (row[lower + 1] - row[lower]);
  }

  /// Multiplies the rate of a block: lognormal with sigma 0.08 (assumed; best-to-worst ratios of two blocks then differ
  /// by the 18 % that Shim, SNU 2020, shows).
  [[nodiscard]] double block_factor(std::uint64_t hash) const { return block_factors_[hash >> 54]; }
  /// Multiplies the rate of a word line in one of its lives: random telegraph noise, lognormal with sigma 0.005
  /// (assumed; Shim, SNU 2020, sees less than 3 % between program orders and a ratio of 1 between word lines of a
  /// layer).
  [[nodiscard]] double noise_factor(std::uint64_t hash) const { return noise_factors_[hash >> 54]; }
  /// Keyed standard normal value.
  [[nodiscard]] double normal(std::uint64_t hash) const { return normal_[hash >> 54]; }

 private:
  static unsigned bucket(std::uint32_t erase_count) {
    unsigned b = 0;
    while (b + 1 < kBuckets.size() && erase_count >= kBuckets[b + 1]) ++b;
    return b;
  }
  /// Blocks of one wear and age, before their layers differ.
  struct Average {
    double pe, days;
    VthDistribution vth;
    double factor;  // factor of the layers, mean
  };
  /// The cells of one layer. A run meets a few of all layers and conditions, and each takes a good part of a
  /// millisecond.
  struct Layer {
    WordLineCells cells;
    std::vector<ReadKnots> table;  // [page type][step]; of blocks that are little disturbed the first two knots
  };
  [[nodiscard]] const Layer& at(unsigned layer, std::uint32_t erase_count, unsigned age, bool disturbed) const {
    return numbered((std::size_t{condition(erase_count, age)} * layers_ + layer) * 2 + (disturbed ? 1 : 0));
  }
  [[nodiscard]] const Layer& numbered(std::size_t number) const {
    const Layer* const made = numbered_[number];
    return made != nullptr ? *made : make(number);
  }
  const Layer& make(std::size_t number) const;
  [[nodiscard]] const Average& average(unsigned condition) const;

  static constexpr std::array<std::uint32_t, 6> kBuckets{0, 100, 300, 1000, 3000, 10000};
  static constexpr std::array<std::uint32_t, kKnots> kReadKnots{0, 50'000, 125'000, 250'000, 500'000, 1'000'000};

  const config::Nand nand_;
  unsigned page_types_;
  unsigned layers_;
  double pe_;
  bool page_age_;
  unsigned written_ages_ = 0;  // ages of data written in the run: from 1 on, rising
  std::vector<double> days_;   // days by age: as configured, of data written in the run, of regions, just written
  std::size_t first_region_;
  unsigned just_written_;  // age
  std::array<References, kRetrySteps> references_{};
  std::vector<std::uint16_t> masks_;
  // By condition(), layer and whether it is disturbed; null: not asked for so far.
  mutable std::vector<const Layer*> numbered_;
  mutable std::vector<std::unique_ptr<const Layer>> made_;
  mutable std::vector<std::unique_ptr<const Average>> averages_;  // averages by condition()
  std::array<double, kNormalQuantileCount> block_factors_{}, noise_factors_{};
  const std::array<double, kNormalQuantileCount>& normal_;
};

}  // namespace wordline::nand
