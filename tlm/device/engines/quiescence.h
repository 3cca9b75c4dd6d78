// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/engines/grace.h"
#include "tlm/device/engines/buffer_engine.h"
#include "tlm/device/engines/engine.h"

namespace wordline::engines {

/// Quiescence: when may firmware erase flash, or use a slot of the write buffer again, although reads that never come
/// to a core may still need them? As in RCU there are no locks. Firmware first changes the map, so that later reads no
/// longer find what it wants to take away, then asks for a grace period (ENGINES.GRACE). The period ends when all reads
/// that had begun before are through; reads that came meanwhile do not count. Then wl_grace_state.done counts up and
/// the firmware is interrupted.
///
/// Flash: reads enter and leave (models/engines/grace.h). Write buffer: how long slots are used is known when a read is
/// served, so the end is a time. One period at a time of each kind.
class Quiescence final : public EnginePart {
 public:
  Quiescence(BlockContext& block, const BufferEngine& buffer);

  bool enable(std::uint32_t set) override;
  bool end(Picoseconds now) override;
  [[nodiscard]] Picoseconds next(Picoseconds now) const override;

  /// A read relies on PPAs that it found in the map, until it leaves with what this returns.
  [[nodiscard]] Grace::Group enter() { return reads_.enter(); }
  void leave(Grace::Group group);

 private:
  void begin(wl_grace kind, Picoseconds at);
  void end_at(wl_grace kind, Picoseconds at);

  const BufferEngine& buffer_;
  wl_grace_state* state_ = nullptr;
  Grace reads_;                // reads of flash
  Picoseconds reads_asked_{};  // arrival of the request that runs
  std::array<Picoseconds, WL_GRACES> end_{kNever, kNever};
};

}  // namespace wordline::engines
