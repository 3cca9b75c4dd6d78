// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wordline {

/// A number with a unit that the compiler checks. `Tag` names the unit, `Rep` holds the count.
/// Quantities of one unit add and compare; a ratio of two is a plain number; nothing converts silently.
template <class Tag, class Rep>
class Quantity {
 public:
  using rep = Rep;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}

  [[nodiscard]] constexpr Rep count() const { return count_; }

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return Quantity(a.count_ / divisor); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.count_ == b.count_; }
  friend constexpr bool operator!=(Quantity a, Quantity b) { return a.count_ != b.count_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.count_ < b.count_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.count_ <= b.count_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.count_ > b.count_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.count_ >= b.count_; }

 private:
  Rep count_{};
};

/// Simulated time. Signed, so that differences are safe; 64 bits reach 106 days.
using Picoseconds = Quantity<struct PicosecondsTag, std::int64_t>;
using Millivolts = Quantity<struct MillivoltsTag, double>;
using Picojoules = Quantity<struct PicojoulesTag, double>;
using Bytes = Quantity<struct BytesTag, std::uint64_t>;

/// Clock frequency in hertz.
using Hertz = Quantity<struct HertzTag, std::uint64_t>;
/// Bandwidth in bytes per second.
using BytesPerSecond = Quantity<struct BytesPerSecondTag, std::uint64_t>;
/// Bus data rate in transfers per second (8-bit bus: one byte per transfer).
using TransfersPerSecond = Quantity<struct TransfersPerSecondTag, std::uint64_t>;

inline namespace literals {
constexpr Picoseconds operator""_ps(unsigned long long v) { return Picoseconds(static_cast<std::int64_t>(v)); }
constexpr Picoseconds operator""_ns(unsigned long long v) { return Picoseconds(static_cast<std::int64_t>(v) * 1'000); }
constexpr Picoseconds operator""_us(unsigned long long v) {
  return Picoseconds(static_cast<std::int64_t>(v) * 1'000'000);
}
constexpr Picoseconds operator""_ms(unsigned long long v) {
  return Picoseconds(static_cast<std::int64_t>(v) * 1'000'000'000);
}
constexpr Bytes operator""_KiB(unsigned long long v) { return Bytes(v * 1024); }
constexpr Bytes operator""_MiB(unsigned long long v) { return Bytes(v * 1024 * 1024); }
constexpr Bytes operator""_GiB(unsigned long long v) { return Bytes(v * 1024 * 1024 * 1024); }
}  // namespace literals

/// Time to move `bytes` at `rate`, rounded up to the next picosecond: a transfer never ends early.
[[nodiscard]] constexpr Picoseconds transfer_time(std::uint64_t bytes, BytesPerSecond rate) {
  const auto numerator = static_cast<unsigned __int128>(bytes) * 1'000'000'000'000ULL;
  return Picoseconds(static_cast<std::int64_t>((numerator + rate.count() - 1) / rate.count()));
}

/// Length of `cycles` cycles of `clock`, rounded up to the next picosecond.
[[nodiscard]] constexpr Picoseconds cycles_time(std::uint64_t cycles, Hertz clock) {
  const auto numerator = static_cast<unsigned __int128>(cycles) * 1'000'000'000'000ULL;
  return Picoseconds(static_cast<std::int64_t>((numerator + clock.count() - 1) / clock.count()));
}

}  // namespace wordline
