// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tlm/platform/vfio_loop.h"
#include "tlm/serve/guest_clock.h"
#include "tlm/serve/lockstep.h"

namespace wordline::platform {

/// A drive behind vfio-user whose guest has the clock (--time lockstep): time stands still until the guest says how far
/// its clock has come. It serves one guest.
class LockstepLoop {
 public:
  /// `loop` serves `socket`; all outlive this.
  LockstepLoop(VfioLoop& loop, serve::VfioSocket& socket, serve::GuestClock& clock, serve::Lockstep& lockstep)
      : loop_(loop), socket_(socket), clock_(clock), lockstep_(lockstep) {}

  /// Until the guest has gone, or a signal comes; with a `program`, which says whether it has ended, until then. Time
  /// ends with the guest.
  [[nodiscard]] Ending serve(const std::function<bool()>& program);

 private:
  void take_all();
  void answer(const wl_clock_request& request);
  /// The guest has gone: its part of the simulation is over.
  void close();

  VfioLoop& loop_;
  serve::VfioSocket& socket_;
  serve::GuestClock& clock_;
  serve::Lockstep& lockstep_;
};

}  // namespace wordline::platform
