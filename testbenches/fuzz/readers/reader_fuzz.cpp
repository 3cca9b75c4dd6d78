// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/readers/reader_fuzz.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "testbenches/fuzz/readers/subjects.h"

namespace wordline::fuzz {
namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() : path_(fs::temp_directory_path() / ("wordline_fuzz_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// For a message: what is not ASCII as \\xNN, and not too long.
std::string shown(const std::string& bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 400)) {
    text += c >= ' ' && c <= '~' ? std::string(1, c)
            : c == '\n'          ? "\\n"
                                 : fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
  }
  return text;
}

}  // namespace

Tally fuzz_readers(std::uint64_t inputs, std::uint64_t seed, const std::string& only) {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<Subject>> subjects = text_subjects(folder.path());
  for (auto& subject : binary_subjects(folder.path())) subjects.push_back(std::move(subject));
  Tally tally;
  for (std::uint64_t i = 0; i < inputs; ++i) {
    Subject& subject = *subjects[i % subjects.size()];
    if (!only.empty() && subject.name() != only) continue;
    Draws draws(seed + i * 0x9e3779b97f4a7c15ULL);  // of this input alone: one can be tried again
    Verdict verdict;
    try {
      verdict = subject.read(draws);
    } catch (const std::exception& error) {
      verdict.failure = std::string("another exception: ") + error.what();
    }
    verdict.accepted ? tally.accepted(subject.name()) : tally.refused(subject.name());
    if (!verdict.failure.empty()) {
      tally.failed(
          fmt::format("{} (input {}): {}: {}", subject.name(), i, shown(verdict.failure), shown(subject.input())));
    }
  }
  return tally;
}

}  // namespace wordline::fuzz
