// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/units/quantity.h"

namespace wordline::results {

/// Latency histogram with fio's buckets (fio 3.33 stat.c, FIO_IO_U_PLAT_BITS = 6, in nanoseconds): single nanoseconds
/// up to 127, then 64 buckets per power of two. Minimum, maximum, mean and deviation are exact in picoseconds.
///
/// Accuracy: each bucket keeps its least and greatest latency. A percentile is one of these when it is the first or
/// last of its bucket, so exactly the value when all of them are the same; else the middle between them, at most
/// 1/128 = 0.78 % from the value for latencies of 64 ns and more (below, half a nanosecond). Sums of squares are exact
/// while requests times squared latency stays below 2^128 ps^2: 10^9 requests of 10 minutes each.
class Histogram {
 public:
  static constexpr unsigned kBits = 6;
  static constexpr std::uint32_t kPerGroup = 1U << kBits;
  // 2^63 ps is 2^53.03 ns: bit 53 is the highest.
  static constexpr std::uint32_t kBuckets = (53 - kBits + 2) << kBits;

  /// fio's plat_val_to_idx, without its end at 17 s.
  [[nodiscard]] static constexpr std::uint32_t bucket_of_ns(std::uint64_t ns) {
    if (ns < 2 * kPerGroup) return static_cast<std::uint32_t>(ns);
    const unsigned shift = 63U - static_cast<unsigned>(__builtin_clzll(ns)) - kBits;
    return static_cast<std::uint32_t>(((shift + 1) << kBits) + ((ns >> shift) & (kPerGroup - 1)));
  }
  /// fio's plat_idx_to_val: the middle of the bucket in whole nanoseconds, the key in fio's JSON+ "bins".
  [[nodiscard]] static constexpr std::uint64_t bucket_value_ns(std::uint32_t bucket) {
    if (bucket < 2 * kPerGroup) return bucket;
    const std::uint32_t shift = (bucket >> kBits) - 1;
    return ((std::uint64_t{kPerGroup} + bucket % kPerGroup) << shift) + (std::uint64_t{1} << shift) / 2;
  }

  void add(Picoseconds latency) {
    const auto ps = static_cast<std::uint64_t>(latency.count() < 0 ? 0 : latency.count());
    Bucket& bucket = buckets_[bucket_of_ns(ps / 1000)];
    ++bucket.count;
    if (ps < bucket.least) bucket.least = ps;
    if (ps > bucket.greatest) bucket.greatest = ps;
    ++count_;
    sum_ += ps;
    squares_ += static_cast<unsigned __int128>(ps) * ps;
    if (ps < min_) min_ = ps;
    if (ps > max_) max_ = ps;
  }
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t in_bucket(std::uint32_t bucket) const { return buckets_[bucket].count; }
  [[nodiscard]] unsigned __int128 sum() const { return sum_; }
  /// 0 when nothing was added, as all that follow.
  [[nodiscard]] Picoseconds min() const;
  [[nodiscard]] Picoseconds max() const;
  /// Rounded to the nearest picosecond.
  [[nodiscard]] Picoseconds mean() const;
  /// The standard deviation of the sample (n - 1), as fio.
  [[nodiscard]] Picoseconds stddev() const;
  /// The smallest latency that at least `percent` of the requests do not exceed. Four decimals of `percent` count.
  [[nodiscard]] Picoseconds percentile(double percent) const;
  /// Requests that come after it in the order of latency.
  [[nodiscard]] std::uint64_t beyond(double percent) const { return count_ - needed(percent); }

 private:
  struct Bucket {
    std::uint64_t count = 0;
    std::uint64_t least = UINT64_MAX, greatest = 0;  // picoseconds
  };

  [[nodiscard]] std::uint64_t needed(double percent) const;

  std::array<Bucket, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  unsigned __int128 squares_ = 0;
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
};

/// A sum as 64 bits; the largest number when it does not fit.
[[nodiscard]] constexpr std::uint64_t saturated(unsigned __int128 sum) {
  return sum > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(sum);
}

/// sum / count to the nearest integer, halves up; 0 for no count.
[[nodiscard]] constexpr std::int64_t rounded_mean(unsigned __int128 sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<std::int64_t>((sum + count / 2) / count);
}

}  // namespace wordline::results
