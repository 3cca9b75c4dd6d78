// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/vth.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace wordline::nand {

namespace {

constexpr unsigned kAges = 5;
constexpr std::array<double, kAges> kAgeDays{1, 7, 30, 90, 365};
constexpr double kTablePeCycles = 2000;
constexpr double kTableTemperature = 30;  // the source does not state it; the chips of Shim, SNU 2020, aged at 30 C

// Planar TLC, 2,000 P/E cycles, by retention age: Cai et al., Proc. IEEE 2017, appendix table 5.
constexpr double kTlcMean[kAges][8] = {{-92.7, 66.6, 128.1, 191.9, 254.9, 318.3, 384.3, 448.1},
                                       {-86.7, 67.5, 128.1, 191.4, 253.8, 316.5, 381.8, 444.9},
                                       {-84.4, 68.6, 128.7, 191.6, 253.5, 315.8, 380.9, 443.6},
                                       {-75.6, 72.8, 131.6, 193.3, 254.3, 315.7, 380.2, 442.2},
                                       {-69.4, 76.6, 134.2, 195.2, 255.3, 316.0, 379.6, 440.8}};
constexpr double kTlcSigma[kAges][8] = {{48.2, 9.7, 9.7, 9.4, 9.3, 9.1, 9.5, 9.1},
                                        {46.4, 10.7, 10.8, 10.5, 10.6, 10.3, 10.6, 10.6},
                                        {46.8, 11.3, 11.2, 11.0, 10.9, 10.8, 11.2, 11.1},
                                        {45.9, 12.0, 11.8, 11.5, 11.4, 11.4, 11.7, 11.7},
                                        {45.9, 12.8, 12.4, 12.0, 12.0, 11.9, 12.3, 12.4}};
// Width at 0 P/E over width at 2,000: P6 and P7, 9.3 / 9.5 and 8.5 / 9.1 (same source, table 4).
constexpr double kFreshWidth = 0.956;

/// ISPP step at which the widths above hold; another step changes the uniform part, step^2 / 12.
double reference_step_mv(config::CellType cell) {
  switch (cell) {
    case config::CellType::kSlc:
      return 400;
    case config::CellType::kMlc:
      return 300;
    case config::CellType::kTlc:
      return 180;
    case config::CellType::kQlc:
      return 90;
  }
  throw std::invalid_argument("nand: unknown cell type");
}

/// Mean and width of state `s` at table age `age` and 2,000 P/E cycles.
std::pair<double, double> table_state(config::CellType cell, unsigned age, unsigned s) {
  if (cell == config::CellType::kTlc || s == 0) return {kTlcMean[age][s], kTlcSigma[age][s]};
  double level = 256;
  double day = 12.6;   // sqrt(32^2 / 12 + 8.5^2): uniform part of a 400 mV step and the programming noise of the TLC
  double year = 16.5;  // times the growth of the TLC's widths
  if (cell == config::CellType::kMlc) {
    constexpr double kLevels[4] = {0, 66.6, 256, 448};
    level = kLevels[s];
    day = 11.0;
    year = 14.4;
  } else if (cell == config::CellType::kQlc) {
    level = 40 + 29.0 * (s - 1);
    day = 5.0;
    year = 6.9;
  }
  const double drift = std::log(kAgeDays[age]) / std::log(kAgeDays[kAges - 1]);
  const double growth = (kTlcSigma[age][3] - kTlcSigma[0][3]) / (kTlcSigma[kAges - 1][3] - kTlcSigma[0][3]);
  // Charge drifts towards a neutral level near 258: fit to P1 .. P7 of the TLC.
  return {level - 0.045 * (level - 258) * drift, day + (year - day) * growth};
}

/// Days at the table's temperature that age as much as `days` at `temperature_c` (Arrhenius, 1.1 eV).
double equivalent_days(double days, double temperature_c) {
  constexpr double kBoltzmann = 8.617e-5;  // eV/K
  const double inverse = 1 / (kTableTemperature + 273.15) - 1 / (temperature_c + 273.15);
  return days * std::exp(1.1 / kBoltzmann * inverse);
}

/// Where two densities are equal, between their means: the root of a quadratic.
double crossing(double m1, double s1, double m2, double s2) {
  const double p1 = 1 / (s1 * s1);
  const double p2 = 1 / (s2 * s2);
  const double a =
      p1 - p2;  // a, b and c of (p1 - p2) x^2 - 2 (p1 m1 - p2 m2) x + p1 m1^2 - p2 m2^2 - 2 ln(s2 / s1) = 0
  const double b = p1 * m1 - p2 * m2;
  const double c = p1 * m1 * m1 - p2 * m2 * m2 - 2 * std::log(s2 / s1);
  if (std::fabs(a) < 1e-12 * p1) return 0.5 * (m1 + m2);
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  const double x = (b + root) / a;  // b < 0 when the means are apart, so this one lies between them
  return x > m1 && x < m2 ? x : (b - root) / a;
}

bool assign_transitions(std::vector<unsigned>& left, unsigned code, unsigned reference, unsigned states,
                        std::uint32_t visited, std::vector<std::uint16_t>& masks) {
  if (reference == states) return true;
  for (unsigned bit = 0; bit < left.size(); ++bit) {
    const unsigned next = code ^ (1U << bit);
    if (left[bit] == 0 || (visited >> next & 1U) != 0) continue;
    --left[bit];
    masks[bit] = static_cast<std::uint16_t>(masks[bit] | 1U << reference);
    if (assign_transitions(left, next, reference + 1, states, visited | 1U << next, masks)) return true;
    masks[bit] = static_cast<std::uint16_t>(masks[bit] & ~(1U << reference));
    ++left[bit];
  }
  return false;
}

/// What cells younger than a day have yet to lose: drift in e-folds of time, and width over that of a day.
struct Early {
  double drift = 0;
  double width = 1;
};
Early early_of(double days) {
  constexpr double kThreeHours = 3.0 / 24;
  // The optimal reference moves as far from 7 minutes to 3 hours as from 3 hours to 11 days.
  constexpr double kFaster = 1.38;
  constexpr double kWidth3h = 0.916, kWidth7min = 0.816;
  if (days >= 1) return {};
  const double day = -std::log(kThreeHours);
  if (days >= kThreeHours) {
    const double x = -std::log(days);
    return {x, 1 + (kWidth3h - 1) * x / day};
  }
  const double x = std::log(kThreeHours / days);
  const double whole = std::log(kThreeHours / kEarliest3dDays);
  return {day + kFaster * x, kWidth3h + (kWidth7min - kWidth3h) * x / whole};
}

}  // namespace

