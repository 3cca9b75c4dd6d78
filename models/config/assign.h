// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/config/schema.h"
#include "models/config/value.h"

/// From a checked value to a field of Config. The kind of a key and the type of its field must fit; std::get throws if
/// not, and the tests set every key.
namespace wordline::config {

inline void assign(bool& field, const Scalar& v) { field = std::get<bool>(v); }
inline void assign(std::uint32_t& field, const Scalar& v) {
  field = static_cast<std::uint32_t>(std::get<std::int64_t>(v));
}
inline void assign(std::uint64_t& field, const Scalar& v) {
  field = static_cast<std::uint64_t>(std::get<std::int64_t>(v));
}
inline void assign(double& field, const Scalar& v) { field = std::get<double>(v); }
inline void assign(RegionAge& field, const Scalar& v) { field = parse_region_age(std::get<std::string>(v)).value(); }
inline void assign(std::string& field, const Scalar& v) { field = std::get<std::string>(v); }
template <class Tag, class Rep>
void assign(Quantity<Tag, Rep>& field, const Scalar& v) {
  if constexpr (std::is_floating_point_v<Rep>) {
    field = Quantity<Tag, Rep>(std::get<double>(v));
  } else {
    field = Quantity<Tag, Rep>(static_cast<Rep>(std::get<std::int64_t>(v)));
  }
}
inline void assign(CellType& field, const Scalar& v) { field = static_cast<CellType>(std::get<std::int64_t>(v) + 1); }
template <class Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
void assign(Enum& field, const Scalar& v) {
  field = static_cast<Enum>(std::get<std::int64_t>(v));
}

template <class T>
void assign(T& field, const Value& v) {
  assign(field, std::get<Scalar>(v));
}
template <class T, std::size_t N>
void assign(std::array<T, N>& field, const Value& v) {
  const auto& list = std::get<std::vector<Scalar>>(v);
  for (std::size_t i = 0; i < N; ++i) assign(field[i], list.at(i));
}
template <class T>
void assign(std::vector<T>& field, const Value& v) {
  field.clear();
  for (const Scalar& element : std::get<std::vector<Scalar>>(v)) {
    T item{};
    assign(item, element);
    field.push_back(item);
  }
}

/// The inverse: the value that a field was given.
inline Scalar value_of(bool v) { return v; }
inline Scalar value_of(std::uint32_t v) { return std::int64_t{v}; }
inline Scalar value_of(std::uint64_t v) { return static_cast<std::int64_t>(v); }
inline Scalar value_of(double v) { return v; }
inline Scalar value_of(const RegionAge& v) { return fmt::format("{}-{}%: {}d", v.from, v.to, v.days); }
inline Scalar value_of(const std::string& v) { return v; }
template <class Tag, class Rep>
Scalar value_of(Quantity<Tag, Rep> v) {
  if constexpr (std::is_floating_point_v<Rep>) {
    return v.count();
  } else {
    return static_cast<std::int64_t>(v.count());
  }
}
inline Scalar value_of(CellType v) { return static_cast<std::int64_t>(v) - 1; }
template <class Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
Scalar value_of(Enum v) {
  return static_cast<std::int64_t>(v);
}
template <class T>
std::vector<Scalar> values_of(const T& list) {
  std::vector<Scalar> values;
  for (const auto& element : list) values.push_back(value_of(element));
  return values;
}
template <class T, std::size_t N>
std::vector<Scalar> value_of(const std::array<T, N>& list) {
  return values_of(list);
}
template <class T>
std::vector<Scalar> value_of(const std::vector<T>& list) {
  return values_of(list);
}

/// A key with choices; the first of them is 0 in its field.
inline Key choice(std::string_view name, std::string_view value, std::vector<std::string_view> choices,
                  std::string_view text, std::string_view source, Field field) {
  return {name, Kind::kEnum, "", value, "", "", text, source, field, std::move(choices)};
}

/// A list of `least` to `most` elements.
inline Key list_of(Key key, unsigned least, unsigned most) {
  key.list_min = least;
  key.list_max = most;
  return key;
}

/// A key without effect unless another one has a certain value (Key::needs).
inline Key needing(std::string_view needs, Key key) {
  key.needs = needs;
  return key;
}

/// A key that changes no result.
inline Key only_observes(Key key) {
  key.only_observes = true;
  return key;
}

/// Quantities that Config keeps as plain volts and amperes.
inline double volts(const Value& v) { return std::get<double>(std::get<Scalar>(v)) / 1e3; }
inline double amperes(const Value& v) { return std::get<double>(std::get<Scalar>(v)) / 1e6; }

}  // namespace wordline::config

/// How a key's value goes into Config and out of it: the member `path` of it.
#define FIELD(path)                                                                                                 \
  Field {                                                                                                           \
    [](Config& c, const Value& v) { assign(c.path, v); }, [](const Config& c) -> Value { return value_of(c.path); } \
  }
