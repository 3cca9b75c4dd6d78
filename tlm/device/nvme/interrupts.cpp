// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/interrupts.h"

#include "tlm/protocol/interfaces.h"

namespace wordline::host::nvme {

void Interrupts::arrived(unsigned vector) {
  if (vector < 32 && (masked_ & 1U << vector) != 0) {
    pending_ |= 1U << vector;
  } else if (host_.size() > 0) {
    host_->interrupt(vector, agenda_.now());
  }
}

void Interrupts::unmask(std::uint32_t vectors) {
  masked_ &= ~vectors;
  for (unsigned vector = 0; vector < 32; ++vector) {
    if ((pending_ & vectors & 1U << vector) == 0) continue;
    pending_ &= ~(1U << vector);
    agenda_.schedule(link_->write(agenda_.now(), 4), *this, Kind::kUnmasked, vector);
  }
}

}  // namespace wordline::host::nvme
