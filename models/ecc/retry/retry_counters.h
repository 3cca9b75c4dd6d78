// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Counters of a read-retry controller and of the reads that need none. Counts since reset; the registers show them
/// modulo 2^32. Nothing here has a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/ecc/retry/retry_messages.h"

namespace wordline::ecc {

inline constexpr unsigned kIterationBins =
    8;  ///< iteration bins of decodings in 1, 2, 3, 4, to 6, to 8, to 12, and more iterations

/// Bin of a number of iterations.
[[nodiscard]] inline std::size_t iteration_bin(unsigned iterations) {
  if (iterations <= 1) return 0;
  if (iterations <= 4) return iterations - 1;
  if (iterations <= 6) return 4;
  if (iterations <= 8) return 5;
  return iterations <= 12 ? 6 : 7;
}

struct RetryCounters {
  std::uint64_t decoded_lpages = 0;  ///< logical pages of finished reads; a logical page is codewords 2i and 2i + 1
  std::uint64_t uncorrectable_lpages = 0;  ///< given up
  std::uint64_t retries = 0;               ///< steps tried after the first
  std::uint64_t corrected_bits = 0;
  std::uint64_t miscorrections = 0;                           ///< codewords decoded to a wrong CRC
  std::array<std::uint64_t, 4> codewords{};                   ///< decoded, by DecodeWay
  std::array<std::uint64_t, kIterationBins> t1_iterations{};  ///< tier 1 iterations of the codewords decoded
  std::array<std::uint64_t, kIterationBins> t2_iterations{};

  /// A codeword was decoded, and its CRC fits.
  void count_decoded(DecodeWay way, unsigned iterations, unsigned corrected_bits_of_it) {
    ++codewords[static_cast<std::size_t>(way)];
    corrected_bits += corrected_bits_of_it;
    ++(way == DecodeWay::kT1 ? t1_iterations : t2_iterations)[iteration_bin(iterations)];
  }
  /// A read ended: the logical pages of `requested` have data but for those with a codeword in `failed`. These count as
  /// uncorrectable when they are `given_up`, else not at all.
  void count_lpages(const CodewordMask& requested, const CodewordMask& failed, bool given_up);
};

}  // namespace wordline::ecc
