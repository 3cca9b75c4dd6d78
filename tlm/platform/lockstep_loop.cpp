// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/lockstep_loop.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

/// A signal is noticed within this.
constexpr std::chrono::microseconds kMostSleep(20'000);

}  // namespace

void LockstepLoop::answer(const wl_clock_request& request) {
  switch (request.operation) {
    case WL_CLOCK_HELLO:
      if ((request.ns & WL_CLOCK_TAKES_INTERRUPTS) != 0) lockstep_.divert_interrupts();
      clock_.answer({WL_CLOCK_VERSION, 0});
      break;
    case WL_CLOCK_TIME:
      clock_.answer(lockstep_.time(request.ns));
      break;
    default:
      clock_.answer(lockstep_.store(request.ns));
  }
}

void LockstepLoop::close() {
  if (!clock_.fault().empty())
    throw std::runtime_error(fmt::format("--time lockstep: error: the guest's clock was let go: {}", clock_.fault()));
  lockstep_.end();
  socket_.hang_up("");
}

/// What has come. A store's message has been answered before the guest tells of it, so none is behind what the clock
/// says.
void LockstepLoop::take_all() {
  loop_.take_messages();
  while (const auto request = clock_.next()) answer(*request);
}

Ending LockstepLoop::serve(const std::function<bool()>& program) {
  return loop_.guarded([&] {
    bool closed = false;
    while (StopSignal::received() == 0 && !(closed && !program)) {
      const bool ended = program && program();
      if (!closed) {
        take_all();
        if (clock_.gone()) {
          close();
          closed = true;
        }
      }
      if (ended) break;
      socket_.wait(kMostSleep, clock_.file());
    }
    if (!closed) close();
  });
}

}  // namespace wordline::platform
