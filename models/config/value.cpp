// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/value.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/units/text.h"

namespace wordline::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;  // base units
  bool print;           // a candidate when a value is written
};

constexpr Unit kTimes[] = {{"ps", 1, true},
                           {"ns", 1'000, true},
                           {"us", 1'000'000, true},
                           {"ms", 1'000'000'000, true},
                           {"s", 1'000'000'000'000, true}};
constexpr Unit kSizes[] = {
    {"B", 1, true},           {"kB", 1'000, false},     {"MB", 1'000'000, false}, {"GB", 1'000'000'000, false},
    {"KiB", 1LL << 10, true}, {"MiB", 1LL << 20, true}, {"GiB", 1LL << 30, true}, {"TiB", 1LL << 40, true}};
constexpr Unit kFrequencies[] = {
    {"Hz", 1, true}, {"kHz", 1'000, true}, {"MHz", 1'000'000, true}, {"GHz", 1'000'000'000, true}};
constexpr Unit kBandwidths[] = {{"B/s", 1, true},
                                {"kB/s", 1'000, true},
                                {"MB/s", 1'000'000, true},
                                {"GB/s", 1'000'000'000, true},
                                {"KiB/s", 1LL << 10, false},
                                {"MiB/s", 1LL << 20, false},
                                {"GiB/s", 1LL << 30, false}};
constexpr Unit kTransferRates[] = {
    {"T/s", 1, true}, {"kT/s", 1'000, true}, {"MT/s", 1'000'000, true}, {"GT/s", 1'000'000'000, true}};
constexpr Unit kVoltages[] = {{"mV", 1, true}, {"V", 1'000, true}};
constexpr Unit kCurrents[] = {{"uA", 1, true}, {"mA", 1'000, true}, {"A", 1'000'000, true}};
constexpr Unit kEnergies[] = {{"uJ", 1, true}, {"mJ", 1'000, true}, {"J", 1'000'000, true}};
constexpr Unit kPowers[] = {{"mW", 1, true}, {"W", 1'000, true}};

struct Units {
  const Unit* begin_;
  const Unit* end_;
  [[nodiscard]] const Unit* begin() const { return begin_; }
  [[nodiscard]] const Unit* end() const { return end_; }
};

template <std::size_t N>
constexpr Units all(const Unit (&table)[N]) {
  return {table, table + N};
}

Units units_of(Kind kind) {
  switch (kind) {
    case Kind::kTime:
      return all(kTimes);
    case Kind::kBytes:
      return all(kSizes);
    case Kind::kFrequency:
      return all(kFrequencies);
    case Kind::kBandwidth:
      return all(kBandwidths);
    case Kind::kTransferRate:
      return all(kTransferRates);
    case Kind::kVoltage:
      return all(kVoltages);
    case Kind::kCurrent:
      return all(kCurrents);
    case Kind::kEnergy:
      return all(kEnergies);
    case Kind::kPower:
      return all(kPowers);
    default:
      return {nullptr, nullptr};
  }
}

/// digits [. digits] times factor, exact; empty when it is not whole or does not fit.
std::optional<std::int64_t> whole(std::string_view number, std::int64_t factor) {
  unsigned __int128 digits = 0;
  unsigned __int128 scale = 1;
  bool fraction = false;
  unsigned count = 0;
  for (const char c : number) {
    if (c == '.') {
      if (fraction) return std::nullopt;
      fraction = true;
      continue;
    }
    if (++count > 20) return std::nullopt;
    digits = digits * 10 + static_cast<unsigned>(c - '0');
    if (fraction) scale *= 10;
  }
  const unsigned __int128 product = digits * static_cast<unsigned __int128>(factor);
  if (product % scale != 0 || product / scale > static_cast<unsigned __int128>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(product / scale);
}

std::string trimmed_decimal(std::int64_t value, std::int64_t factor) {
  std::string text = std::to_string(value / factor);
  std::int64_t rest = value % factor;
  if (rest == 0) return text;
  text += '.';
  while (rest != 0) {  // factors that are printed with a fraction are powers of ten
    factor /= 10;
    text += static_cast<char>('0' + rest / factor);
    rest %= factor;
  }
  return text;
}

std::string shortest(double value) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::optional<double> real_of(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view expected(Kind kind) {
  switch (kind) {
    case Kind::kInteger:
      return "a whole number";
    case Kind::kReal:
      return "a number";
    case Kind::kBool:
      return "true or false";
    case Kind::kEnum:
      return "one of its choices";
    case Kind::kString:
      return "a text";
    case Kind::kTime:
      return "a time: ps, ns, us, ms, s";
    case Kind::kBytes:
      return "a size: B, KiB, MiB, GiB, TiB, kB, MB, GB";
    case Kind::kFrequency:
      return "a frequency: Hz, kHz, MHz, GHz";
    case Kind::kBandwidth:
      return "a bandwidth: B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s";
    case Kind::kTransferRate:
      return "a transfer rate: T/s, kT/s, MT/s, GT/s";
    case Kind::kVoltage:
      return "a voltage: mV, V";
    case Kind::kCurrent:
      return "a current: uA, mA, A";
    case Kind::kEnergy:
      return "an energy: uJ, mJ, J";
    case Kind::kPower:
      return "a power: mW, W";
    case Kind::kRegionAge:
      return "a region of the exported capacity and the age of its data, such as \"0-50%: 90d\"";
  }
  return {};
}

std::vector<std::string_view> unit_names(Kind kind) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units_of(kind)) names.push_back(unit.name);
  return names;
}

bool has_unit(Kind kind) { return units_of(kind).begin() != nullptr; }

bool is_real(Kind kind) {
  return kind == Kind::kVoltage || kind == Kind::kCurrent || kind == Kind::kEnergy || kind == Kind::kPower;
}

std::optional<Scalar> parse_quantity(Kind kind, std::string_view text) {
  std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string_view number = text.substr(0, digits);
  if (number.front() == '.' || number.back() == '.') return std::nullopt;
  while (digits < text.size() && text[digits] == ' ') ++digits;
  const std::string_view name = text.substr(digits);
  for (const Unit& unit : units_of(kind)) {
    if (unit.name != name) continue;
    if (is_real(kind)) {
      const auto value = real_of(number);
      if (!value) return std::nullopt;
      return Scalar(*value * static_cast<double>(unit.factor));
    }
    const auto value = whole(number, unit.factor);
    if (!value) return std::nullopt;
    return Scalar(*value);
  }
  return std::nullopt;
}

std::string format_quantity(Kind kind, const Scalar& value) {
  const Units units = units_of(kind);
  if (is_real(kind)) {
    const double number = std::get<double>(value);
    std::string best = fmt::format("{}{}", shortest(number), units.begin()->name);
    for (const Unit& unit : units) {
      const double scaled = number / static_cast<double>(unit.factor);
      // Only where the text reads back as the same number.
      if (scaled >= 1 && scaled * static_cast<double>(unit.factor) == number) {
        best = fmt::format("{}{}", shortest(scaled), unit.name);
      }
    }
    return best;
  }
  const std::int64_t number = std::get<std::int64_t>(value);
  const Unit* best = units.begin();
  for (const Unit& unit : units) {
    if (!unit.print || number < unit.factor) continue;
    if (kind == Kind::kBytes && number % unit.factor != 0) continue;
    best = &unit;
  }
  return fmt::format("{}{}", trimmed_decimal(number, best->factor), best->name);
}

std::string format_real(double value) {
  std::string text = shortest(value);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& words) {
  std::string_view best;
  // A third of the letters wrong is still a slip; more is another word.
  std::size_t limit = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view known : words) {
    const std::size_t distance = edit_distance(word, known);
    if (distance < limit) {
      limit = distance;
      best = known;
    }
  }
  return std::string(best);
}

}  // namespace wordline::config
