// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What several reads of a page around one reference say about its bits, and how often.
///
/// With 3, 5 or 7 reads at the reference and at 1, 2, 3 spacings to both sides, a cell falls into a region: 0 is next
/// to the reference (weak), the last is beyond the outermost read (strong). The centre read gives the hard bit, the
/// region its reliability. Two reads lie one spacing to either side and have no centre: cells between them are
/// erasures. Gap: Gaussian states, independent cells; real flash has neither exactly.
#pragma once

#include <array>
#include <cstdint>

#include "models/ecc/code/codeword.h"
#include "models/ecc/decoders/min_sum_decoder.h"

namespace wordline::ecc {

inline constexpr unsigned kMaxRegions = 4;

struct SoftLevel {
  unsigned reads;    // 1, 2, 3, 5 or 7
  unsigned regions;  // 1, 2, 2, 3, 4
  LlrTable llr;      // channel magnitude of a region
  /// Distance of the reads in units of half the distance of the two states: the spacing of most mutual information for
  /// two Gaussians of equal width at an error rate of 1.7e-2 (Wang, Wesel et al., JSAC 32(5) 2014), the rate that soft
  /// reads are for. Fixed, as in a controller with one table; a test computes it again.
  double spacing;
};

/// `reads` is 1, 2, 3, 5 or 7; throws std::invalid_argument for others.
[[nodiscard]] const SoftLevel& soft_level(unsigned reads);

/// Probabilities of a bit: wrong or right at the centre read, by region. Their sum is 1.
struct SoftChannel {
  std::array<double, kMaxRegions> wrong{};
  std::array<double, kMaxRegions> right{};

  [[nodiscard]] double error_rate() const { return wrong[0] + wrong[1] + wrong[2] + wrong[3]; }
};

struct Gaussian {
  double mean;
  double sigma;
};

/// Cells of two neighbouring states, equally many, around one reference; `spacing` in the unit of the means. A page
/// with several references is the sum of their channels, each times its share of the cells, plus the cells of states
/// that are next to none of them as right and strong. Throws std::invalid_argument unless lower.mean < upper.mean,
/// sigmas > 0.
[[nodiscard]] SoftChannel gaussian_channel(const SoftLevel& level, Gaussian lower, Gaussian upper, double reference,
                                           double spacing);

/// Two states of equal width, reference half way, the level's own spacing, and this error rate at the centre read
/// (above 0, below 0.5).
[[nodiscard]] SoftChannel symmetric_channel(const SoftLevel& level, double error_rate);

/// Bits of one codeword by region.
struct SoftCounts {
  std::array<std::uint32_t, kMaxRegions> wrong{};
  std::array<std::uint32_t, kMaxRegions> right{};

  [[nodiscard]] unsigned errors() const { return wrong[0] + wrong[1] + wrong[2] + wrong[3]; }
  /// Bits that are not in the outermost of `regions` regions.
  [[nodiscard]] unsigned weak(unsigned regions) const;
};

/// Draws the regions of a codeword that has `errors` wrong bits at the centre read: its wrong and its right bits each
/// fall into the regions as the channel says (two multinomial draws). A function of its arguments.
[[nodiscard]] SoftCounts draw_soft_counts(const SoftLevel& level, const SoftChannel& channel, unsigned errors,
                                          std::uint64_t key);

/// Number of successes among `trials` of probability `p`: exact inversion, outwards from the mode, of `u` in [0, 1).
[[nodiscard]] unsigned draw_binomial(unsigned trials, double p, double u);

}  // namespace wordline::ecc
