// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>

#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

/// Ends the current sc_start() when the driver is done, at that very time.
class Pauser final : public sc_core::sc_module {
 public:
  Pauser(const sc_core::sc_module_name& name, const sc_core::sc_event& done) : sc_module(name) {
    SC_METHOD(pause);
    sensitive << done;
    dont_initialize();
  }

 private:
  SC_HAS_PROCESS(Pauser);
  void pause() { sc_core::sc_pause(); }
};

Ending failed(const SsdTop& ssd, std::string reason) {
  for (const auto& message : ssd.oracle.messages()) reason += fmt::format("\n  {}", message);
  return {Ending::Status::kFailed, std::move(reason)};
}

Ending interrupted() {
  return {Ending::Status::kInterrupted,
          fmt::format("{} at {}", StopSignal::received() == SIGINT ? "SIGINT (Ctrl-C)" : "SIGTERM",
                      tlm_if::to_sc_time(tlm_if::now()).to_string())};
}

Ending run(SsdTop& ssd, Measurement& measurement, const std::function<bool()>& progress, bool alone,
           Picoseconds until) {
  Pauser pauser("pauser", ssd.driver.done_event());
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    while (!ssd.driver.done()) {
      if (StopSignal::received() != 0) return interrupted();
      if (!sc_core::sc_pending_activity()) {
        return failed(ssd, fmt::format("the drive has stopped at {} with {} commands in flight, {} of its flash jobs "
                                       "not completed",
                                       tlm_if::to_sc_time(tlm_if::now()).to_string(), ssd.driver.in_flight(),
                                       ssd.flash.outstanding()));
      }
      const Picoseconds slice =
          std::min({kPauseEvery, measurement.next_border() - tlm_if::now(), until - tlm_if::now()});
      if (alone) tlm_if::AlarmQueue::of_simulation().run_ahead_to(tlm_if::now() + slice);
      sc_core::sc_start(tlm_if::to_sc_time(slice), sc_core::SC_RUN_TO_TIME);
      measurement.paused();
      if (!progress() || tlm_if::now() >= until) return {};
    }
  } catch (const sc_core::sc_report& report) {
    return failed(ssd, fmt::format("{}: {} (at {})", report.get_msg_type(), report.get_msg(),
                                   tlm_if::to_sc_time(tlm_if::now()).to_string()));
  }
  if (ssd.oracle.mismatches() != 0) {
    return failed(ssd, fmt::format("{} blocks were read that hold something else than what was written",
                                   ssd.oracle.mismatches()));
  }
  return {};
}

}  // namespace

Ending simulate(SsdTop& ssd, Measurement& measurement, const std::function<bool()>& progress, bool alone,
                Picoseconds until) {
  Ending ending = run(ssd, measurement, progress, alone, until);
  measurement.stop();
  return ending;
}

}  // namespace wordline::platform
