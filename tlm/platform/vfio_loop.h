// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "models/served/vfio_session.h"
#include "tlm/device/drive.h"
#include "tlm/platform/drive_measurement.h"
#include "tlm/platform/simulation.h"
#include "tlm/serve/pace.h"
#include "tlm/serve/vfio_function.h"
#include "tlm/serve/vfio_socket.h"

namespace wordline::platform {

/// A drive behind vfio-user: passes messages to the function and lets simulated time pass as the pace says. One thread
/// does both, so a message acts at one instant, and the client's memory is not taken away while the drive uses it.
///
/// Free: time passes while the controller is at work, in slices of 5 us, and 2 us beyond, so that the last interrupt is
/// out; then it stands still until a message comes. A register's value takes its time on the link, and a write of CC is
/// answered when CSTS has followed. So a client that waits for each command before the next, with trapped doorbells,
/// gets the same instants in every run. Wall and dilated: a message acts at
/// the instant of its clock, and time goes on no further than the clock.
class VfioLoop {
 public:
  struct Parts {
    tlm_if::SimulationContext& context;
    device::Drive& drive;
    serve::VfioFunction& function;
    serve::VfioSocket& socket;
    DriveMeasurement& measurement;
    serve::Pace& pace;
  };
  explicit VfioLoop(const Parts& parts);

  /// From power on until the firmware takes commands.
  [[nodiscard]] Ending bring_up();
  /// Serves until a signal comes, or `over` says so, which is asked often. The client is let go then.
  [[nodiscard]] Ending serve(const std::function<bool()>& over);

  /// Is called often while the drive is served.
  void look_by(std::function<void()> look) { look_ = std::move(look); }

  // For who has the clock (LockstepLoop):
  /// Calls `work`, and tells of what the simulation reports.
  [[nodiscard]] Ending guarded(const std::function<void()>& work) const;
  void go_on(Picoseconds limit);
  /// Passes on and answers what has come. Throws std::runtime_error for what a client in lock-step may not send.
  void take_messages();

 private:
  void drain();
  void settle();
  void let_go();
  void pass_free();
  void pass_by_clock();
  [[nodiscard]] std::chrono::microseconds idle() const;

  const Parts parts_;
  std::function<void()> look_ = [] {};
  std::unique_ptr<served::VfioSession> session_;  // null: no client
};

}  // namespace wordline::platform
