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

Ending failed(const host::Testbed& testbed, std::string reason) {
  for (const auto& message : testbed.oracle.messages()) reason += fmt::format("\n  {}", message);
  return {Ending::Status::kFailed, std::move(reason)};
}

Ending interrupted(const tlm_if::SimulationContext& context) {
  return {Ending::Status::kInterrupted,
          fmt::format("{} at {}", StopSignal::received() == SIGINT ? "SIGINT (Ctrl-C)" : "SIGTERM",
                      tlm_if::to_sc_time(context.now()).to_string())};
}

Ending run(const Simulated& simulated, const std::function<bool()>& progress, bool alone) {
  auto& [context, drive, testbed, measurement] = simulated;
  Pauser pauser("pauser", testbed.driver.done_event());
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    while (!testbed.driver.done()) {
      if (StopSignal::received() != 0) return interrupted(context);
      if (!sc_core::sc_pending_activity()) {
        return failed(testbed,
                      fmt::format("the drive has stopped at {} with {} commands in flight, {} of its flash jobs "
                                  "not completed",
                                  tlm_if::to_sc_time(context.now()).to_string(), testbed.driver.in_flight(),
                                  drive.flash.outstanding()));
      }
      const Picoseconds slice = std::min(kPauseEvery, measurement.next_border() - context.now());
      if (alone) context.alarms().run_ahead_to(context.now() + slice);
      sc_core::sc_start(tlm_if::to_sc_time(slice), sc_core::SC_RUN_TO_TIME);
      measurement.paused();
      if (!progress()) return {};
    }
  } catch (const sc_core::sc_report& report) {
    return failed(testbed, fmt::format("{}: {} (at {})", report.get_msg_type(), report.get_msg(),
                                       tlm_if::to_sc_time(context.now()).to_string()));
  }
  if (testbed.oracle.mismatches() != 0) {
    return failed(testbed, fmt::format("{} blocks were read that hold something else than what was written",
                                       testbed.oracle.mismatches()));
  }
  return {};
}

}  // namespace

Ending simulate(const Simulated& simulated, const std::function<bool()>& progress, bool alone) {
  Ending ending = run(simulated, progress, alone);
  simulated.measurement.stop();
  return ending;
}

}  // namespace wordline::platform
