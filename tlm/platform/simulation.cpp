// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <deque>
#include <thread>

#include "tlm/platform/laws.h"
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
          fmt::format("{} at {}", StopSignal::name(), tlm_if::to_sc_time(context.now()).to_string())};
}

}  // namespace

Ending ending_when_stopped(const Simulated& simulated) {
  const tlm_if::SimulationContext& context = simulated.context;
  return failed(
      simulated.testbed,
      fmt::format("the drive has stopped at {} with {} commands in flight, {} of its flash jobs not completed",
                  tlm_if::to_sc_time(context.now()).to_string(), simulated.testbed.driver.in_flight(),
                  simulated.drive.flash.outstanding()));
}

Ending ending_when_failed(const Simulated& simulated, const sc_core::sc_report& report) {
  return failed(simulated.testbed, fmt::format("{}: {} (at {})", report.get_msg_type(), report.get_msg(),
                                               tlm_if::to_sc_time(simulated.context.now()).to_string()));
}

Ending ending_when_done(const Simulated& simulated) {
  const host::Testbed& testbed = simulated.testbed;
  if (testbed.oracle.mismatches() != 0)
    return failed(testbed, fmt::format("{} blocks were read that hold something else than what was written",
                                       testbed.oracle.mismatches()));
  std::string broken;
  for (const results::Law& law : laws_of(simulated.drive, testbed, simulated.config)) {
    const std::string violation = results::violation_of(law);
    if (!violation.empty()) broken += (broken.empty() ? "" : "\n  ") + violation;
  }
  return broken.empty() ? Ending{} : Ending{Ending::Status::kFailed, broken};
}

namespace {

Picoseconds slice_of(const Simulated& simulated) {
  return std::min({kPauseEvery, simulated.measurement.next_border() - simulated.context.now(),
                   simulated.until - simulated.context.now()});
}

/// Ends a slice of a drive without the kernel when the driver is done, at that very time.
class Stopper final : public host::HostDriver::Listener {
 public:
  explicit Stopper(tlm_if::AlarmQueue& alarms) : alarms_(alarms) {}
  void reached(host::RunBorder border) override {
    if (border == host::RunBorder::kDone) alarms_.stop();
  }

 private:
  tlm_if::AlarmQueue& alarms_;
};

Ending run_alone(const Simulated& simulated) {
  auto& [context, drive, testbed, measurement, config, until] = simulated;
  try {
    while (!testbed.driver.done()) {
      if (StopSignal::received() != 0) return interrupted(context);
      if (context.alarms().empty()) return ending_when_stopped(simulated);
      context.alarms().run_alone_to(context.now() + slice_of(simulated));
      measurement.paused();
      if (context.now() >= until) return {};
    }
  } catch (const sc_core::sc_report& report) {
    return ending_when_failed(simulated, report);
  }
  return ending_when_done(simulated);
}

Ending run(const Simulated& simulated, const std::function<bool()>& progress, bool alone) {
  auto& [context, drive, testbed, measurement, config, until] = simulated;
  Pauser pauser("pauser", testbed.driver.done_event());
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    while (!testbed.driver.done()) {
      if (StopSignal::received() != 0) return interrupted(context);
      if (!sc_core::sc_pending_activity()) return ending_when_stopped(simulated);
      const Picoseconds slice = slice_of(simulated);
      if (alone) context.alarms().run_ahead_to(context.now() + slice);
      sc_core::sc_start(tlm_if::to_sc_time(slice), sc_core::SC_RUN_TO_TIME);
      measurement.paused();
      if (!progress() || context.now() >= until) return {};
    }
  } catch (const sc_core::sc_report& report) {
    return ending_when_failed(simulated, report);
  }
  return ending_when_done(simulated);
}

}  // namespace

Ending simulate(const Simulated& simulated, const std::function<bool()>& progress, bool alone) {
  Ending ending = run(simulated, progress, alone);
  simulated.measurement.stop();
  return ending;
}

std::vector<Ending> simulate_together(const std::vector<Simulated>& drives, unsigned threads) {
  std::vector<Ending> endings(drives.size());
  std::deque<Stopper> stoppers;
  for (const Simulated& simulated : drives) {
    stoppers.emplace_back(simulated.context.alarms());
    simulated.testbed.driver.listen(stoppers.back());
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates all; what follows needs no kernel
  for (const Simulated& simulated : drives) simulated.context.alarms().leave_kernel();
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < drives.size(); i = next++) {
      endings[i] = run_alone(drives[i]);
      drives[i].measurement.stop();
    }
  };
  const std::size_t others = (threads == 0 ? drives.size() : std::min<std::size_t>(threads, drives.size())) - 1;
  std::vector<std::thread> started;
  for (std::size_t i = 0; i < others; ++i) started.emplace_back(work);
  work();
  for (std::thread& thread : started) thread.join();
  return endings;
}

}  // namespace wordline::platform
