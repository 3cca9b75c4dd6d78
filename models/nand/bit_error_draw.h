// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::nand {

/// Binomial counts by inversion of distribution functions, one per percent of the error rate. Each is made when a count
/// of its rate is first drawn: a drive has few rates of the 1,600, and making all takes milliseconds. Tables are for
/// one thread.
///
/// Accuracy: the rate is rounded to the nearest of log-spaced buckets of 1 %, so the mean is within 0.5 %. Below 1e-8
/// at most one error is drawn (a second has a probability below 2e-8). Rates above 10 % draw as 10 %: hundreds of
/// errors beyond what any code of this size corrects.
class BinomialTable {
 private:
  static constexpr unsigned kPartBits = 6;
  static constexpr unsigned kParts = 1U << kPartBits;
  struct Bucket {
    std::vector<std::uint64_t> cdf;  // in steps of 2^-53; empty: not made
    std::uint32_t first = 0;         // count of the first entry
    // Where a search begins: entries below belong to u of the parts before.
    std::array<std::uint16_t, kParts> start{};
  };

 public:
  /// The distribution of one rate. It lives as long as its table.
  class Distribution {
   public:
    /// Smallest n with P(N <= n) > u, where u = unit_interval(hash).
    [[nodiscard]] unsigned count(std::uint64_t hash) const {
      const std::uint64_t steps = hash >> 11;
      if (start_ == nullptr) return steps >= none_ ? 1 : 0;
      std::uint32_t entry = start_[steps >> (53 - kPartBits)];
      while (entry < last_ && cdf_[entry] <= steps) ++entry;  // the last entry stands for the rest
      return first_ + entry;
    }

   private:
    friend class BinomialTable;
    explicit Distribution(double none) : none_(steps_below(none)) {}
    explicit Distribution(const Bucket& bucket)
        : cdf_(bucket.cdf.data()),
          start_(bucket.start.data()),
          last_(static_cast<std::uint32_t>(bucket.cdf.size() - 1)),
          first_(bucket.first) {}

    const std::uint64_t* cdf_ = nullptr;
    const std::uint16_t* start_ = nullptr;  // null: at most one error, and
    std::uint64_t none_ = 0;                // none below so many steps
    std::uint32_t last_ = 0;
    std::uint32_t first_ = 0;
  };

  explicit BinomialTable(unsigned trials);
  [[nodiscard]] unsigned count(double rate, std::uint64_t hash) const {
    return distribution(rate, bucket(rate)).count(hash);
  }
  /// index = bucket(rate): tables for other numbers of trials have the same buckets.
  [[nodiscard]] Distribution distribution(double rate, std::size_t index) const;
  [[nodiscard]] static std::size_t bucket(double rate);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  void make(std::size_t index) const;

  unsigned trials_;
  mutable std::vector<Bucket> buckets_;
};

/// Raw bit errors of a codeword of `bits` bits. Fifteen cells in sixteen keep their error for as long as the data stay
/// (worn or leaky cells: reading again does not help, better references do); one in sixteen decides anew at every read
/// (random telegraph noise; the share is assumed).
class BitErrorDraw {
 public:
  explicit BitErrorDraw(unsigned bits) : lasting_(bits - bits / 16), noisy_(bits / 16) {}

  /// The draws at one rate.
  struct AtRate {
    BinomialTable::Distribution lasting, noisy;
    [[nodiscard]] unsigned count(std::uint64_t lasting_hash, std::uint64_t read_hash) const {
      return lasting.count(lasting_hash) + noisy.count(read_hash);
    }
  };
  [[nodiscard]] AtRate at(double rate) const {
    const std::size_t bucket = BinomialTable::bucket(rate);
    return {lasting_.distribution(rate, bucket), noisy_.distribution(rate, bucket)};
  }
  /// `lasting` is keyed by flash address and P/E count, `read` by the read as well.
  [[nodiscard]] unsigned count(double rate, std::uint64_t lasting, std::uint64_t read) const {
    return at(rate).count(lasting, read);
  }

 private:
  BinomialTable lasting_;
  BinomialTable noisy_;
};

/// The draws of a drive, by length of codeword: of the code, and of what else asks for errors of pages. The dies share
/// them, on the one thread of their drive.
class BitErrorDraws {
 public:
  /// Stays where it is.
  [[nodiscard]] const BitErrorDraw& of(unsigned bits) { return draws_.try_emplace(bits, bits).first->second; }

 private:
  std::map<unsigned, BitErrorDraw> draws_;
};

}  // namespace wordline::nand
