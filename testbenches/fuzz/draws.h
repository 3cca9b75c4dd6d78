// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "models/units/keyed_random.h"

namespace wordline::fuzz {

/// Random numbers of a fuzzer, in order: the same seed gives the same inputs.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t bits() { return mix64(seed_ ^ mix64(++count_)); }
  /// Below `n`, which is not 0.
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  /// From `first` to `last`, both included.
  std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }
  /// True once in `n` times.
  bool once_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <class Container>
  const auto& from(const Container& values) {
    return values[below(values.size())];
  }
  /// A number as hostile input has it: small, random, or next to a power of two.
  std::uint64_t extreme() {
    switch (below(4)) {
      case 0:
        return below(4);
      case 1:
        return bits();
      default:
        return (std::uint64_t{1} << below(64)) + below(3) - 1;
    }
  }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

}  // namespace wordline::fuzz
