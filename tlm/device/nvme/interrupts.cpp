// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/interrupts.h"

#include "tlm/protocol/interfaces.h"

namespace wordline::host::nvme {
namespace {

constexpr Picoseconds kTimeUnit = CompletionGates::kTick;  // TIME counts 100 us

}  // namespace

void Interrupts::act(const Agenda::Action& action) {
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kMessage:
      tell(action.index);
      break;
    case Kind::kTime:
      if (gates_ != nullptr) gates_->run_ticks();
      if (vectors_[action.index].messages == action.value && vectors_[action.index].entries != 0) send(action.index);
      break;
  }
}

bool Interrupts::hold_masked(unsigned vector) {
  if (vector >= 32 || (masked_ & 1U << vector) == 0) {
    if (gates_ != nullptr) gates_->message(vector);
    return false;
  }
  pending_ |= 1U << vector;
  return true;
}

void Interrupts::tell(unsigned vector) {
  if (host_.size() > 0) host_->interrupt(vector, agenda_.now());
}

void Interrupts::arrived(unsigned vector) {
  if (!hold_masked(vector)) tell(vector);
}

void Interrupts::unmask(std::uint32_t vectors) {
  masked_ &= ~vectors;
  if (gates_ != nullptr) gates_->mask(vectors, false);
  for (unsigned vector = 0; vector < 32; ++vector) {
    if ((pending_ & vectors & 1U << vector) == 0) continue;
    pending_ &= ~(1U << vector);
    if (gates_ != nullptr) gates_->message(vector);
    agenda_.schedule(link_->write(agenda_.now(), 4), *this, Kind::kMessage, vector);
  }
}

void Interrupts::send(unsigned vector) {
  vectors_[vector].entries = 0;
  ++vectors_[vector].messages;
  if (!hold_masked(vector)) agenda_.schedule(link_->write(agenda_.now(), 4), *this, Kind::kMessage, vector);
}

void Interrupts::entry_posted(unsigned vector) {
  Vector& of = vectors_[vector];
  ++of.entries;
  if (of.entries > (coalescing_ & 0xffU)) {
    send(vector);
  } else if (of.entries == 1) {
    agenda_.schedule(end_of_time(), *this, Kind::kTime, vector, of.messages);
  }
}

/// Of an entry that is there now.
Picoseconds Interrupts::end_of_time() const {
  const Picoseconds now = agenda_.now();
  const std::int64_t time = coalescing_ >> 8;
  return ticks_ ? kTimeUnit * (now.count() / kTimeUnit.count() + time + 1) : now + kTimeUnit * time;
}

/// Entries that have waited under the old values are signalled now.
void Interrupts::coalesce(std::uint32_t value) {
  coalescing_ = value;
  if (gates_ != nullptr) gates_->coalesce(value);
  for (unsigned vector = 0; vector < vectors_.size(); ++vector) {
    if (vectors_[vector].entries != 0) send(vector);
  }
}

void Interrupts::disable_coalescing(unsigned vector, bool disabled) {
  vectors_[vector].disabled = disabled;
  if (gates_ != nullptr) gates_->coalesce_vector(vector, disabled);
  if (disabled && vectors_[vector].entries != 0) send(vector);
}

void Interrupts::reset() {
  masked_ = pending_ = coalescing_ = 0;
  for (Vector& of : vectors_) of = {false, 0, of.messages + 1};
}

}  // namespace wordline::host::nvme
