// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wordline::config {

enum class Kind : std::uint8_t {
  kInteger,
  kReal,
  kBool,
  kEnum,
  kString,
  kTime,
  kBytes,
  kFrequency,
  kBandwidth,
  kTransferRate,
  kVoltage,
  kCurrent,
  kEnergy,
  kPower,
  kRegionAge,
};

/// A checked value. Quantities are in base units: picoseconds, bytes, hertz, bytes/s, transfers/s (whole numbers);
/// millivolts, microamperes, microjoules and milliwatts (real). An enumeration is the index of its choice.
using Scalar = std::variant<std::int64_t, double, bool, std::string>;
using Value = std::variant<Scalar, std::vector<Scalar>>;

/// What to write for a value of this kind: "a time: ps, ns, us, ms, s".
[[nodiscard]] std::string_view expected(Kind kind);
/// Whether values of this kind are written as text with a unit.
[[nodiscard]] bool has_unit(Kind kind);
/// Whether these are real numbers of base units, not whole ones.
[[nodiscard]] bool is_real(Kind kind);

/// Units that values of this kind are written in; empty when they have none.
[[nodiscard]] std::vector<std::string_view> unit_names(Kind kind);

/// A quantity with its unit, such as "45us" or "1.6GT/s", in base units. Exact: what is not a whole number of base
/// units (of an integer kind) is refused. Empty when `text` is not a quantity of this kind.
[[nodiscard]] std::optional<Scalar> parse_quantity(Kind kind, std::string_view text);
/// The inverse, in the largest unit that leaves at least 1: "1.25ns".
[[nodiscard]] std::string format_quantity(Kind kind, const Scalar& value);
/// The shortest decimal that reads back as `value`, with a point: a TOML float.
[[nodiscard]] std::string format_real(double value);
/// A TOML basic string.
[[nodiscard]] std::string quoted(std::string_view text);

/// The nearest of `words` by edit distance; empty when none is near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string_view>& words);

}  // namespace wordline::config
