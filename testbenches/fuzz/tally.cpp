// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/tally.h"

#include <fmt/core.h>

namespace wordline::fuzz {

void Tally::failed(const std::string& what) {
  ++failures_;
  if (messages_.size() < kMessages) messages_.push_back(what);
}

Tally::Row Tally::total() const {
  Row sum;
  for (const auto& [name, row] : rows_) {
    sum.accepted += row.accepted;
    sum.refused += row.refused;
  }
  return sum;
}

int Tally::print() const {
  fmt::print("{:<36} {:>10} {:>10} {:>10}\n", "class", "inputs", "accepted", "refused");
  const auto print_row = [](const std::string& name, const Row& row) {
    fmt::print("{:<36} {:>10} {:>10} {:>10}\n", name, row.accepted + row.refused, row.accepted, row.refused);
  };
  for (const auto& [name, row] : rows_) print_row(name, row);
  print_row("all", total());
  fmt::print("failures: {}\n", failures_);
  for (const std::string& message : messages_) fmt::print("  {}\n", message);
  return failures_ == 0 ? 0 : 1;
}

}  // namespace wordline::fuzz
