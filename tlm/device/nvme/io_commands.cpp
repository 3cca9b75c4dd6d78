// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/io_commands.h"

namespace wordline::host::nvme {

IoCommands::IoCommands(QueueSet& queues, const Namespaces& namespaces, HostDataMover& mover, Agenda& agenda,
                       const Reports& reports)
    : namespaces_(namespaces),
      mover_(mover),
      reports_(reports),
      prps_(mover, agenda, *this),
      sgls_(mover, agenda, *this),
      queues_(queues),
      agenda_(agenda),
      entries_(mover.commands().size()) {}

void IoCommands::act(const Agenda::Action& action) {
  const std::uint32_t tag = action.index;
  if (static_cast<Kind>(action.kind) == Kind::kRanges) {
    take_ranges(tag, action.value != 0);
  } else if (lost(tag)) {
    mover_.complete(tag, kSuccess, mover_.now());  // the status of a lost command goes nowhere
  } else {
    ++queues_.sq(command(tag).queue).parsed;
    if (refused_with_ != kSuccess) {
      refuse(tag);
    } else if (namespaces_.leaves(entry(tag).nsid)) {
      mover_.complete(tag, kInvalidField | kDnr, mover_.now());  // as one that is not active
    } else if (management_ != nullptr && management_->takes(entry(tag))) {
      prps_.forget(tag);
      management_->begin(tag);
    } else {
      if (unwritten_errors_ != 0 && namespaces_.has(entry(tag).nsid)) {
        command(tag).unwritten_is_error = (unwritten_errors_ >> (entry(tag).nsid - 1) & 1U) != 0;
      }
      entry_arrived(tag);
    }
  }
}

// For a while only: the host may try again.
void IoCommands::refuse(std::uint32_t tag) { mover_.complete(tag, refused_with_, mover_.now()); }

ErrorLog::Place IoCommands::place_of(std::uint32_t tag) const {
  const SubmissionEntry& sqe = entries_[tag];
  const bool blocks = sqe.opcode == kRead || sqe.opcode == kWrite || sqe.opcode == kWriteZeroes ||
                      sqe.opcode == kWriteUncorrectable || sqe.opcode == kCompare || sqe.opcode == kVerify ||
                      sqe.opcode == nvme::kCopy;
  return {sqe.nsid, blocks ? static_cast<std::uint64_t>(sqe.cdw11) << 32 | sqe.cdw10 : 0, 0, sqe.opcode};
}

void IoCommands::name(HostCommand& command, std::uint8_t opcode) {
  command.op = static_cast<Operation>(opcode);
  command.way = DataWay::kHost;
  command.fua = false;
  command.slba = 0;
  command.nlb = 0;
  command.ranges = 0;
  command.placement = 0;
  if (opcode == kVerify || opcode == kCompare) {
    command.op = Operation::kRead;
    command.way = opcode == kVerify ? DataWay::kVerify : DataWay::kCompare;
  } else if (opcode == kWriteUncorrectable) {
    command.op = Operation::kWrite;
    command.way = DataWay::kUncorrectable;
  } else if (opcode == kWriteZeroes) {
    command.way = DataWay::kZeroes;
  }
}

void IoCommands::take(std::uint32_t tag, Picoseconds at) {
  agenda_.schedule(entry_taken(tag, at), *this, Kind::kEntry, tag);
}

void IoCommands::bring_ranges(std::uint32_t tag) {
  ranges_.read(mover_.dma(), mover_.now(), command(tag), {this, 0, tag});
}

void IoCommands::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  agenda_.schedule(ranges_taken(at, ranges_.bytes()), *this, Kind::kRanges, access.index, good ? 1 : 0);
}

void IoCommands::take_ranges(std::uint32_t tag, bool good) {
  if (lost(tag)) {
    ranges_failed(tag, kAbortedQueueDeleted);
  } else if (!good) {
    ranges_failed(tag, kDataTransferError);
  } else {
    ranges_arrived(tag, ranges_);
  }
}

}  // namespace wordline::host::nvme
