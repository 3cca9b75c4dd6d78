// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibrated_decoder.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeBitFlipping = 0x62666c6970;
constexpr std::uint64_t kPurposeMinSum = 0x6d696e73756d;

double logit(double p) { return std::log(p / (1.0 - p)); }

double interpolate_probability(double a, double b, double t) {
  if (a == b) return a;  // not by way of the logit: rounding could make the rate fall
  if (a <= 0.0 || b <= 0.0 || a >= 1.0 || b >= 1.0) return a + (b - a) * t;
  return 1.0 / (1.0 + std::exp(-(logit(a) + (logit(b) - logit(a)) * t)));
}

std::uint32_t interpolate_cycles(std::uint32_t a, std::uint32_t b, double t) {
  return static_cast<std::uint32_t>(std::lround(a + (static_cast<double>(b) - a) * t));
}

/// The message for the first impossible value, or empty.
std::string fault(const TableRow& row, const TableRow* before) {
  const auto probability = [](double p) { return p >= 0.0 && p <= 1.0; };
  if (!probability(row.bit_flipping_failure) || !probability(row.min_sum_failure)) {
    return "a probability of failure lies outside 0 to 1";
  }
  if (row.bit_errors > kCodewordBits) {
    return "more bit errors than the " + std::to_string(kCodewordBits) + " bits of a codeword";
  }
  if (before != nullptr && row.bit_errors <= before->bit_errors) return "bit errors must rise from row to row";
  if (row.bit_flipping_cycles == 0 || row.min_sum_cycles == 0) return "a decoder takes at least one cycle";
  return {};
}

}  // namespace

Table parse_table(std::istream& in, const std::string& name) {
  Table table;
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(name + ":" + std::to_string(number) + ": " + what);
    };
    if (const auto comment = line.find('#'); comment != std::string::npos) line.erase(comment);
    std::istringstream words(line);
    std::string first;
    if (!(words >> first)) continue;
    std::string rest;
    if (first == "limits") {
      long long bit_flipping = 0;
      long long min_sum = 0;
      if (!(words >> bit_flipping >> min_sum) || (words >> rest) || bit_flipping <= 0 || min_sum <= 0 ||
          bit_flipping > 1'000'000'000 || min_sum > 1'000'000'000) {
        fail("expected `limits BF_CYCLES MS_CYCLES`, two positive whole numbers");
      }
      if (table.bit_flipping_limit != 0) fail("a second `limits` line");
      table.bit_flipping_limit = static_cast<std::uint32_t>(bit_flipping);
      table.min_sum_limit = static_cast<std::uint32_t>(min_sum);
      continue;
    }
    std::istringstream row_words(line);
    long long errors = 0;
    long long bit_flipping = 0;
    long long min_sum = 0;
    TableRow row{};
    if (!(row_words >> errors >> row.bit_flipping_failure >> bit_flipping >> row.min_sum_failure >> min_sum) ||
        (row_words >> rest) || errors < 0 || errors > kCodewordBits || bit_flipping < 0 || min_sum < 0 ||
        bit_flipping > 1'000'000'000 || min_sum > 1'000'000'000) {
      fail("expected `BIT_ERRORS BF_FAILURE BF_CYCLES MS_FAILURE MS_CYCLES`, found `" + line + "`");
    }
    row.bit_errors = static_cast<unsigned>(errors);
    row.bit_flipping_cycles = static_cast<std::uint32_t>(bit_flipping);
    row.min_sum_cycles = static_cast<std::uint32_t>(min_sum);
    const std::string what = fault(row, table.rows.empty() ? nullptr : &table.rows.back());
    if (!what.empty()) fail(what);
    table.rows.push_back(row);
  }
  if (in.bad()) throw std::runtime_error(name + ": cannot be read to its end");
  if (table.rows.empty())
    throw std::runtime_error(name + ": no row; expected lines of bit errors, failures and cycles");
  if (table.bit_flipping_limit == 0) throw std::runtime_error(name + ": no line `limits BF_CYCLES MS_CYCLES`");
  return table;
}

Table load_table(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    throw std::runtime_error(path + ": cannot be opened; ecc.table names the decoder's table, empty for the built-in");
  return parse_table(in, path);
}

CalibratedDecoder::CalibratedDecoder(const Table& table)
    : bit_flipping_limit_(table.bit_flipping_limit), min_sum_limit_(table.min_sum_limit) {
  if (table.rows.empty()) throw std::invalid_argument("decoder table: no rows");
  if (bit_flipping_limit_ == 0 || min_sum_limit_ == 0) throw std::invalid_argument("decoder table: limits are missing");
  const TableRow* before = nullptr;
  for (const TableRow& row : table.rows) {
    const std::string what = fault(row, before);
    if (!what.empty()) {
      throw std::invalid_argument("decoder table, row of " + std::to_string(row.bit_errors) + " bit errors: " + what);
    }
    before = &row;
  }
  dense_.reserve(table.rows.back().bit_errors + 1);
  std::size_t next = 0;
  for (unsigned errors = 0; errors <= table.rows.back().bit_errors; ++errors) {
    if (table.rows[next].bit_errors < errors) ++next;
    const TableRow& b = table.rows[next];
    const TableRow& a = table.rows[next == 0 ? 0 : next - 1];
    if (b.bit_errors <= errors || next == 0) {
      dense_.push_back(b);  // on a row, or fewer errors than the first row
      continue;
    }
    const double t = static_cast<double>(errors - a.bit_errors) / (b.bit_errors - a.bit_errors);
    dense_.push_back({errors, interpolate_probability(a.bit_flipping_failure, b.bit_flipping_failure, t),
                      interpolate_cycles(a.bit_flipping_cycles, b.bit_flipping_cycles, t),
                      interpolate_probability(a.min_sum_failure, b.min_sum_failure, t),
                      interpolate_cycles(a.min_sum_cycles, b.min_sum_cycles, t)});
  }
}

Outcome CalibratedDecoder::decode(unsigned bit_errors, std::uint64_t key) const {
  const TableRow& row = entry(bit_errors);
  if (row.bit_flipping_failure < 1.0 &&
      unit_interval(keyed_hash(key, kPurposeBitFlipping)) >= row.bit_flipping_failure) {
    return {true, row.bit_flipping_cycles, Tier::kBitFlipping};
  }
  const std::uint32_t escalation = bit_flipping_limit_ + kStreamCycles;
  if (row.min_sum_failure < 1.0 && unit_interval(keyed_hash(key, kPurposeMinSum)) >= row.min_sum_failure) {
    return {true, escalation + row.min_sum_cycles, Tier::kMinSum};
  }
  return {false, escalation + min_sum_limit_, Tier::kMinSum};
}

double CalibratedDecoder::failure(unsigned bit_errors) const {
  const TableRow& row = entry(bit_errors);
  return row.bit_flipping_failure * row.min_sum_failure;
}

}  // namespace wordline::ecc
