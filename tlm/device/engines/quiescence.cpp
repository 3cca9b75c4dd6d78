// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/quiescence.h"

#include <algorithm>

namespace wordline::engines {

namespace regs = registers::engines;

Quiescence::Quiescence(BlockContext& block, const BufferEngine& buffer) : EnginePart(block), buffer_(buffer) {
  block.registers.command(regs::grace, [this](std::uint32_t kinds, Picoseconds at) {
    if (state_ == nullptr) {
      block_.error("ENGINES.GRACE before ENGINES.ENABLE");
      return;
    }
    if ((kinds & regs::grace_slots_mask) != 0) begin(WL_GRACE_SLOTS, at);
    if ((kinds & regs::grace_ppas_mask) != 0) begin(WL_GRACE_PPAS, at);
  });
}

bool Quiescence::enable(std::uint32_t /*set*/) {
  state_ = block_.table<wl_grace_state>(regs::grace_base, 1, "GRACE_BASE");
  return state_ != nullptr;
}

void Quiescence::begin(wl_grace kind, Picoseconds at) {
  if (end_[kind] != kNever || (kind == WL_GRACE_PPAS && reads_.running())) {
    block_.error("a grace period is begun while one of its kind runs");
    return;
  }
  if (kind == WL_GRACE_SLOTS) {
    end_at(kind, std::max(at, buffer_.used_until()));
    return;
  }
  reads_asked_ = at;
  if (reads_.begin()) end_at(kind, at);
}

void Quiescence::leave(Grace::Group group) {
  if (reads_.leave(group)) end_at(WL_GRACE_PPAS, std::max(block_.now(), reads_asked_));
}

void Quiescence::end_at(wl_grace kind, Picoseconds at) {
  if (kind == WL_GRACE_PPAS) reads_.ended();
  end_[kind] = at;
  block_.wake(at);
}

bool Quiescence::end(Picoseconds now) {
  bool ended = false;
  for (unsigned kind = 0; kind < WL_GRACES; ++kind) {
    if (end_[kind] > now) continue;
    end_[kind] = kNever;
    state_->done[kind] = state_->done[kind] + 1;
    ended = true;
  }
  return ended;
}

Picoseconds Quiescence::next(Picoseconds /*now*/) const { return *std::min_element(end_.begin(), end_.end()); }

}  // namespace wordline::engines
