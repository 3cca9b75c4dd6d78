// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace wordline {

/// Keyed randomness: every random value of the model is a function of (seed, purpose, place, ...), never of the
/// order in which values are asked for. So the level of detail, the number of dies or the order of events cannot
/// change what a cell does, and two levels of detail can be compared run by run.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  // Finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class... Keys>
[[nodiscard]] constexpr std::uint64_t keyed_hash(std::uint64_t seed, Keys... keys) {
  std::uint64_t h = mix64(seed);
  ((h = mix64(h ^ static_cast<std::uint64_t>(keys))), ...);
  return h;
}

/// The hash of further keys, when the first keys are the same for many values: keyed_hash(seed, a, b) is
/// keyed_hash_on(keyed_hash(seed, a), b).
template <class... Keys>
[[nodiscard]] constexpr std::uint64_t keyed_hash_on(std::uint64_t hash, Keys... keys) {
  ((hash = mix64(hash ^ static_cast<std::uint64_t>(keys))), ...);
  return hash;
}

/// A hash as a number in [0, 1), in steps of 2^-53. Signed, since that is one instruction of the host.
[[nodiscard]] constexpr double unit_interval(std::uint64_t hash) {
  return static_cast<double>(static_cast<std::int64_t>(hash >> 11)) * 0x1.0p-53;
}
/// The least `hash >> 11` of which unit_interval(hash) is not below `p`; 2^53 when none is. So many draws can be
/// compared with one probability without a conversion.
[[nodiscard]] constexpr std::uint64_t steps_below(double p) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 53;
  if (!(p > 0)) return 0;
  if (p >= 1) return kAll;
  const auto whole = static_cast<std::uint64_t>(p * 0x1.0p53);  // exact: only the exponent changes
  return static_cast<double>(whole) < p * 0x1.0p53 ? whole + 1 : whole;
}

}  // namespace wordline
