// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/text.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "models/workload/source.h"

namespace wordline::workload {

WorkloadError::WorkloadError(std::vector<std::string> errors)
    : std::runtime_error(fmt::format("{}", fmt::join(errors, "\n"))), errors_(std::move(errors)) {}

namespace text {

std::optional<std::uint64_t> to_unsigned(std::string_view s) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size() || s.empty()) return std::nullopt;
  return value;
}

std::optional<double> to_double(std::string_view s) {
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != s.data() + s.size() || s.empty()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

std::string lower(std::string_view s) {
  std::string result(s);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

void split(std::string_view s, char separator, std::vector<std::string_view>& parts) {
  parts.clear();
  while (true) {
    const auto at = s.find(separator);
    parts.push_back(trimmed(s.substr(0, at)));
    if (at == std::string_view::npos) return;
    s.remove_prefix(at + 1);
  }
}

void split_blanks(std::string_view s, std::vector<std::string_view>& parts) {
  parts.clear();
  for (s = trimmed(s); !s.empty(); s = trimmed(s)) {
    const auto at = s.find_first_of(" \t");
    parts.push_back(s.substr(0, at));
    if (at == std::string_view::npos) return;
    s.remove_prefix(at);
  }
}

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string short_bytes(std::uint64_t bytes) {
  static constexpr const char* kSuffix[] = {"", "k", "m", "g", "t"};
  unsigned i = 0;
  while (i < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++i;
  }
  return fmt::format("{}{}", bytes, kSuffix[i]);
}

std::string plain(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string long_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnit[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  auto value = static_cast<double>(bytes);
  unsigned i = 0;
  while (i < 5 && value >= 1024) {
    value /= 1024;
    ++i;
  }
  // Three digits read well; "{:.3g}" would turn 1023 into 1.02e+03.
  return (value >= 1000 ? plain(value, 4) : plain(value, 3)) + kUnit[i];
}

std::string duration(std::int64_t ps) {
  const auto v = static_cast<double>(ps);
  if (v >= 2 * 86400e12) return plain(v / 86400e12, 3) + " d";
  if (v >= 2 * 3600e12) return plain(v / 3600e12, 3) + " h";
  if (v >= 1000e12) return plain(v / 60e12, 3) + " min";
  if (v >= 1e12) return plain(v / 1e12, 3) + " s";
  if (v >= 1e9) return plain(v / 1e9, 3) + " ms";
  return plain(v / 1e6, 3) + " us";
}

void Errors::add(std::size_t line, const std::string& message) {
  keep(fmt::format("{}:{}: error: {}", path_, line, message));
}
void Errors::add(const std::string& message) { keep(fmt::format("{}: error: {}", path_, message)); }

void Errors::keep(std::string line) {
  if (++count_ <= kKept) lines_.push_back(std::move(line));
}

void Errors::check() const {
  if (empty()) return;
  auto lines = lines_;
  if (count_ > kKept) lines.push_back(fmt::format("{}: and {} more errors", path_, grouped(count_ - kKept)));
  throw WorkloadError(std::move(lines));
}

}  // namespace text
}  // namespace wordline::workload
