// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/fuzz/draws.h"

namespace wordline::fuzz {

/// What came of one input. `failure` is empty unless it is neither.
struct Verdict {
  bool accepted = false;
  std::string failure;
};

/// A kind of input with good examples of it.
class Subject {
 public:
  virtual ~Subject() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// Damages one of the examples and reads it.
  virtual Verdict read(Draws& draws) = 0;
  /// The input that was read last.
  [[nodiscard]] const std::string& input() const { return input_; }

 protected:
  std::string input_;
};

/// `folder`: for files, empty.
[[nodiscard]] std::vector<std::unique_ptr<Subject>> text_subjects(const std::filesystem::path& folder);
[[nodiscard]] std::vector<std::unique_ptr<Subject>> binary_subjects(const std::filesystem::path& folder);

[[nodiscard]] std::string content_of(const std::filesystem::path& path);
void write_content(const std::filesystem::path& path, const std::string& content);
/// Refused with `message`: every line that is no continuation has to name a place, "file:line: error: ...". The failure
/// otherwise.
[[nodiscard]] Verdict refused(const std::string& message, const std::string& place);

}  // namespace wordline::fuzz
