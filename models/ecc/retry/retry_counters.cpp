// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_counters.h"

namespace wordline::ecc {

void RetryCounters::count_lpages(const CodewordMask& requested, const CodewordMask& failed, bool given_up) {
  for (unsigned c = 0; c < kRetryCodewords; c += kRetryPair) {
    if (!requested[c] && !requested[c + 1]) continue;
    if (!failed[c] && !failed[c + 1]) {
      ++decoded_lpages;
    } else if (given_up) {
      ++uncorrectable_lpages;
    }
  }
}

}  // namespace wordline::ecc
