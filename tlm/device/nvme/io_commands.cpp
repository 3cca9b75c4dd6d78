// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/io_commands.h"

namespace wordline::host::nvme {

IoCommands::IoCommands(QueueSet& queues, HostDataMover& mover, Agenda& agenda, const Reports& reports)
    : mover_(mover),
      reports_(reports),
      prps_(mover, agenda, *this),
      queues_(queues),
      agenda_(agenda),
      entries_(mover.commands().size()) {}

void IoCommands::act(const Agenda::Action& action) {
  const std::uint32_t tag = action.index;
  if (static_cast<Kind>(action.kind) == Kind::kRanges) {
    read_ranges(tag);
  } else if (lost(tag)) {
    mover_.complete(tag, kSuccess, mover_.now());  // the status of a lost command goes nowhere
  } else {
    ++queues_.sq(command(tag).queue).parsed;
    entry_arrived(tag);
  }
}

void IoCommands::take(std::uint32_t tag, Picoseconds at) {
  agenda_.schedule(entry_taken(at), *this, Kind::kEntry, tag);
  ++active_;
}

void IoCommands::bring_ranges(std::uint32_t tag) {
  const std::uint64_t bytes = command(tag).ranges * sizeof(DsmRange);
  const Picoseconds at = mover_.link->read(mover_.now(), bytes);
  agenda_.schedule(ranges_taken(at, bytes), *this, Kind::kRanges, tag);
}

void IoCommands::read_ranges(std::uint32_t tag) {
  if (lost(tag)) {
    ranges_failed(tag, kAbortedQueueDeleted);
  } else if (!ranges_.read(*mover_.host_memory[0], command(tag))) {
    ranges_failed(tag, kDataTransferError);
  } else {
    ranges_arrived(tag, ranges_);
  }
}

}  // namespace wordline::host::nvme
