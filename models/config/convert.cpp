// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A value as written, held against its key: type, unit, choice, range. And back to TOML.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "models/config/region_age.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Type, unit and choice; range is checked by the caller. Empty: not acceptable.
std::optional<Scalar> scalar_of(const Key& key, const Raw& raw) {
  const auto* text = std::get_if<std::string>(&raw.value);
  const auto* integer = std::get_if<std::int64_t>(&raw.value);
  const auto* real = std::get_if<double>(&raw.value);
  switch (key.kind) {
    case Kind::kInteger:
      if (integer != nullptr) return Scalar(*integer);
      return std::nullopt;
    case Kind::kReal:
      if (integer != nullptr) return Scalar(static_cast<double>(*integer));
      if (real != nullptr) return Scalar(*real);
      return std::nullopt;
    case Kind::kBool:
      if (const auto* flag = std::get_if<bool>(&raw.value)) return Scalar(*flag);
      return std::nullopt;
    case Kind::kString:
      if (text != nullptr) return Scalar(*text);
      return std::nullopt;
    case Kind::kEnum: {
      if (text == nullptr) return std::nullopt;
      const std::string_view choice = key.spelling != nullptr ? key.spelling(*text) : *text;
      const auto found = std::find(key.choices.begin(), key.choices.end(), choice);
      if (found == key.choices.end()) return std::nullopt;
      return Scalar(static_cast<std::int64_t>(found - key.choices.begin()));
    }
    case Kind::kRegionAge:
      if (text != nullptr && parse_region_age(*text)) return Scalar(*text);
      return std::nullopt;
    default:
      if (text != nullptr) return parse_quantity(key.kind, *text);
      if (integer != nullptr && *integer == 0) {  // zero needs no unit
        return is_real(key.kind) ? Scalar(0.0) : Scalar(*integer);
      }
      return std::nullopt;
  }
}

/// A limit of the key's range; empty when there is none.
std::optional<Scalar> limit_of(const Key& key, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto limit = scalar_of(key, bare_value(text));
  if (!limit) throw std::logic_error(fmt::format("limit of {}: {}", key.name, text));
  return limit;
}

bool in_range(const Key& key, const Scalar& value) {
  const auto low = limit_of(key, key.min_text);
  const auto high = limit_of(key, key.max_text);
  // Written so that a NaN is outside. NOLINTNEXTLINE(misc-redundant-expression)
  return (!low || value >= *low) && (!high || value <= *high) && value == value;
}

std::string format_scalar(const Key& key, const Scalar& value) {
  switch (key.kind) {
    case Kind::kInteger:
      return std::to_string(std::get<std::int64_t>(value));
    case Kind::kReal:
      return format_real(std::get<double>(value));
    case Kind::kBool:
      return std::get<bool>(value) ? "true" : "false";
    case Kind::kString:
    case Kind::kRegionAge:
      return quoted(std::get<std::string>(value));
    case Kind::kEnum:
      return quoted(key.choices.at(static_cast<std::size_t>(std::get<std::int64_t>(value))));
    default:
      return quoted(format_quantity(key.kind, value));
  }
}

}  // namespace

Raw bare_value(std::string_view text) {
  text = trimmed(text);
  if (text == "true") return {true};
  if (text == "false") return {false};
  if (const auto integer = number<std::int64_t>(text)) return {*integer};
  if (const auto real = number<double>(text)) return {*real};
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    return {std::string(text.substr(1, text.size() - 2))};
  }
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    std::vector<Raw> list;
    text = trimmed(text.substr(1, text.size() - 2));
    while (!text.empty()) {
      const auto comma = std::min(text.find(','), text.size());
      list.push_back(bare_value(text.substr(0, comma)));
      text = comma == text.size() ? std::string_view() : text.substr(comma + 1);
    }
    return {std::move(list)};
  }
  return {std::string(text)};
}

std::string written(const Raw& raw) {
  struct Writer {
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return format_real(v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return quoted(v); }
    std::string operator()(const Raw::Other& v) const { return std::string(v.type); }
    std::string operator()(const std::vector<Raw>& v) const {
      std::vector<std::string> texts;
      for (const Raw& element : v) texts.push_back(written(element));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
  };
  return std::visit(Writer{}, raw.value);
}

std::string expectation(const Key& key) {
  std::string text;
  if (key.kind == Kind::kEnum) {
    text = fmt::format("one of: {}", fmt::join(key.choices, ", "));
  } else {
    text = expected(key.kind);
    if (!key.min_text.empty() || !key.max_text.empty()) {
      // The units are said first; then what is allowed.
      if (has_unit(key.kind)) text += ",";
      if (!key.min_text.empty()) text += fmt::format(" from {}", key.min_text);
      if (!key.max_text.empty()) text += fmt::format(" to {}", key.max_text);
    }
  }
  if (!key.is_list()) return text;
  if (key.list_min == key.list_max) return fmt::format("a list of {}, each {}", key.list_max, text);
  return fmt::format("a list of {} to {}, each {}", key.list_min, key.list_max, text);
}

Converted convert(const Key& key, const Raw& raw) {
  const auto refuse = [&] {
    std::string text = fmt::format("{} is {}, expected {}", key.name, written(raw), expectation(key));
    if (const auto* word = std::get_if<std::string>(&raw.value); word != nullptr && key.kind == Kind::kEnum) {
      const std::string reason = key.why_not != nullptr ? key.why_not(*word) : std::string();
      const std::string near = nearest(*word, key.choices);
      if (!reason.empty()) {
        text += ": " + reason;
      } else if (!near.empty()) {
        text += fmt::format("; did you mean {}?", near);
      }
    }
    return Converted{{}, text};
  };
  if (!key.is_list()) {
    const auto value = scalar_of(key, raw);
    if (!value || !in_range(key, *value)) return refuse();
    return {*value, {}};
  }
  const auto* list = std::get_if<std::vector<Raw>>(&raw.value);
  if (list == nullptr || list->size() < key.list_min || list->size() > key.list_max) return refuse();
  std::vector<Scalar> values;
  for (const Raw& element : *list) {
    const auto value = scalar_of(key, element);
    if (!value || !in_range(key, *value)) return refuse();
    values.push_back(*value);
  }
  return {std::move(values), {}};
}

std::string format_value(const Key& key, const Value& value) {
  if (!key.is_list()) return format_scalar(key, std::get<Scalar>(value));
  std::vector<std::string> texts;
  for (const Scalar& element : std::get<std::vector<Scalar>>(value)) texts.push_back(format_scalar(key, element));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace wordline::config
