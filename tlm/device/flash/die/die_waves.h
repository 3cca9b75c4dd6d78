// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/nand/plan.h"
#include "models/units/index.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::flash {

/// What a die shows in the waveform, scope "ssd.channelN.dieM": `state` (names from models/onfi/sequence_table.h),
/// `suspended`, and with observe.nand = "microop" also `microop` and `voltage` (word line, volts). Values are recorded
/// ahead, for the time at which they hold. Without a recorder every call does nothing.
class DieWaves {
 public:
  /// `recorder` may be null. `die`: index within the channel.
  DieWaves(tlm_if::RecorderIf* recorder, ChannelId channel, unsigned die, bool microops);

  /// In `state` from `from` to `to`, then idle; "": nothing to show.
  void state(Picoseconds from, Picoseconds to, std::string_view state);
  /// Shows what is left of `plan` after its first `done` as beginning at `begin`: an operation that was suspended goes
  /// on.
  void run(Picoseconds begin, Picoseconds done, const nand::Plan& plan, std::string_view state);
  /// The array does not go on from `at` on, which is not before the present.
  void stop(Picoseconds at);
  void suspended(Picoseconds at, bool suspended);
  /// From `at` on nothing is suspended, whatever was recorded ahead.
  void drop_suspended(Picoseconds at);

 private:
  tlm_if::RecorderIf* const recorder_;
  const bool microops_;
  tlm_if::RecorderIf::Signal state_{}, suspended_{}, microop_{}, voltage_{};
};

}  // namespace wordline::flash
