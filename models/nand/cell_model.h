// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/config/config.h"
#include "models/nand/plan.h"

namespace wordline::nand {

/// Threshold-voltage distributions of a word line, one Gaussian per state (0 = erased), on the normalised scale of Cai
/// et al., Proc. IEEE 2017 (512 = nominal maximum; one unit is taken as 12.5 mV).
struct VthDistribution {
  unsigned states = 0;  // 2, 4, 8 or 16
  std::array<double, kMaxStates> mean{};
  std::array<double, kMaxStates> sigma{};
};
/// Reference r separates state r - 1 from state r; entry 0 is unused.
using References = std::array<double, kMaxStates>;

inline constexpr double kMillivoltsPerUnit = 12.5;
/// Steps of the retry table, 0 = default references; a read beyond the last step repeats the last.
inline constexpr unsigned kRetrySteps = 8;
/// The step that is right for 2,000 P/E cycles and 1 year.
inline constexpr unsigned kYearStep = 4;

/// Bits per cell.
[[nodiscard]] constexpr unsigned bits_per_cell(config::CellType cell) { return static_cast<unsigned>(cell); }

/// Distributions after `pe_cycles` cycles and `retention_days` at `temperature_c`.
[[nodiscard]] VthDistribution vth_distribution(config::CellType cell, Millivolts ispp_step, double pe_cycles,
                                               double retention_days, double temperature_c);
/// References of least raw bit errors: where neighbouring densities cross.
[[nodiscard]] References optimal_references(const VthDistribution& vth);
/// The distributions after `reads` reads of other pages of the block: weak programming, strongest on the erased state.
/// In proportion to the reads, weaker by e per 60 units of threshold voltage (assumed), growing with P/E^0.33. Scaled so
/// that the LSB page of TLC at 2,000 P/E cycles and 1 day reaches 5e-3 after 518,420 reads, what a 3D TLC block survives
/// under uniform reads (STRAW, ASPLOS'26; their count of P/E cycles and limit are assumed).
[[nodiscard]] VthDistribution read_disturbed(VthDistribution vth, double pe_cycles, double reads);
/// References of step `step`: step 0 is the optimum at 1 day and 2,000 P/E cycles, kYearStep the optimum at 1 year and
/// 2,000 P/E cycles, each step a quarter of the way from one to the other; the steps beyond are for older data.
[[nodiscard]] References retry_references(config::CellType cell, unsigned step);
/// Errors per bit of a page that senses the references of `mask` (bit r = reference r).
[[nodiscard]] double page_rber(const VthDistribution& vth, const References& references, std::uint16_t mask);
/// Mean over all pages of the word line.
[[nodiscard]] double mean_rber(const VthDistribution& vth, const References& references);

/// References that each page type senses: a Gray code whose bit i changes senses[i] times. Empty `senses`: 1 | 1/2 |
/// 2/3/2 | 1/2/4/8 for SLC to QLC. Throws std::invalid_argument if no Gray code has these counts.
[[nodiscard]] std::vector<std::uint16_t> page_references(config::CellType cell,
                                                         const std::vector<std::uint32_t>& senses);

/// Raw bit errors of h-layer `layer` of `layers` over those of the best layer at the same age. Four named layers of
/// Shim, SNU 2020 (alpha top edge, beta best, kappa worst, omega bottom edge), cubic between them: best to worst 1.6
/// fresh and 2.3 after 2,000 P/E cycles and 1 year. Their positions and the values of alpha and omega are assumed.
[[nodiscard]] double layer_factor(unsigned layer, unsigned layers, double pe_cycles, double retention_days,
                                  double temperature_c);

/// The raw bit error rate of every (page type, h-layer, retry step, reads of the block), computed once for the
/// configured aging.
///
/// The distributions are those of the average word line: layer factors are taken relative to their mean, so the mean
/// rate of a block (references re-optimised) is that of the table, and the best layers lie below it.
///
/// Accuracy: Gaussian states with the means and widths of planar TLC at 2,000 P/E cycles (Cai et al. 2017, appendix),
/// interpolated in the logarithm of retention time; shifts scale with sqrt(PE / 2000); time accelerates with 1.1 eV
/// against 30 C (JESD22-A117). Only neighbouring states are confused. Word lines of one h-layer are equal.
/// Known gaps: all pages carry the configured retention, also those written a moment ago; nothing happens before one
/// day (no early charge loss of 3D cells); all pages of a block suffer its reads alike (neighbours of a hammered page in
/// fact 8.4 times more); no interference. SLC, MLC and QLC levels are assumed.
class CellModel {
 public:
  explicit CellModel(const config::Nand& nand);
  /// The model of this configuration; dies of one drive share it.
  static std::shared_ptr<const CellModel> shared(const config::Nand& nand);

  /// `erase_count` erases in this run add to the configured P/E cycles, in buckets. `reads` of the block since its erase
  /// are interpolated linearly between knots.
  [[nodiscard]] double rber(unsigned page_type, unsigned layer, unsigned step, std::uint32_t erase_count,
                            std::uint32_t reads = 0) const {
    const unsigned s = step < kRetrySteps ? step : kRetrySteps - 1;
    const double* const row =
        &table_[(((bucket(erase_count) * page_types_ + page_type) * layers_ + layer) * kRetrySteps + s) * kKnots];
    unsigned k = 0;
    while (k + 2 < kKnots && reads >= kReadKnots[k + 1]) ++k;
    if (reads >= kReadKnots[kKnots - 1]) return row[kKnots - 1];
    const double part = static_cast<double>(reads - kReadKnots[k]) / (kReadKnots[k + 1] - kReadKnots[k]);
    return row[k] + part * (row[k + 1] - row[k]);
  }
  /// Multiplies the rate of a block: lognormal with sigma 0.08 (assumed; best-to-worst ratios of two blocks then differ
  /// by the 18 % that Shim, SNU 2020, shows).
  [[nodiscard]] double block_factor(std::uint64_t hash) const { return block_factors_[hash >> 54]; }

 private:
  static unsigned bucket(std::uint32_t erase_count) {
    unsigned b = 0;
    while (b + 1 < kBuckets.size() && erase_count >= kBuckets[b + 1]) ++b;
    return b;
  }
  static constexpr std::array<std::uint32_t, 6> kBuckets{0, 100, 300, 1000, 3000, 10000};
  static constexpr unsigned kKnots = 6;
  static constexpr std::array<std::uint32_t, kKnots> kReadKnots{0, 50'000, 125'000, 250'000, 500'000, 1'000'000};

  unsigned page_types_;
  unsigned layers_;
  std::vector<double> table_;
  std::array<double, 1024> block_factors_{};
};

}  // namespace wordline::nand
