// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/interrupts.h"

#include "tlm/protocol/interfaces.h"

namespace wordline::host::nvme {
namespace {

constexpr Picoseconds kTimeUnit{100'000'000};  // TIME counts 100 us

}  // namespace

void Interrupts::act(const Agenda::Action& action) {
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kUnmasked:
      host_->interrupt(action.index, action.at);
      break;
    case Kind::kMessage:
      arrived(action.index);
      break;
    case Kind::kTime:
      if (vectors_[action.index].messages == action.value && vectors_[action.index].entries != 0) send(action.index);
      break;
  }
}

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

void Interrupts::send(unsigned vector) {
  vectors_[vector].entries = 0;
  ++vectors_[vector].messages;
  agenda_.schedule(link_->write(agenda_.now(), 4), *this, Kind::kMessage, vector);
}

void Interrupts::entry_posted(unsigned vector) {
  Vector& of = vectors_[vector];
  ++of.entries;
  if (of.entries > (coalescing_ & 0xffU)) {
    send(vector);
  } else if (of.entries == 1) {
    agenda_.schedule(agenda_.now() + kTimeUnit * static_cast<std::int64_t>(coalescing_ >> 8), *this, Kind::kTime,
                     vector, of.messages);
  }
}

/// Entries that have waited under the old values are signalled now.
void Interrupts::coalesce(std::uint32_t value) {
  coalescing_ = value;
  for (unsigned vector = 0; vector < vectors_.size(); ++vector) {
    if (vectors_[vector].entries != 0) send(vector);
  }
}

void Interrupts::disable_coalescing(unsigned vector, bool disabled) {
  vectors_[vector].disabled = disabled;
  if (disabled && vectors_[vector].entries != 0) send(vector);
}

void Interrupts::reset() {
  masked_ = pending_ = coalescing_ = 0;
  for (Vector& of : vectors_) of = {false, 0, of.messages + 1};
}

}  // namespace wordline::host::nvme
