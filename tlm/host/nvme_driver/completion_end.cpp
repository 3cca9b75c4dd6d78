// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/completion_end.h"

#include <utility>

namespace wordline::host {

CompletionEnd::CompletionEnd(tlm_if::SimulationContext& context, const config::Host& config, std::uint32_t core,
                             HostCores& cores, HostMemory& memory, ControllerAccess& controller, UserIf& user)
    : queue(memory, controller),
      polls_(config.completion == config::HostCompletion::kPolling),
      takes_all_(polls_ || cores.completions_cost() || config.coalescing_entries > 1),
      core_(core),
      cores_(cores),
      user_(user),
      next_(context.alarms(), *this) {}

void CompletionEnd::begin() {
  if (polls_) queue.watch(*this);
}

void CompletionEnd::interrupt(Picoseconds at) {
  ++interrupts_;
  if (!takes_all_) {
    // One message per entry: later entries may lie in memory already, but their message has not arrived.
    take_one(at);
    queue.ring_head();
    return;
  }
  if (next_.pending()) return;  // the core is at it
  next_.set(cores_.interrupt(core_, at));
}

/// An entry for which no interrupt will come.
void CompletionEnd::written() {
  if (!next_.pending()) next_.set(cores_.look(core_, next_.now()));
}

/// The core looks for an entry, or has dealt with the one that it found.
void CompletionEnd::alarm() {
  const Picoseconds now = next_.now();
  if (std::exchange(found_, false)) {
    take_one(now);
    queue.ring_head_of_many();
  }
  if (!queue.has_entry()) {
    queue.ring_head();
    return;
  }
  found_ = true;
  next_.set(cores_.complete(core_, now));
}

void CompletionEnd::take_one(Picoseconds at) {
  nvme::CompletionEntry entry{};
  if (queue.take(entry)) user_.completed(entry, at);
}

}  // namespace wordline::host
