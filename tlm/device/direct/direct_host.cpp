// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/direct/direct_host.h"

#include <algorithm>

#include "tlm/device/host_interfaces.h"
#include "tlm/device/nvme/nvme.h"  // the contract's status values are NVMe's

namespace wordline::host {

DirectHost::DirectHost(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                       const config::Config& config, std::uint64_t user_lpages, tlm_if::RecorderIf* recorder)
    : HostInterface(name, context, config, user_lpages, "wordline/host/direct_host", recorder),
      completions_(mover.commands().size()) {}

std::uint32_t DirectHost::depth() const { return std::min<std::uint32_t>(mover.commands().size(), 65535); }

void DirectHost::act(const Agenda::Action& action) {
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kRanges:
      read_ranges(action.index);
      break;
    case Kind::kDone:
      done(action.index);
      break;
  }
}

bool DirectHost::firmware_ready() {
  if (client_ != nullptr) client_->ready(mover.limits().max_nlb);
  return true;
}

bool DirectHost::submit(const PathCommand& given) {
  if (!parser_.on()) {
    reports_.error("a direct command with engines.parse = off: there is no submission entry that firmware could parse");
    return false;
  }
  if (!mover.takes_commands()) return false;
  const Picoseconds now = agenda_.now();
  const std::uint32_t tag = mover.commands().take(now);
  if (tag == kNone) return false;
  HostCommand& command = mover.commands()[tag];
  command.queue = kDriverQueue;
  command.id = given.id;
  mover.stages->begin(static_cast<std::uint16_t>(tag), command.queue, command.id, now);
  CommandStatus status = check(given, command);
  if (status == nvme::kSuccess) status = take_pages(given, command);
  if (status != nvme::kSuccess) {
    mover.complete(tag, status | nvme::kDnr, now);
  } else {
    mover.deliver(tag);
  }
  return true;
}

// In the order in which a command is refused.
CommandStatus DirectHost::check(const PathCommand& given, HostCommand& command) const {
  command.op = given.op;
  command.fua = given.fua && given.op != Operation::kFlush;
  command.slba = 0;
  command.nlb = 0;
  command.ranges = 0;
  switch (given.op) {
    case Operation::kFlush:
      return nvme::kSuccess;
    case Operation::kDeallocate:
      command.ranges = given.nlb;
      return given.nlb - 1 < WL_DSM_RANGES ? nvme::kSuccess : nvme::kInvalidField;
    case Operation::kRead:
    case Operation::kWrite:
      if (given.nlb - 1 >= mover.limits().max_nlb) return nvme::kInvalidField;
      break;
    case Operation::kWriteZeroes:
      if (given.nlb - 1 >= 65536) return nvme::kInvalidField;
      break;
    default:
      return nvme::kInvalidOpcode;
  }
  command.slba = given.slba;
  command.nlb = given.nlb;
  return mover.limits().holds(given.slba, given.nlb) ? nvme::kSuccess : nvme::kLbaOutOfRange;
}

// Held to the rules of NVMe's PRPs: only the first page may have an offset.
CommandStatus DirectHost::take_pages(const PathCommand& given, HostCommand& command) {
  const bool ranges = given.op == Operation::kDeallocate;
  if (!ranges && !moves_data(given.op)) return nvme::kSuccess;
  if (given.page_count == 0) return nvme::kInvalidField;
  const std::uint64_t bytes = ranges ? command.ranges * sizeof(wl_dsm_range) : std::uint64_t{command.nlb} * kLbaBytes;
  const std::uint64_t offset = given.pages[0] & kHostPageMask;
  const std::uint64_t needed = (offset + bytes + kHostPageMask) / kHostPageBytes;
  if (offset % (ranges ? 4 : kLbaBytes) != 0) return nvme::kPrpOffsetInvalid;
  if (given.page_count < needed) return nvme::kInvalidField;
  for (std::uint64_t i = 0; i < needed; ++i) {
    if (i != 0 && (given.pages[i] & kHostPageMask) != 0) return nvme::kPrpOffsetInvalid;
    command.pages.push_back(given.pages[i]);
  }
  return nvme::kSuccess;
}

void DirectHost::end_of_elaboration() {
  if (mover.host_memory->dma() == nullptr) return;
  reports_.error(
      "host.model = direct moves data without queues, so nothing orders a completion behind them: host memory "
      "has to answer at once; set host.model = nvme");
}

void DirectHost::read_ranges(std::uint32_t tag) {
  if (!ranges_.read(*mover.host_memory[0], mover.commands()[tag])) {
    mover.complete(tag, kTransferFailed, agenda_.now());
    return;
  }
  if (!ranges_.inside(mover.limits())) {
    mover.complete(tag, nvme::kLbaOutOfRange | nvme::kDnr, agenda_.now());
    return;
  }
  ranges_.drop_empty();
  if (ranges_.count() == 0) {
    mover.complete(tag, nvme::kSuccess, agenda_.now());
  } else {
    mover.send_ranges(tag, ranges_);
  }
}

void DirectHost::completed(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) {
  Completion& completion = completions_[tag];
  completion.status = status;
  completion.quiet = quiet != nullptr;
  if (quiet != nullptr) completion.event = *quiet;
  mover.stages->release(static_cast<std::uint16_t>(tag), ready);
  agenda_.schedule(ready, *this, Kind::kDone, tag);
}

void DirectHost::done(std::uint32_t tag) {
  const Completion& completion = completions_[tag];
  const HostCommand& command = mover.commands()[tag];
  if (completion.quiet) mover.push_event(completion.event, false);
  const Picoseconds now = agenda_.now();
  const CommandStatus status = completion.status;
  const std::uint16_t id = command.id;
  mover.commands().free(tag, now);
  if (client_ == nullptr) {
    reports_.error("a direct command is complete, but nothing is connected to it");
    return;
  }
  client_->completed(0, id, status, now);
}

std::unique_ptr<HostInterface> make_host_interface_direct(tlm_if::SimulationContext& context,
                                                          const config::Config& config, std::uint64_t user_lpages,
                                                          tlm_if::RecorderIf* recorder) {
  return std::make_unique<DirectHost>("direct", context, config, user_lpages, recorder);
}

}  // namespace wordline::host
