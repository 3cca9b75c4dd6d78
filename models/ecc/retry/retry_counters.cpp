// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_counters.h"

namespace wordline::ecc {

std::size_t iteration_bin(unsigned iterations) {
  if (iterations <= 1) return 0;
  if (iterations <= 4) return iterations - 1;
  if (iterations <= 6) return 4;
  if (iterations <= 8) return 5;
  return iterations <= 12 ? 6 : 7;
}

void RetryCounters::count_decoded(DecodeWay way, unsigned iterations, unsigned corrected_bits_of_it) {
  ++codewords[static_cast<std::size_t>(way)];
  corrected_bits += corrected_bits_of_it;
  ++(way == DecodeWay::kT1 ? t1_iterations : t2_iterations)[iteration_bin(iterations)];
}

void RetryCounters::count_sectors(const CodewordMask& requested, const CodewordMask& failed, bool given_up) {
  for (unsigned c = 0; c < kRetryCodewords; c += 2) {
    if (!requested[c] && !requested[c + 1]) continue;
    if (!failed[c] && !failed[c + 1]) {
      ++decoded_sectors;
    } else if (given_up) {
      ++uncorrectable_sectors;
    }
  }
}

}  // namespace wordline::ecc
