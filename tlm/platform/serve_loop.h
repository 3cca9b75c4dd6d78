// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "models/served/capture.h"
#include "models/served/client_request.h"
#include "tlm/platform/simulation.h"
#include "tlm/serve/nbd_server.h"
#include "tlm/serve/pace.h"
#include "tlm/serve/request_gate.h"
#include "tlm/serve/served_requests.h"

namespace wordline::platform {

/// The thread of the simulation while a drive is served: takes what comes through the gate, lets simulated time pass as
/// the pace says, and never waits for a client but when there is nothing to simulate.
///
/// Free: time passes while a request is open, and stops with each answer until the gate has been looked at. Wall and
/// dilated: a request arrives at the instant of its clock, and time goes on no further than the clock, so that an
/// answer cannot leave early. Other answers do not wait for it: nothing sleeps between an answer and the next.
class ServeLoop final : private host::HostDriver::Listener, private serve::ServedListenerIf {
 public:
  ServeLoop(const Simulated& simulated, serve::ServedRequests& requests, serve::Pace& pace);

  /// From power on until the drive takes requests. Before all others.
  [[nodiscard]] Ending bring_up();
  /// Gives the drive requests of no client, as long as there is a next one, and waits for them. One that concerns bytes
  /// of another waits for that.
  [[nodiscard]] Ending work_off(const std::function<bool(served::ClientRequest&)>& next);
  /// Gives the drive what clients once gave it, at the same instants, and hears what it answers.
  [[nodiscard]] Ending replay(served::CaptureReader& capture,
                              const std::function<void(const served::CapturedEvent&)>& answered_then);
  /// The capture that hears which requests are submitted together; null: none. It outlives the loop.
  void record(served::CaptureWriter* capture) { capture_ = capture; }
  /// Is called often while the drive is served.
  void look_by(std::function<void()> look) { look_ = std::move(look); }
  /// Serves until a signal comes, or `over` says so, which is asked often; all requests are answered then.
  [[nodiscard]] Ending serve(serve::RequestGate& gate, serve::NbdServer& server, const std::function<bool()>& over);
  /// The host starts nothing more. How the run has ended is ending_when_done()'s to say.
  [[nodiscard]] Ending finish();

 private:
  void reached(host::RunBorder border) override;
  void answered(std::uint64_t number, const served::ClientRequest& request, served::ClientError& error,
                std::uint64_t found, Picoseconds at) override;

  [[nodiscard]] Ending guarded(const std::function<Ending()>& work);
  [[nodiscard]] Picoseconds arrival_of(const served::ClientRequest& request) const;
  void let_in(Picoseconds now);
  [[nodiscard]] bool go_on(Picoseconds limit);
  void rest(serve::RequestGate& gate);
  [[nodiscard]] bool busy() const { return requests_.open() != 0; }

  const Simulated& simulated_;
  serve::ServedRequests& requests_;
  serve::Pace& pace_;
  std::deque<served::ClientRequest> coming_;  // through the gate, but not yet in the drive
  served::CaptureWriter* capture_ = nullptr;
  std::function<void()> look_ = [] {};
  bool let_in_ = false;  // something, since simulated time last passed
  bool up_ = false;
};

}  // namespace wordline::platform
