// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace wordline::results {

/// A number with the 95 % interval in which a much longer run has it.
struct Interval {
  double value = 0, low = 0, high = 0;
  bool known = false;  // false: nothing is said of it

  /// The greater of the two distances, as a share of the value.
  [[nodiscard]] double width() const;
};

/// sum(a) / sum(b) over batches of a run whose neighbours depend on each other: requests over time, latencies over
/// requests, programmed over written pages. Its error comes from the lowest frequencies of the residuals
/// z = a - (sum a / sum b) b, which is what a longer run would still move: the mean of the kOrdinates lowest
/// ordinates of their periodogram (Daniell), with Student's t of 2 x kOrdinates degrees of freedom and a tenth more,
/// since a run stops where its interval happens to be narrow. Where the lowest three of them say more, these: a
/// spectrum that rises towards 0 has neighbours that pull each other along. As in Heidelberger and Welch, CACM 24(4),
/// 1981, but with a flat spectrum in place of the fitted polynomial.
///
/// Accuracy: docs/steady.md.
class Ratio {
 public:
  static constexpr std::size_t kOrdinates = 6;
  static constexpr std::size_t kFewest = 16;  // batches: fewer have no spectrum

  void reserve(std::size_t batches);
  void add(double a, double b);

  [[nodiscard]] std::size_t batches() const { return a_.size(); }
  [[nodiscard]] double value() const;
  /// Half of the 95 % interval; at least kFewest batches.
  [[nodiscard]] double half_width() const;
  /// Difference of the two halves in standard deviations: a trend has more than some two.
  [[nodiscard]] double halves_differ() const;
  /// Second half over first half, less 1.
  [[nodiscard]] double change() const;
  /// Values of `count` parts of equal length, as equal as batches allow.
  [[nodiscard]] std::vector<double> parts(std::size_t count) const;
  /// Correlation of neighbours.
  [[nodiscard]] double lag_one() const;

 private:
  [[nodiscard]] std::vector<double> residuals() const;
  [[nodiscard]] static double spectrum_at_zero(const std::vector<double>& z, std::size_t ordinates);

  std::vector<double> a_, b_;
};

}  // namespace wordline::results
