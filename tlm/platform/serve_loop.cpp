// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/serve_loop.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

using Clock = serve::Pace::Clock;

/// How far the drive goes before the gate is looked at again, while requests are open.
constexpr Picoseconds kSlice(5'000'000);
/// A sleep ends so much later than asked for, at times: the rest is waited for awake.
constexpr std::chrono::microseconds kAwake(80);
/// A signal is noticed within this.
constexpr std::chrono::milliseconds kMostSleep(20);

constexpr std::size_t kInFlight = 64;

}  // namespace

ServeLoop::ServeLoop(const Simulated& simulated, serve::ServedRequests& requests, serve::Pace& pace)
    : simulated_(simulated), requests_(requests), pace_(pace) {
  simulated.testbed.driver.listen(*this);
  requests.listen(*this);
  prctl(PR_SET_TIMERSLACK, 1);  // short sleeps are to be short
}

void ServeLoop::reached(host::RunBorder border) {
  if (border == host::RunBorder::kWorkloadBegins) up_ = true;
  if (border == host::RunBorder::kWorkloadBegins || border == host::RunBorder::kDone)
    simulated_.context.alarms().stop();
}

void ServeLoop::answered(std::uint64_t /*number*/, const served::ClientRequest& request, served::ClientError& /*error*/,
                         std::uint64_t /*found*/, Picoseconds at) {
  if (request.client != 0) pace_.left(at, Clock::now());
}

Ending ServeLoop::guarded(const std::function<Ending()>& work) {
  try {
    return work();
  } catch (const sc_core::sc_report& report) {
    return ending_when_failed(simulated_, report);
  }
}

/// False: nothing lay ahead; time has passed all the same.
bool ServeLoop::go_on(Picoseconds limit) {
  tlm_if::SimulationContext& context = simulated_.context;
  if (let_in_ && capture_ != nullptr) capture_->run();
  let_in_ = false;
  const bool any = !context.alarms().empty();
  context.alarms().run_alone_to(std::min(limit, simulated_.measurement.next_border()));
  simulated_.measurement.paused();
  return any;
}

Ending ServeLoop::bring_up() {
  return guarded([this]() -> Ending {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    simulated_.context.alarms().leave_kernel();
    while (!up_) {
      if (StopSignal::received() != 0) return {Ending::Status::kInterrupted, StopSignal::name()};
      if (!go_on(simulated_.context.now() + kPauseEvery)) return ending_when_stopped(simulated_);
    }
    return {};
  });
}

Ending ServeLoop::work_off(const std::function<bool(served::ClientRequest&)>& next) {
  return guarded([&]() -> Ending {
    served::ClientRequest request;
    bool more = next(request);
    while (more || busy()) {
      while (more && requests_.open() < kInFlight && !requests_.concerns(request.offset, request.length)) {
        requests_.take(std::move(request));
        more = next(request);
      }
      simulated_.testbed.driver.arrived();
      if (!go_on(simulated_.context.now() + kSlice)) return ending_when_stopped(simulated_);
    }
    return {};
  });
}

Picoseconds ServeLoop::arrival_of(const served::ClientRequest& request) const {
  const Picoseconds now = simulated_.context.now();
  return pace_.is_free() || request.client == 0 ? now : std::max(now, pace_.simulated_at(request.arrived));
}

/// Gives the drive what has arrived by now.
void ServeLoop::let_in(Picoseconds now) {
  bool any = false;
  for (; !coming_.empty() && arrival_of(coming_.front()) <= now; coming_.pop_front()) {
    requests_.take(std::move(coming_.front()));
    any = true;
  }
  if (!any) return;
  simulated_.testbed.driver.arrived();
  let_in_ = true;
}

/// Nothing is to be simulated at present: until something is, or comes.
void ServeLoop::rest(serve::RequestGate& gate) {
  const Clock::time_point now = Clock::now(), most = now + kMostSleep;
  if (pace_.is_free()) return gate.wait_until(most);
  Picoseconds next = simulated_.context.alarms().next();
  if (!coming_.empty()) next = std::min(next, arrival_of(coming_.front()));
  // Far ones lie beyond what the clock counts.
  const bool far = next > pace_.simulated_at(most);
  const Clock::time_point until = far ? most : pace_.wall_at(next);
  if (until > now + kAwake) return gate.wait_until(until - kAwake);
  sched_yield();
}

Ending ServeLoop::serve(serve::RequestGate& gate, serve::NbdServer& server, const std::function<bool()>& over) {
  return guarded([&]() -> Ending {
    tlm_if::SimulationContext& context = simulated_.context;
    bool closing = false;
    pace_.begin(Clock::now(), context.now());
    while (!closing || busy() || !coming_.empty() || !gate.empty()) {
      if (!closing && (StopSignal::received() != 0 || over())) {
        server.refuse_more();
        closing = true;
      }
      look_();
      gate.take(coming_);
      let_in(context.now());
      if (pace_.is_free()) {
        if (!busy()) {
          if (!closing) rest(gate);
          continue;
        }
        if (!go_on(context.now() + kSlice)) return ending_when_stopped(simulated_);
        continue;
      }
      const Picoseconds clock = pace_.simulated_at(Clock::now());
      Picoseconds limit = std::min(clock, context.now() + (busy() ? kSlice : kPauseEvery));
      if (!coming_.empty()) limit = std::min(limit, arrival_of(coming_.front()));
      if (limit > context.now() && (context.alarms().next() <= limit || !coming_.empty() || limit < clock)) {
        if (!go_on(limit) && busy()) return ending_when_stopped(simulated_);
      } else if (!closing || busy()) {
        rest(gate);
      }
    }
    return {};
  });
}

Ending ServeLoop::replay(served::CaptureReader& capture,
                         const std::function<void(const served::CapturedEvent&)>& answered_then) {
  return guarded([&]() -> Ending {
    tlm_if::SimulationContext& context = simulated_.context;
    const auto pass = [&](Picoseconds until) {
      while (context.now() < until)
        if (StopSignal::received() != 0 || (!go_on(until) && busy())) return false;
      return true;
    };
    served::CapturedEvent event;
    while (capture.next(event)) {
      if (event.kind == served::CapturedEvent::Kind::kAnswer) {
        answered_then(event);
        continue;
      }
      if (event.kind == served::CapturedEvent::Kind::kRun) {
        simulated_.testbed.driver.arrived();
        (void)go_on(context.now());
        continue;
      }
      if (!pass(event.at))
        return StopSignal::received() != 0 ? Ending{Ending::Status::kInterrupted, StopSignal::name()}
                                           : ending_when_stopped(simulated_);
      if (event.kind == served::CapturedEvent::Kind::kEnd) return {};
      if (event.request.op == served::ClientOp::kWrite) event.request.data.resize(event.request.length);
      requests_.take(std::move(event.request));
    }
    return {};
  });
}

Ending ServeLoop::finish() {
  return guarded([this]() -> Ending {
    simulated_.testbed.driver.stop();
    while (!simulated_.testbed.driver.done())
      if (!go_on(simulated_.context.now() + kSlice)) return ending_when_stopped(simulated_);
    return {};
  });
}

}  // namespace wordline::platform
