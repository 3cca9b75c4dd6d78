// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/soft_sensing.h"

namespace wordline::ecc {

int soft_position(unsigned read) {
  const int distance = static_cast<int>((read + 1) / 2);
  return read % 2 == 1 ? -distance : distance;
}

int soft_offset(unsigned level, unsigned read, int delta) {
  if (kSoftReads[level] == 2) return read == 0 ? -delta / 2 : delta - delta / 2;
  return soft_position(read) * delta;
}

void SoftCentre::end_step(unsigned step) {
  // Means compared without dividing.
  const bool better = least_.codewords == 0 ||
                      std::uint64_t{here_.sum} * least_.codewords < std::uint64_t{least_.sum} * here_.codewords;
  if (!better) return;
  step_ = step;
  least_ = here_;
}

}  // namespace wordline::ecc
