// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/fio/job.h"

/// Values of options as fio writes them.
namespace wordline::workload::fio {

/// A value that cannot be taken: what was expected instead.
struct Bad {
  std::string expected;
};

/// An option that fio has and a drive cannot obey with this value: why.
struct Refused {
  std::string reason;
};

/// Longest time that an option may say: sums of a start delay, a ramp time and a run time stay far from the end of
/// simulated time, which 64 bits have after 106 days.
inline constexpr Picoseconds kLongest{20LL * 86'400 * 1'000'000'000'000};
/// Largest number of bytes, requests or requests a second.
inline constexpr std::uint64_t kMost = std::uint64_t{1} << 60;

/// What an option says, and how numbers are to be read where it stands.
struct Value {
  std::string_view text;
  bool given = false;  // there is an '='
  unsigned kilo = 1024;

  [[nodiscard]] Value of(std::string_view part) const { return {part, true, kilo}; }
  /// A multiple of something by a suffix: fio's k is kb_base and Ki the other one.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Bytes of whole blocks.
  [[nodiscard]] std::uint64_t blocks_of_512() const;
  /// At most `most` percent: a region is part of the drive, an amount of I/O may go around it many times.
  [[nodiscard]] Extent extent(std::uint64_t most = 100) const;
  /// A suffix d, h, m, s, ms, us; `unit` ps without one.
  [[nodiscard]] Picoseconds time(std::int64_t unit) const;
  [[nodiscard]] std::uint64_t number(std::uint64_t low, std::uint64_t high) const;
  [[nodiscard]] double real(double low, double high) const;
  [[nodiscard]] bool flag() const;
  /// Values by direction: "8" is of all; "8,32" of reads, then of writes and trims; an empty part keeps `before`.
  [[nodiscard]] std::vector<std::string_view> by_direction() const;
};

/// Sets a value for every direction by `set(op, part)`; the last part given holds for the directions after it, an empty
/// one leaves them as they are.
template <class Set>
void for_directions(const Value& value, Set set) {
  const auto parts = value.by_direction();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const std::size_t last = i + 1 == parts.size() ? kOps : i + 1;
    for (std::size_t op = i; op < last; ++op) set(op, value.of(parts[i]));
  }
}

/// A product or sum of numbers in fio's arithmetic, "5*1024*(4096/8)", rounded down. Throws Bad.
[[nodiscard]] std::uint64_t arithmetic(std::string_view text);

inline constexpr std::int64_t kSecond = 1'000'000'000'000;
inline constexpr std::int64_t kMillisecond = 1'000'000'000;
inline constexpr std::int64_t kMicrosecond = 1'000'000;

}  // namespace wordline::workload::fio
