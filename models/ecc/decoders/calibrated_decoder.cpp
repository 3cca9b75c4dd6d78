// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/calibrated_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "models/ecc/decoders/normal.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeMinSum = 0x6d696e73756d;
constexpr std::uint64_t kPurposeSoft = 0x736f6674;

double logit(double p) { return std::log(p / (1.0 - p)); }

double interpolate_probability(double a, double b, double t) {
  if (a == b) return a;  // not by way of the logit: rounding could make the rate fall
  if (a <= 0.0 || b <= 0.0 || a >= 1.0 || b >= 1.0) return a + (b - a) * t;
  return 1.0 / (1.0 + std::exp(-(logit(a) + (logit(b) - logit(a)) * t)));
}

}  // namespace

CalibratedDecoder::CalibratedDecoder(const Table& table)
    : rows_(table.rows),
      soft_(table.soft),
      bit_flipping_limit_(table.bit_flipping_limit),
      min_sum_limit_(table.min_sum_limit),
      correlation_(table.correlation) {
  try {
    check_table(table);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("decoder table: {}", error.what()));
  }
  dense_.reserve(rows_.back().bit_errors + 1);
  std::size_t b = 0;
  for (unsigned errors = 0; errors <= rows_.back().bit_errors; ++errors) {
    if (rows_[b].bit_errors < errors) ++b;
    // On a row, or with fewer errors than the first row, there is no other to go between.
    const std::size_t a = rows_[b].bit_errors <= errors || b == 0 ? b : b - 1;
    const TableRow& from = rows_[a];
    const TableRow& to = rows_[b];
    const double t = a == b ? 0 : static_cast<double>(errors - from.bit_errors) / (to.bit_errors - from.bit_errors);
    dense_.push_back({interpolate_probability(from.bit_flipping_failure, to.bit_flipping_failure, t),
                      interpolate_probability(from.min_sum_failure, to.min_sum_failure, t),
                      {a, b, t}});
  }
}

Outcome CalibratedDecoder::decode_again(unsigned bit_errors, std::uint64_t key) const {
  Outcome second = decode_min_sum(bit_errors, key);
  second.cycles += bit_flipping_limit_ + kStreamCycles;
  return second;
}

Outcome CalibratedDecoder::decode_min_sum(unsigned bit_errors, std::uint64_t key) const {
  const Entry& row = entry(bit_errors);
  double u = unit_interval(keyed_hash(key, kPurposeMinSum));
  if (correlation_ != 0) {
    constexpr double kHalfStep = 0x1.0p-55;  // unit_interval() may be 0
    const double hard = normal_quantile(bit_flipping_draw(key) + kHalfStep);
    const double own = normal_quantile(u + kHalfStep);
    u = normal_cdf(correlation_ * hard + std::sqrt(1 - correlation_ * correlation_) * own);
  }
  const double good = 1.0 - row.min_sum_failure;
  if (u >= good) return {false, min_sum_limit_, Tier::kMinSum};
  return {true, rows_[draw_row(row.between, key)].min_sum_clocks.clocks(u / good), Tier::kMinSum};
}

Outcome CalibratedDecoder::decode_soft(unsigned reads, const SoftCounts& counts, std::uint64_t key) const {
  const SoftTable& table = section(reads);
  const Interpolation at = interpolate(table, counts);
  const double good =
      1.0 - interpolate_probability(table.rows[at.a].min_sum_failure, table.rows[at.b].min_sum_failure, at.t);
  const double u = unit_interval(keyed_hash(key, kPurposeSoft, reads));
  if (u >= good) return {false, min_sum_limit_, Tier::kMinSum};
  return {true, table.rows[draw_row(at, keyed_hash(key, reads))].min_sum_clocks.clocks(u / good), Tier::kMinSum};
}

double CalibratedDecoder::failure(unsigned bit_errors) const {
  const Entry& row = entry(bit_errors);
  return row.bit_flipping_failure * row.min_sum_failure;
}

double CalibratedDecoder::soft_failure(unsigned reads, const SoftCounts& counts) const {
  const SoftTable& table = section(reads);
  const auto [a, b, t] = interpolate(table, counts);
  return interpolate_probability(table.rows[a].min_sum_failure, table.rows[b].min_sum_failure, t);
}

const SoftTable& CalibratedDecoder::section(unsigned reads) const {
  for (const SoftTable& table : soft_) {
    if (table.reads == reads) return table;
  }
  throw std::invalid_argument(fmt::format(
      "decoder table: no section `soft {}`; `wordline calibrate ecc` makes one for 2, 3, 5 and 7 reads", reads));
}

CalibratedDecoder::Interpolation CalibratedDecoder::interpolate(const SoftTable& table, const SoftCounts& counts) {
  const double severity = table.weights.severity(counts);
  const auto found =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const SoftRow& row) { return row.severity >= severity; });
  if (found == table.rows.end()) return {table.rows.size() - 1, table.rows.size() - 1, 0};
  const auto b = static_cast<std::size_t>(found - table.rows.begin());
  if (b == 0) return {0, 0, 0};
  const double from = table.rows[b - 1].severity;
  return {b - 1, b, (severity - from) / (found->severity - from)};
}

}  // namespace wordline::ecc