double normal_tail(double x) { return 0.5 * std::erfc(x * 0.70710678118654752440); }

double normal_quantile(double probability) {
  double low = -8;
  double high = 8;
  for (unsigned i = 0; i < 40; ++i) {
    const double x = 0.5 * (low + high);
    (1 - normal_tail(x) < probability ? low : high) = x;
  }
  return 0.5 * (low + high);
}

VthDistribution widened(VthDistribution vth, double factor) {
  for (unsigned s = 0; s < vth.states; ++s) vth.sigma[s] *= factor;
  return vth;
}

/// Factor on all widths that multiplies the rate (references re-optimised) by `ratio`.
double width_for_ratio(const VthDistribution& vth, double ratio) {
  const double target = ratio * mean_rber(vth, optimal_references(vth));
  double low = 0.5;
  double high = 1.5;
  for (unsigned i = 0; i < 20; ++i) {
    const double middle = 0.5 * (low + high);
    const VthDistribution wide = widened(vth, middle);
    (mean_rber(wide, optimal_references(wide)) < target ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

VthDistribution vth_distribution(config::CellType cell, Millivolts ispp_step, double pe_cycles, double retention_days,
                                 double temperature_c, double earliest_days, double young_cycles) {
  const double days = std::max(earliest_days, equivalent_days(retention_days, temperature_c));
  unsigned age = 0;
  while (age + 2 < kAges && days >= kAgeDays[age + 1]) ++age;
  const double part = std::log(std::max(1.0, days) / kAgeDays[age]) / std::log(kAgeDays[age + 1] / kAgeDays[age]);
  const Early early = early_of(days);
  const double wear = std::sqrt(pe_cycles / kTablePeCycles);
  const double loss = std::sqrt((pe_cycles + young_cycles) / kTablePeCycles);
  const double step = ispp_step.count() / kMillivoltsPerUnit;
  const double reference_step = reference_step_mv(cell) / kMillivoltsPerUnit;

  VthDistribution vth;
  vth.states = 1U << bits_per_cell(cell);
  for (unsigned s = 0; s < vth.states; ++s) {
    const auto [day_mean, day_sigma] = table_state(cell, 0, s);
    const auto [mean_a, sigma_a] = table_state(cell, age, s);
    const auto [mean_b, sigma_b] = table_state(cell, age + 1, s);
    const double year_drift = (table_state(cell, kAges - 1, s).first - day_mean) / std::log(kAgeDays[kAges - 1]);
    const double mean = mean_a + part * (mean_b - mean_a) - early.drift * year_drift;
    const double sigma = sigma_a + part * (sigma_b - sigma_a);
    vth.mean[s] = day_mean + loss * (mean - day_mean);
    double width = day_sigma * (kFreshWidth + (1 - kFreshWidth) * wear) + loss * (sigma - day_sigma);
    width *= early.width;
    if (s > 0) {
      width = std::sqrt(std::max(1.0, width * width + (step * step - reference_step * reference_step) / 12));
    }
    vth.sigma[s] = width;
  }
  return vth;
}

References optimal_references(const VthDistribution& vth) {
  References references{};
  for (unsigned r = 1; r < vth.states; ++r) {
    references[r] = crossing(vth.mean[r - 1], vth.sigma[r - 1], vth.mean[r], vth.sigma[r]);
  }
  return references;
}

VthDistribution read_disturbed(VthDistribution vth, double pe_cycles, double reads) {
  constexpr double kReads = 518'420;
  constexpr double kErasedShift = 43.37;  // units after kReads reads at 2,000 P/E cycles
  constexpr double kDecay = 60;
  const double shift = kErasedShift * reads / kReads * std::pow(pe_cycles / kTablePeCycles, 0.33);
  const double erased = vth.mean[0];
  for (unsigned s = 0; s < vth.states; ++s) vth.mean[s] += shift * std::exp((erased - vth.mean[s]) / kDecay);
  return vth;
}

References retry_references(config::CellType cell, unsigned step) {
  const Millivolts ispp(reference_step_mv(cell));
  const References day = optimal_references(vth_distribution(cell, ispp, kTablePeCycles, 1, kTableTemperature));
  const References year = optimal_references(vth_distribution(cell, ispp, kTablePeCycles, 365, kTableTemperature));
  const double part = static_cast<double>(std::min(step, kRetrySteps - 1)) / kYearStep;
  References references{};
  for (unsigned r = 1; r < kMaxStates; ++r) references[r] = day[r] + part * (year[r] - day[r]);
  return references;
}

double page_rber(const VthDistribution& vth, const References& references, std::uint16_t mask) {
  double errors = 0;
  for (unsigned r = 1; r < vth.states; ++r) {
    if ((mask >> r & 1U) == 0) continue;
    errors += normal_tail((references[r] - vth.mean[r - 1]) / vth.sigma[r - 1]) +
              normal_tail((vth.mean[r] - references[r]) / vth.sigma[r]);
  }
  return errors / vth.states;  // all states are equally likely: data is scrambled
}

double mean_rber(const VthDistribution& vth, const References& references) {
  unsigned bits = 0;
  while (1U << bits < vth.states) ++bits;
  return page_rber(vth, references, 0xfffe) / bits;
}

std::vector<std::uint16_t> page_references(config::CellType cell, const std::vector<std::uint32_t>& senses) {
  const unsigned bits = bits_per_cell(cell);
  const unsigned states = 1U << bits;
  std::vector<unsigned> counts(senses.begin(), senses.end());
  if (counts.empty()) {
    if (cell == config::CellType::kTlc) {
      counts = {2, 3, 2};
    } else {
      for (unsigned bit = 0; bit < bits; ++bit) counts.push_back(1U << bit);
    }
  }
  // The code in common use; the search below would find another of the same counts.
  if (counts == std::vector<unsigned>{2, 3, 2})
    return {1U << 1 | 1U << 5, 1U << 2 | 1U << 4 | 1U << 6, 1U << 3 | 1U << 7};
  unsigned sum = 0;
  for (const unsigned count : counts) sum += count;
  std::vector<std::uint16_t> masks(bits);
  if (counts.size() != bits || sum != states - 1 || !assign_transitions(counts, 0, 1, states, 1, masks)) {
    throw std::invalid_argument(
        fmt::format("nand.timing.senses_per_page: {} counts are needed that sum to {} and belong to a Gray code, such "
                    "as 2, 3, 2 for TLC",
                    bits, states - 1));
  }
  return masks;
}

double layer_factor(unsigned layer, unsigned layers, double pe_cycles, double retention_days, double temperature_c) {
  if (layers <= 1) return 1;
  struct Anchor {
    double position;  // position of 48 layers
    double ratio[3];  // fresh; 2,000 P/E and 1 month; 2,000 P/E and 1 year
  };
  constexpr Anchor kAnchors[4] = {{0.0 / 47, {1.45, 1.7, 2.05}},   // alpha
                                  {14.0 / 47, {1.0, 1.0, 1.0}},    // beta
                                  {38.0 / 47, {1.6, 1.9, 2.3}},    // kappa
                                  {47.0 / 47, {1.5, 1.8, 2.15}}};  // omega
  // Age between the three columns: wear times the logarithm of retention time, 1 at 2,000 P/E and 1 year.
  const double days = std::max(1.0, equivalent_days(retention_days, temperature_c));
  const double year = std::log(365.0);
  const double month = std::log(30.0) / year;
  const double age = std::min(1.0, std::sqrt(pe_cycles / kTablePeCycles) * std::log(days) / year);
  const auto ratio = [&](const Anchor& a) {
    if (age < month) return a.ratio[0] + (a.ratio[1] - a.ratio[0]) * age / month;
    return a.ratio[1] + (a.ratio[2] - a.ratio[1]) * (age - month) / (1 - month);
  };
  const double position = static_cast<double>(layer) / (layers - 1);
  unsigned i = 0;
  while (i + 2 < 4 && position >= kAnchors[i + 1].position) ++i;
  const double x = (position - kAnchors[i].position) / (kAnchors[i + 1].position - kAnchors[i].position);
  const double smooth = x * x * (3 - 2 * x);  // flat at the anchors, so monotone between them
  return ratio(kAnchors[i]) + smooth * (ratio(kAnchors[i + 1]) - ratio(kAnchors[i]));
}

}  // namespace wordline::nand
