// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/copies.h"

#include <utility>

#include "tlm/device/mover/host_data_mover.h"

namespace wordline::host {

void Copies::begin(std::uint32_t tag, std::vector<CopySequence::Source> sources, std::uint64_t destination,
                   const CommandMetadata& metadata) {
  HostCommand& command = mover_.commands()[tag];
  mover_.counters().count(command);
  sequence_.begin(command, std::move(sources), destination, metadata);
  next(tag);
}

void Copies::next(std::uint32_t tag) {
  HostCommand& command = mover_.commands()[tag];
  if (mover_.commands().lost(command)) {
    mover_.complete(tag, 0, agenda_.now());  // the status of a lost command goes nowhere
    return;
  }
  sequence_.next(command);
  command.complete_then = false;
  mover_.deliver(tag);
}

bool Copies::goes_on(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) {
  HostCommand& command = mover_.commands()[tag];
  if (status != 0) {
    command.result = sequence_.source();
    return false;
  }
  if (mover_.commands().lost(command) || !sequence_.goes_on(command)) return false;
  // Before the event of the next half, as before that of the next command with a tag.
  if (quiet != nullptr) mover_.push_event_later(*quiet, ready);
  agenda_.schedule(ready, *this, Kind::kNext, tag);
  return true;
}

}  // namespace wordline::host
