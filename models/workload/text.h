// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Text helpers of the readers: strict numbers, natural units, error lists.
namespace wordline::workload::text {

/// What whoever exported a trace wrote beside it. A name of a file may begin with "//", so a blank belongs to it.
[[nodiscard]] inline bool is_remark(std::string_view line) {
  return !line.empty() && (line.front() == '#' || line.front() == ';' || line.substr(0, 3) == "// ");
}

/// The whole of `s` as a decimal number; nothing when there is anything else in it or it does not fit.
[[nodiscard]] std::optional<std::uint64_t> to_unsigned(std::string_view s);
[[nodiscard]] std::optional<double> to_double(std::string_view s);
[[nodiscard]] std::string_view trimmed(std::string_view s);
[[nodiscard]] std::string lower(std::string_view s);
/// Splits at every `separator`; "a,,b" has three parts.
void split(std::string_view s, char separator, std::vector<std::string_view>& parts);
/// Splits at runs of blanks.
void split_blanks(std::string_view s, std::vector<std::string_view>& parts);

/// 31380 -> "31,380".
[[nodiscard]] std::string grouped(std::uint64_t n);
/// 4096 -> "4k", 1073741824 -> "1g", exact; 512 -> "512".
[[nodiscard]] std::string short_bytes(std::uint64_t bytes);
/// "1.17 GiB".
[[nodiscard]] std::string long_bytes(std::uint64_t bytes);
/// Picoseconds as "260 s", "6.9 d".
[[nodiscard]] std::string duration(std::int64_t ps);
/// `value` with at most `digits` significant digits.
[[nodiscard]] std::string plain(double value, int digits = 6);

/// Collects "path:line: error: ..." and keeps the first twenty, so that a wrong file does not fill the screen.
class Errors {
 public:
  explicit Errors(std::string path) : path_(std::move(path)) {}
  void add(std::size_t line, const std::string& message);
  /// About the file as a whole.
  void add(const std::string& message);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Throws WorkloadError when there is anything to report.
  void check() const;

 private:
  void keep(std::string line);
  static constexpr std::size_t kKept = 20;
  std::string path_;
  std::size_t count_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace wordline::workload::text
