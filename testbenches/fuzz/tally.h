// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wordline::fuzz {

/// What became of the inputs of a fuzzer, by class of input. An input is accepted or refused; what is neither is a
/// failure.
class Tally {
 public:
  struct Row {
    std::uint64_t accepted = 0, refused = 0;
  };

  void accepted(const std::string& input_class) { ++rows_[input_class].accepted; }
  void refused(const std::string& input_class) { ++rows_[input_class].refused; }
  void failed(const std::string& what);

  [[nodiscard]] const std::map<std::string, Row>& rows() const { return rows_; }
  [[nodiscard]] Row total() const;
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  /// The first few.
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

  /// A table of the classes, the total and the failures. Returns the exit code of a program: 1 when something failed.
  int print() const;

 private:
  static constexpr std::size_t kMessages = 20;

  std::map<std::string, Row> rows_;
  std::uint64_t failures_ = 0;
  std::vector<std::string> messages_;
};

}  // namespace wordline::fuzz
