// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/units/index.h"
#include "models/units/quantity.h"

namespace wordline::workload {

/// One number that says what a workload is like.
struct Statistic {
  std::string name;  // "overwrite_factor"
  double value = 0;
  std::string unit;  // empty: a plain number
  std::string text;  // a sentence for a stranger
};

/// What a statistic looks at: all requests, or those of one direction.
enum class Part : std::uint8_t { kAll, kReads, kWrites };
inline constexpr std::array<Part, 3> kParts{Part::kAll, Part::kReads, Part::kWrites};

/// End of the name of a statistic that there is for every part: "top1_share", "top1_share_read", "top1_share_write".
[[nodiscard]] constexpr const char* suffix(Part part) {
  constexpr const char* kSuffix[] = {"", "_read", "_write"};
  return kSuffix[static_cast<std::size_t>(part)];
}

/// Collects statistics in the order of the report. What cannot be said of a workload (the mean of no reads) is left
/// out, never 0.
class StatisticList {
 public:
  void add(std::string name, double value, std::string unit, std::string text) {
    statistics_.push_back({std::move(name), value, std::move(unit), std::move(text)});
  }
  /// `part` of `whole`; nothing when there is no whole.
  void add_ratio(std::string name, double part, double whole, std::string unit, std::string text) {
    if (whole != 0) add(std::move(name), part / whole, std::move(unit), std::move(text));
  }
  [[nodiscard]] std::vector<Statistic> take() { return std::move(statistics_); }

 private:
  std::vector<Statistic> statistics_;
};

/// Devices are this many blocks of 512 bytes apart: 8 PiB, more than any device has.
inline constexpr unsigned kDeviceShift = 44;

/// A read or a write as the statistics see it. Addresses count blocks of 512 bytes; those of different devices are so
/// far apart that no page, run or distance spans two of them.
struct Access {
  bool write = false;
  std::uint64_t start = 0;
  std::uint64_t nlb = 0;
  Picoseconds arrival;

  [[nodiscard]] std::uint64_t end() const { return start + nlb; }
  [[nodiscard]] std::uint64_t bytes() const { return nlb * kLbaBytes; }
  [[nodiscard]] Part direction() const { return write ? Part::kWrites : Part::kReads; }
};

/// A member for all requests and one for each direction.
template <class T>
class ByPart {
 public:
  T& operator[](Part part) { return values_[static_cast<std::size_t>(part)]; }
  const T& operator[](Part part) const { return values_[static_cast<std::size_t>(part)]; }

 private:
  std::array<T, kParts.size()> values_{};
};

}  // namespace wordline::workload
