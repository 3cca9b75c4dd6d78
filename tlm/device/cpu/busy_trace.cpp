// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/busy_trace.h"

#include <algorithm>

namespace wordline::cpu {

void BusyTrace::add(Picoseconds from, Picoseconds to) {
  if (to <= from) return;
  while (to.count() > width_.count() * static_cast<std::int64_t>(kIntervals)) double_width();
  for (Picoseconds at = from; at < to;) {
    const auto i = static_cast<std::size_t>(at.count() / width_.count());
    const Picoseconds end = std::min(to, width_ * static_cast<std::int64_t>(i + 1));
    if (busy_.size() <= i) busy_.resize(i + 1);
    busy_[i] += end - at;
    at = end;
  }
}

void BusyTrace::widen(Picoseconds width) {
  while (width_ < width) double_width();
}

void BusyTrace::double_width() {
  for (std::size_t i = 0; 2 * i < busy_.size(); ++i)
    busy_[i] = busy_[2 * i] + (2 * i + 1 < busy_.size() ? busy_[2 * i + 1] : Picoseconds(0));
  busy_.resize((busy_.size() + 1) / 2);
  width_ = width_ * 2;
}

}  // namespace wordline::cpu
