// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wordline::workload {

struct FuzzResult {
  std::uint64_t lines = 0;
  std::uint64_t requests = 0;  // still good after the mutation
  std::uint64_t refused = 0;
  std::uint64_t left_out = 0;         // no requests by their format, and counted
  std::vector<std::string> failures;  // the first few: what the parser says and what the line says
};

/// Damages good lines of every text format, a few characters each, and parses them. Each line must end as a request
/// with the numbers that a second, slow parser (regular expressions) finds, as an error with a reason, or as something
/// that the format has besides requests; nothing may vanish. Now and then the lines of a format go through a file and
/// load_workload. Same seed, same lines.
[[nodiscard]] FuzzResult fuzz_lines(std::uint64_t lines, std::uint64_t seed);

}  // namespace wordline::workload
