// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "ecc/builtin_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace wordline::ecc {
namespace {

Latency latency(const builtin::Clocks& clocks) { return {builtin::kPieces + clocks.first, clocks.count}; }

Table make() {
  Table table;
  table.bit_flipping_limit = builtin::kBitFlippingLimit;
  table.min_sum_limit = builtin::kMinSumLimit;
  table.correlation = builtin::kCorrelation;
  table.rows.reserve(std::size(builtin::kRows));
  for (const builtin::Row& row : builtin::kRows) {
    table.rows.push_back({row.bit_errors, row.bit_flipping_failure, latency(row.bit_flipping_clocks),
                          row.min_sum_failure, latency(row.min_sum_clocks)});
  }
  const builtin::SoftClocks* next = builtin::kSoftRows;
  for (const builtin::Soft& soft : builtin::kSoft) {
    SoftTable made;
    made.reads = soft.reads;
    std::copy(std::begin(soft.wrong), std::end(soft.wrong), made.weights.wrong.begin());
    std::copy(std::begin(soft.right), std::end(soft.right), made.weights.right.begin());
    made.rows.reserve(soft.rows);
    for (std::size_t i = 0; i < soft.rows; ++i, ++next) {
      made.rows.push_back({next->severity, next->min_sum_failure, latency(next->min_sum_clocks)});
    }
    table.soft.push_back(std::move(made));
  }
  return table;
}

}  // namespace

const Table& builtin_table() {
  static const Table table = make();  // `check` and the drive ask for it
  return table;
}

}  // namespace wordline::ecc
