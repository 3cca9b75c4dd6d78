// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/step_order.h"

#include <algorithm>

namespace wordline::ecc {

void StepOrder::start() {
  from_entry_ = false;
  tried_ = 0;
  retries_ = step_ = 0;
}

void StepOrder::look_up(const OptimalReferences::Entry& entry, bool sensed, bool first) {
  entry_ = entry;
  from_entry_ = entry.valid && first && !sensed && entry_step() != 0;
  step_ = from_entry_ ? entry_step() : 0;
  tried_ = static_cast<std::uint16_t>(1U << step_);
}

bool StepOrder::advance() {
  const int step = untried();
  if (step < 0 || retries_ >= settings_.max_retries) return false;
  step_ = static_cast<unsigned>(step);
  tried_ = static_cast<std::uint16_t>(tried_ | 1U << step);
  ++retries_;
  return true;
}

unsigned StepOrder::entry_step() const { return std::min<unsigned>(entry_.step, settings_.last_step); }

int StepOrder::untried() const {
  const auto is_untried = [&](int step) {
    return step >= 0 && step <= static_cast<int>(settings_.last_step) && (tried_ >> step & 1U) == 0;
  };
  if (from_entry_ && is_untried(0)) return 0;
  const int from = entry_.valid ? static_cast<int>(entry_step()) : 1;
  for (int distance = 0; distance < static_cast<int>(kRetryTableSteps); ++distance) {
    if (is_untried(from + distance)) return from + distance;
    if (is_untried(from - distance)) return from - distance;
  }
  return -1;
}

}  // namespace wordline::ecc
