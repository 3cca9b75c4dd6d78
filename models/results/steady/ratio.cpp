// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/steady/ratio.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wordline::results {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// Student's t, 97.5 %, of 12 degrees of freedom, and of 6.
constexpr double kStudent = 2.1788, kStudentOfHalf = 2.4469;
static_assert(Ratio::kOrdinates == 6, "t has two degrees of freedom for each ordinate");
constexpr double kStopsWhereNarrow = 1.1;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

double Interval::width() const { return value > 0 ? std::max(high - value, value - low) / value : 0; }

void Ratio::reserve(std::size_t batches) {
  a_.reserve(batches);
  b_.reserve(batches);
}

void Ratio::add(double a, double b) {
  a_.push_back(a);
  b_.push_back(b);
}

double Ratio::value() const {
  const double all = sum(b_);
  return all > 0 ? sum(a_) / all : 0;
}

std::vector<double> Ratio::residuals() const {
  const double v = value();
  std::vector<double> z(a_.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = a_[i] - v * b_[i];
  return z;
}

/// Spectral density at frequency 0, which is K times the variance of the mean of K residuals.
double Ratio::spectrum_at_zero(const std::vector<double>& z, std::size_t ordinates) {
  const std::size_t count = z.size();
  double power = 0;
  for (std::size_t i = 1; i <= ordinates; ++i) {
    // A rotation in place of a cosine for each batch.
    const double angle = 2 * kPi * static_cast<double>(i) / static_cast<double>(count);
    const double turn_re = std::cos(angle), turn_im = std::sin(angle);
    double at_re = 1, at_im = 0, re = 0, im = 0;
    for (const double value : z) {
      re += value * at_re;
      im += value * at_im;
      const double next = at_re * turn_re - at_im * turn_im;
      at_im = at_re * turn_im + at_im * turn_re;
      at_re = next;
    }
    power += (re * re + im * im) / static_cast<double>(count);
  }
  return power / static_cast<double>(ordinates);
}

double Ratio::half_width() const {
  const double all = sum(b_);
  if (all <= 0 || a_.size() < kFewest) return 0;
  const auto count = static_cast<double>(a_.size());
  const std::vector<double> z = residuals();
  const double wide = kStopsWhereNarrow * kStudent * std::sqrt(spectrum_at_zero(z, kOrdinates));
  const double near = kStudentOfHalf * std::sqrt(spectrum_at_zero(z, kOrdinates / 2));
  return std::max(wide, near) * std::sqrt(count) / all;
}

double Ratio::halves_differ() const {
  const std::vector<double> z = residuals();
  const std::size_t half = z.size() / 2;
  if (half == 0) return 0;
  const auto n = static_cast<std::ptrdiff_t>(half);
  const double first = std::accumulate(z.begin(), z.begin() + n, 0.0);
  const double second = std::accumulate(z.end() - n, z.end(), 0.0);
  const double power = spectrum_at_zero(z, kOrdinates);
  const double difference = (second - first) / static_cast<double>(half);
  if (power <= 0) return 0;
  return difference / std::sqrt(2 * power / static_cast<double>(half));
}

std::vector<double> Ratio::parts(std::size_t count) const {
  std::vector<double> values;
  for (std::size_t part = 0; part < count; ++part) {
    double a = 0, b = 0;
    for (std::size_t i = part * a_.size() / count; i < (part + 1) * a_.size() / count; ++i) {
      a += a_[i];
      b += b_[i];
    }
    values.push_back(b > 0 ? a / b : 0);
  }
  return values;
}

double Ratio::change() const {
  const std::vector<double> halves = parts(2);
  return halves[0] > 0 ? halves[1] / halves[0] - 1 : 0;
}

double Ratio::lag_one() const {
  const std::vector<double> z = residuals();
  double product = 0, square = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    square += z[i] * z[i];
    if (i != 0) product += z[i] * z[i - 1];
  }
  return square > 0 ? product / square : 0;
}

}  // namespace wordline::results
