// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace wordline::results {

/// What holds at the end of every run, whatever the drive: what one part has counted follows from what others have.
struct Law {
  std::string what;  // is counted, by whom
  std::uint64_t counted;
  std::string from;  // how it follows from other counts
  std::uint64_t least, most;
  std::string unit;
};

/// A sentence with the numbers; empty: it holds.
[[nodiscard]] std::string violation_of(const Law& law);

}  // namespace wordline::results
