// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/units/quantity.h"

namespace wordline::host::nvme {

/// Timestamp (Features 0Eh, Base 5.27.1.11): milliseconds that the host has set, or since the last reset of the
/// controller, and which of the two. It counts in simulated time without a pause, so Synch is 0.
class Timestamp {
 public:
  static constexpr std::size_t kBytes = 8;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  static constexpr unsigned kOriginShift = 49;     // of the eight bytes: Synch is bit 48, the origin 51:49
  static constexpr std::uint64_t kOriginHost = 1;  // 0: cleared by a reset

  void set(const std::byte* data, Picoseconds now) {
    std::uint64_t value = 0;
    std::memcpy(&value, data, kBytes);
    start_ = value & kMask;
    since_ = now;
    origin_ = kOriginHost;
  }
  [[nodiscard]] std::uint64_t milliseconds(Picoseconds now) const {
    return (start_ + static_cast<std::uint64_t>((now - since_).count() / kMillisecond)) & kMask;
  }
  void fill(std::byte* page, Picoseconds now) const {
    const std::uint64_t value = milliseconds(now) | origin_ << kOriginShift;
    std::memcpy(page, &value, kBytes);
  }
  void reset(Picoseconds now) { *this = Timestamp(now); }

  explicit Timestamp(Picoseconds now = {}) : since_(now) {}

 private:
  static constexpr std::int64_t kMillisecond = 1'000'000'000;

  std::uint64_t start_ = 0;
  Picoseconds since_;
  std::uint64_t origin_ = 0;
};

}  // namespace wordline::host::nvme
