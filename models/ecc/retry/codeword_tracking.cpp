// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/codeword_tracking.h"

#include <fmt/format.h>

#include <stdexcept>

namespace wordline::ecc {

void CodewordTracking::start(const CodewordMask& wanted) {
  if (wanted.none()) throw std::invalid_argument(fmt::format("{}: a read of no codewords", owner_));
  pending_ = wanted;
}

void CodewordTracking::begin_decoding() {
  awaited_ = pending_;
  failed_.reset();
}

void CodewordTracking::refuse(unsigned codeword) const {
  throw std::invalid_argument(fmt::format("{}: a verdict on codeword {}, which was not asked for", owner_, codeword));
}

}  // namespace wordline::ecc
