// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace wordline::nand {

/// Binomial counts by inversion of distribution functions, one per percent of the error rate. Each is made when a count
/// of its rate is first drawn: a drive has few rates of the 1,600, and making all takes milliseconds. Tables are for
/// one thread.
///
/// Accuracy: the rate is rounded to the nearest of log-spaced buckets of 1 %, so the mean is within 0.5 %. Below 1e-8
/// at most one error is drawn (a second has a probability below 2e-8). Rates above 10 % draw as 10 %: hundreds of
/// errors beyond what any code of this size corrects.
class BinomialTable {
 public:
  explicit BinomialTable(unsigned trials);
  /// Smallest n with P(N <= n) > u; u in [0, 1).
  [[nodiscard]] unsigned count(double rate, double u) const { return count(rate, bucket(rate), u); }
  /// The count, with index = bucket(rate) found before: tables for other numbers of trials have the same buckets.
  [[nodiscard]] unsigned count(double rate, std::size_t index, double u) const;
  [[nodiscard]] static std::size_t bucket(double rate);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  static constexpr unsigned kParts = 16;
  struct Bucket {
    std::vector<double> cdf;  // empty: not made
    std::uint32_t first = 0;  // count of the first entry
    // Where a search begins: entries below belong to u of the sixteenths before.
    std::array<std::uint16_t, kParts> start{};
  };

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

  /// `lasting` is keyed by flash address and P/E count, `read` by the read as well.
  [[nodiscard]] unsigned count(double rate, std::uint64_t lasting, std::uint64_t read) const {
    return count(rate, BinomialTable::bucket(rate), lasting, read);
  }
  /// The count, with BinomialTable::bucket(rate) found before.
  [[nodiscard]] unsigned count(double rate, std::size_t bucket, std::uint64_t lasting, std::uint64_t read) const;

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
