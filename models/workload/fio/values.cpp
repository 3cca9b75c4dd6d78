// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/units/index.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

struct Scaled {
  std::uint64_t whole = 0;
  double real = 0;  // the same, where there is a fraction
  bool fraction = false;
  std::string suffix;  // lower case
};

/// Digits, perhaps a fraction, and what follows them.
Scaled scaled(std::string_view value, const char* expected) {
  Scaled result;
  if (value.substr(0, 2) == "0x" || value.substr(0, 2) == "0X") {
    const auto* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data() + 2, end, result.whole, 16);
    if (error != std::errc() || value.size() == 2 || stop != end) throw Bad{expected};
    return result;
  }
  const auto digits = std::min(value.find_first_not_of("0123456789."), value.size());
  const auto number = value.substr(0, digits);
  result.suffix = text::lower(value.substr(digits));
  if (number.find('.') == std::string_view::npos) {
    const auto whole = text::to_unsigned(number);
    if (!whole) throw Bad{expected};
    result.whole = *whole;
    return result;
  }
  const auto real = text::to_double(number);
  if (!real) throw Bad{expected};
  result.real = *real;
  result.fraction = true;
  return result;
}

std::uint64_t times(const Scaled& value, std::uint64_t factor, std::uint64_t limit) {
  const std::string most = fmt::format("at most {}", limit);
  if (value.fraction) {
    const double product = value.real * static_cast<double>(factor);
    if (!(product < static_cast<double>(limit))) throw Bad{most};
    return static_cast<std::uint64_t>(product);
  }
  if (factor != 0 && value.whole > limit / factor) throw Bad{most};
  return value.whole * factor;
}

