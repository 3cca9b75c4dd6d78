// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
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

/// Probability that a standard normal value exceeds `x`; and the value that is exceeded with probability 1 - p.
[[nodiscard]] double normal_tail(double x);
[[nodiscard]] double normal_quantile(double p);
/// How many of such quantiles the table has that the build makes (kNormalQuantiles).
inline constexpr unsigned kNormalQuantileCount = 1024;

/// The earliest age that is told apart: 3D charge-trap cells from 7 minutes on, planar ones from a day on.
inline constexpr double kEarliest3dDays = 7.0 / 1440;
inline constexpr double kEarliestPlanarDays = 1;

/// Distributions after `pe_cycles` cycles (`young_cycles` more in what retention does: nand.aging.young_cycles) and
/// `retention_days` at `temperature_c`; what is younger than `earliest_days` counts as that. Before one day (early
/// charge loss of 3D cells): means drift on in the logarithm of time, 1.38 times as fast before 3 hours; widths, of all
/// wears alike, are such that the rate at 2,000 P/E cycles (references re-optimised) is a tenth of that of 11 days at 3
/// hours, and a hundredth at 7 minutes. Source of these ratios: Luo et al., SIGMETRICS 2018, MLC at 10,000 P/E cycles
/// and 20 C.
[[nodiscard]] VthDistribution vth_distribution(config::CellType cell, Millivolts ispp_step, double pe_cycles,
                                               double retention_days, double temperature_c,
                                               double earliest_days = kEarliestPlanarDays, double young_cycles = 0);
/// References of least raw bit errors: where neighbouring densities cross.
[[nodiscard]] References optimal_references(const VthDistribution& vth);
/// The distributions after `reads` reads of other pages of the block: weak programming, strongest on the erased state.
/// In proportion to the reads, weaker by e per 60 units of threshold voltage (assumed), growing with P/E^0.33. Scaled
/// so that the LSB page of TLC at 2,000 P/E cycles and 1 day reaches 5e-3 after 518,420 reads, what a 3D TLC block
/// survives under uniform reads (STRAW, ASPLOS'26; their count of P/E cycles and limit are assumed).
[[nodiscard]] VthDistribution read_disturbed(VthDistribution vth, double pe_cycles, double reads);
/// References of step `step`: step 0 is the optimum at 1 day and 2,000 P/E cycles, kYearStep the optimum at 1 year and
/// 2,000 P/E cycles, each step a quarter of the way from one to the other; the steps beyond are for older data.
[[nodiscard]] References retry_references(config::CellType cell, unsigned step);
/// Errors per bit of a page that senses the references of `mask` (bit r = reference r).
[[nodiscard]] double page_rber(const VthDistribution& vth, const References& references, std::uint16_t mask);
/// Mean over all pages of the word line.
[[nodiscard]] double mean_rber(const VthDistribution& vth, const References& references);

/// All widths times `factor`.
[[nodiscard]] VthDistribution widened(VthDistribution vth, double factor);
/// Factor on all widths that multiplies the mean rate (references re-optimised) by `ratio`.
[[nodiscard]] double width_for_ratio(const VthDistribution& vth, double ratio);

/// References that each page type senses: a Gray code whose bit i changes senses[i] times. Empty `senses`: 1 | 1/2 |
/// 2/3/2 | 1/2/4/8 for SLC to QLC. Throws std::invalid_argument if no Gray code has these counts.
[[nodiscard]] std::vector<std::uint16_t> page_references(config::CellType cell,
                                                         const std::vector<std::uint32_t>& senses);

/// Raw bit errors of h-layer `layer` of `layers` over those of the best layer at the same age. Four named layers of
/// Shim, SNU 2020 (alpha top edge, beta best, kappa worst, omega bottom edge), cubic between them: best to worst 1.6
/// fresh and 2.3 after 2,000 P/E cycles and 1 year. Their positions and the values of alpha and omega are assumed.
[[nodiscard]] double layer_factor(unsigned layer, unsigned layers, double pe_cycles, double retention_days,
                                  double temperature_c);

}  // namespace wordline::nand
