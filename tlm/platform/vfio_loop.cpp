// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/vfio_loop.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

using Clock = serve::Pace::Clock;

/// How far the drive goes before the socket is looked at again, while it is at work.
constexpr Picoseconds kSlice(5'000'000);
/// From the end of a command in the controller until its interrupt is at the host, and more.
constexpr Picoseconds kTail(2'000'000);
/// A signal is noticed within this.
constexpr std::chrono::microseconds kMostSleep(20'000);
/// Doorbells in shared memory wake nobody.
constexpr std::chrono::microseconds kLook(30);
/// Commands are not in flight for longer after a reset.
constexpr Picoseconds kMostDrain(20'000'000'000'000);
/// A controller that does not become ready leaves its host alone with that.
constexpr Picoseconds kMostSettle(1'000'000'000'000);

bool is_posted(const served::VfioMessage& message) {
  return message.header.command == served::vfio::kRegionWrite && (message.header.flags & served::vfio::kNoReply) != 0;
}

}  // namespace

VfioLoop::VfioLoop(const Parts& parts) : parts_(parts) {
  prctl(PR_SET_TIMERSLACK, 1);  // short sleeps are to be short
  parts.function.drain_by([this] { drain(); });
  if (parts.pace.is_free()) parts.function.settle_by([this] { settle(); });
  parts.function.on_interrupt([this](Picoseconds at) { parts_.pace.left(at, Clock::now()); });
}

Ending VfioLoop::guarded(const std::function<void()>& work) const {
  try {
    work();
    return {};
  } catch (const sc_core::sc_report& report) {
    return {Ending::Status::kFailed, fmt::format("{}: {} (at {})", report.get_msg_type(), report.get_msg(),
                                                 tlm_if::to_sc_time(parts_.context.now()).to_string())};
  }
}

void VfioLoop::go_on(Picoseconds limit) {
  while (parts_.context.now() < limit) {
    parts_.context.alarms().run_alone_to(std::min(limit, parts_.measurement.next_border()));
    parts_.measurement.paused();
  }
}

void VfioLoop::drain() {
  const Picoseconds most = parts_.context.now() + kMostDrain;
  while (!parts_.function.at_rest()) {
    if (parts_.context.now() > most)
      throw std::runtime_error("a reset is not over: commands stay in flight for 20 s of simulated time");
    go_on(parts_.context.now() + kSlice);
  }
}

/// Before the client looks at CSTS: how often it looks is no matter of the drive's.
void VfioLoop::settle() {
  const Picoseconds most = parts_.context.now() + kMostSettle;
  while (!parts_.function.at_rest() && parts_.context.now() < most) go_on(parts_.context.now() + kSlice);
}

Ending VfioLoop::bring_up() {
  return guarded([this] {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    tlm_if::AlarmQueue& alarms = parts_.context.alarms();
    alarms.leave_kernel();
    while (!parts_.drive.host->mover.takes_commands()) {
      if (alarms.empty()) throw std::runtime_error("the firmware does not come to take commands");
      go_on(parts_.context.now() + kPauseEvery);
    }
  });
}

/// Until the next register read, whose value takes its time.
void VfioLoop::take_messages() {
  look_();
  while (std::optional<served::VfioMessage> message = parts_.socket.next()) {
    if (parts_.pace.is_lockstep() && is_posted(*message))
      throw std::runtime_error(
          "--time lockstep: error: the client does not wait for its writes, so their instants are unknown; start QEMU "
          "with \"x-no-posted-writes\":true in -device");
    if (!session_) session_ = std::make_unique<served::VfioSession>(parts_.function);
    const served::VfioReply reply = session_->take(std::move(*message));
    parts_.socket.limit_data(session_->most_data());
    if (parts_.pace.is_free()) go_on(parts_.function.read_until());
    parts_.socket.reply(reply);
    if (session_->closed()) parts_.socket.hang_up(session_->fault());
  }
}

/// A client that has gone.
void VfioLoop::let_go() {
  if (parts_.socket.connected()) return;
  if (session_) parts_.function.client_gone();
  session_.reset();
  parts_.socket.release();
}

std::chrono::microseconds VfioLoop::idle() const {
  return parts_.function.maps_doorbells() && session_ ? kLook : kMostSleep;
}

void VfioLoop::pass_free() {
  if (parts_.function.at_rest()) return parts_.socket.wait(idle());
  go_on(parts_.context.now() + kSlice);
  if (parts_.function.at_rest()) go_on(parts_.context.now() + kTail);
  parts_.socket.wait({});
}

void VfioLoop::pass_by_clock() {
  const Picoseconds now = parts_.context.now(), clock = parts_.pace.simulated_at(Clock::now());
  const Picoseconds next = parts_.context.alarms().next();
  if (clock > now) {
    go_on(std::min(clock, now + (next <= clock ? kSlice : clock - now)));
    parts_.socket.wait({});
    return;
  }
  const Picoseconds far = parts_.pace.simulated_at(Clock::now() + idle());
  const auto until = next > far ? Clock::now() + idle() : parts_.pace.wall_at(next);
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(until - Clock::now());
  parts_.socket.wait(std::max(left, std::chrono::microseconds(0)));
}

Ending VfioLoop::serve(const std::function<bool()>& over) {
  return guarded([&] {
    parts_.pace.begin(Clock::now(), parts_.context.now());
    while (StopSignal::received() == 0 && !over()) {
      take_messages();
      let_go();
      (void)parts_.function.look_at_doorbells();
      if (parts_.pace.is_free()) {
        pass_free();
      } else {
        pass_by_clock();
      }
    }
    parts_.socket.hang_up("");
    take_messages();
    let_go();
  });
}

}  // namespace wordline::platform
