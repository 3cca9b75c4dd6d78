// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wordline::testing {

/// A run of the program as a user types it: `wordline ARGUMENTS`, from the root of the source tree.
struct CommandResult {
  int exit_code;
  std::string output;  // stdout and stderr, interleaved
};
[[nodiscard]] CommandResult wordline(const std::vector<std::string>& arguments);

/// `wordline run CONFIG --workload WORKLOAD --set ... --out DIR`, expected to succeed; gives result.json.
struct Run {
  std::string config;
  std::string workload;  // a path, or the text of a fio job (contains a line break)
  std::vector<std::string> sets;
  std::vector<std::string> arguments;
};
struct RunResult {
  nlohmann::json result;      // without `provenance`, as two runs compare
  nlohmann::json provenance;  // that object
  nlohmann::json cost;
  std::string result_text;  // result.json, byte for byte, up to `provenance`
  std::string folder;
};
[[nodiscard]] RunResult run_drive(const Run& run);

/// A folder of this test's own, empty.
[[nodiscard]] std::string scratch_folder();
/// Writes `text` to `name` in the scratch folder and returns the path.
[[nodiscard]] std::string scratch_file(const std::string& name, const std::string& text);

}  // namespace wordline::testing