std::uint64_t power(std::uint64_t base, std::size_t exponent) {
  std::uint64_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// Sums, products and parentheses, by recursive descent.
class Arithmetic {
 public:
  explicit Arithmetic(std::string_view text) : text_(text) {}

  double all() {
    const double result = sum();
    if (at_ != text_.size()) bad();
    return result;
  }

 private:
  static constexpr unsigned kDeepest = 32;

  [[noreturn]] static void bad() { throw Bad{"arithmetic of numbers with + - * / and parentheses"}; }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  double sum() {
    double result = product();
    for (char sign = peek(); sign == '+' || sign == '-'; sign = peek()) {
      ++at_;
      result += sign == '+' ? product() : -product();
    }
    return result;
  }

  double product() {
    double result = factor();
    for (char sign = peek(); sign == '*' || sign == '/'; sign = peek()) {
      ++at_;
      const double by = factor();
      if (sign == '/' && by == 0) bad();
      result = sign == '*' ? result * by : result / by;
    }
    return result;
  }

  double factor() {
    if (peek() == '(') {
      if (++depth_ > kDeepest) bad();
      ++at_;
      const double result = sum();
      if (peek() != ')') bad();
      ++at_;
      --depth_;
      return result;
    }
    const auto end = std::min(text_.find_first_not_of("0123456789.", at_), text_.size());
    const auto number = text::to_double(text_.substr(at_, end - at_));
    if (!number) bad();
    at_ = end;
    return *number;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::uint64_t arithmetic(std::string_view text) {
  const double result = Arithmetic(text).all();
  if (!(result >= 0 && result < static_cast<double>(kMost))) throw Bad{"a result from 0 to 2^60"};
  return static_cast<std::uint64_t>(result);
}

std::uint64_t Value::bytes() const {
  static constexpr const char* kExpected = "bytes with an optional suffix k, m, g, t or p";
  if (text.find_first_of("*/+(") != std::string_view::npos) return arithmetic(text);
  const Scaled value = scaled(text, kExpected);
  std::string suffix = value.suffix;
  // fio: only the whole word turns the base around, so 1MiB is 1,000,000 and 1Mi is 1m.
  const bool other = suffix.size() == 3 && suffix.compare(1, 2, "ib") == 0;
  if (!suffix.empty() && suffix.back() == 'b') suffix.pop_back();
  if (suffix.size() == 2 && suffix[1] == 'i') suffix.pop_back();
  if (suffix.empty()) return times(value, 1, kMost);
  static constexpr std::string_view kOrder = "kmgtp";
  const auto at = kOrder.find(suffix);
  if (suffix.size() != 1 || at == std::string_view::npos) {
    if (suffix == "z") throw Refused{"z counts the zones of a zoned device, and the drive has none"};
    throw Bad{kExpected};
  }
  const unsigned base = other ? (kilo == 1024 ? 1000 : 1024) : kilo;
  return times(value, power(base, at + 1), kMost);
}

std::uint64_t Value::blocks_of_512() const {
  const std::uint64_t value = bytes();
  if (value % kLbaBytes != 0) throw Bad{"a multiple of 512 bytes"};
  return value;
}

Extent Value::extent(std::uint64_t most) const {
  Extent extent;
  if (!text.empty() && text.back() == '%') {
    // Templates of other programs write %% for one; fio looks at the first.
    const auto percent = text::to_unsigned(text.substr(0, text.find('%', text.find_last_not_of('%') + 1)));
    if (!percent || *percent > most) throw Bad{fmt::format("a percentage from 0% to {}%", most)};
    extent.percent = *percent;
  } else {
    extent.bytes = bytes();
  }
  return extent;
}

Picoseconds Value::time(std::int64_t unit) const {
  static constexpr const char* kExpected = "a number with suffix d, h, m, s, ms, us or ns";
  static const std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"s", kSecond},       {"sec", kSecond},       {"ms", kMillisecond},   {"msec", kMillisecond},
      {"us", kMicrosecond}, {"usec", kMicrosecond}, {"ns", 1000},           {"nsec", 1000},
      {"m", 60 * kSecond},  {"h", 3'600 * kSecond}, {"d", 86'400 * kSecond}};
  const Scaled value = scaled(text, kExpected);
  std::int64_t factor = value.suffix.empty() ? unit : 0;
  for (const auto& [name, ps] : kUnits) {
    if (value.suffix == name) factor = ps;
  }
  if (factor == 0) throw Bad{kExpected};
  try {
    const auto limit = static_cast<std::uint64_t>(kLongest.count());
    return Picoseconds(static_cast<std::int64_t>(times(value, static_cast<std::uint64_t>(factor), limit)));
  } catch (const Bad&) {
    throw Bad{"a time of at most 20 days"};
  }
}

std::uint64_t Value::number(std::uint64_t low, std::uint64_t high) const {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  std::uint64_t number = 0;
  if (text.find_first_of("*/+(") != std::string_view::npos) {
    number = arithmetic(text);
  } else {
    // fio takes suffixes for any number: iodepth=1k.
    const Scaled value = scaled(text, expected.c_str());
    static constexpr std::string_view kOrder = "kmgtp";
    const auto at = value.suffix.size() == 1 ? kOrder.find(value.suffix) : std::string_view::npos;
    if (!value.suffix.empty() && at == std::string_view::npos) throw Bad{expected};
    if (value.fraction) throw Bad{expected};
    try {
      number = times(value, value.suffix.empty() ? 1 : power(kilo, at + 1), UINT64_MAX);
    } catch (const Bad&) {
      throw Bad{expected};
    }
  }
  if (number < low || number > high) throw Bad{expected};
  return number;
}

double Value::real(double low, double high) const {
  const auto value = text::to_double(text);
  if (!value || !(*value >= low && *value <= high)) throw Bad{fmt::format("a number from {} to {}", low, high)};
  return *value;
}

bool Value::flag() const {
  if (!given || text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  throw Bad{"0 or 1"};
}

std::vector<std::string_view> Value::by_direction() const {
  std::vector<std::string_view> parts;
  text::split(text, ',', parts);
  if (parts.size() > kOps) throw Bad{"at most three values: read,write,trim"};
  if (parts.size() == 1 && parts[0].empty()) throw Bad{"a value"};
  return parts;
}

}  // namespace wordline::workload::fio
