// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/nvme_path.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace wordline::host {
namespace {

// A queue of n entries holds n - 1; with the completion queue as long, that many commands are in flight at most.
std::uint32_t commands_of(std::uint32_t queue_entries) {
  if (queue_entries >= 2 && queue_entries <= 65536) return queue_entries - 1;
  throw std::invalid_argument(fmt::format("host.queue_entries: {} is not between 2 and 65536", queue_entries));
}

}  // namespace

NvmePath::NvmePath(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Host& config,
                   std::uint64_t user_lbas, HostMemory& memory, HostCores& cores, PcieLink& link)
    : sc_module(name),
      memory_(memory),
      cores_(cores),
      takes_all_(cores.completions_cost() || config.coalescing_entries > 1),
      depth_(commands_of(config.queue_entries)),
      controller_("controller", context, link),
      bring_up_("bring_up", context, config, user_lbas, memory, controller_, *this),
      prp_lists_(std::size_t{cores.pairs()} * depth_) {
  for (std::uint32_t pair = 0; pair < cores.pairs(); ++pair) {
    ends_.push_back(std::make_unique<End>(*this, context, pair, memory));
    bring_up_.add(ends_.back()->queue);
  }
}

bool NvmePath::submit(const PathCommand& command) {
  nvme::SubmissionEntry entry{};
  entry.opcode = static_cast<std::uint8_t>(command.op);
  entry.cid = command.id;
  entry.nsid = nvme::kNamespace;
  set_data_pointer(command, entry);
  if (command.op == Operation::kDeallocate) {
    entry.cdw10 = command.nlb - 1;  // ranges
    entry.cdw11 = nvme::kDsmDeallocate;
  } else if (command.op != Operation::kFlush) {
    entry.cdw10 = static_cast<std::uint32_t>(command.slba);
    entry.cdw11 = static_cast<std::uint32_t>(command.slba >> 32);
    entry.cdw12 = (command.nlb - 1) | (command.fua ? nvme::kFua : 0);
  }
  ends_[command.pair]->queue.push(entry);
  return true;
}

void NvmePath::ring() {
  for (const std::unique_ptr<End>& end : ends_) end->queue.ring();
}

/// PRP1 is the first page; PRP2 the second, or the list of the others (Base 4.1.1).
void NvmePath::set_data_pointer(const PathCommand& command, nvme::SubmissionEntry& entry) {
  if (command.page_count == 0) return;
  entry.prp1 = command.pages[0];
  if (command.page_count == 2) {
    entry.prp2 = command.pages[1];
  } else if (command.page_count > 2) {
    std::uint64_t& list = prp_lists_[std::size_t{command.pair} * depth_ + command.id];
    if (list == 0) list = memory_.allocate(1);
    memory_.write(list, &command.pages[1], (command.page_count - 1) * sizeof command.pages[1]);
    entry.prp2 = list;
  }
}

void NvmePath::interrupt(unsigned vector, Picoseconds at) {
  if (vector == 0) {
    bring_up_.admin_interrupt();
  } else {
    ends_.at(vector - 1)->interrupt(at);
  }
}

void NvmePath::End::interrupt(Picoseconds at) {
  if (!path_.takes_all_) {
    // One message per entry: later entries may lie in memory already, but their message has not arrived.
    take_one(at);
    queue.ring_head();
    return;
  }
  if (next_.pending()) return;  // the core is at it
  next_.set(path_.cores_.interrupt(pair_, at));
}

/// The core looks for an entry, or has dealt with the one that it found.
void NvmePath::End::alarm() {
  const Picoseconds now = next_.now();
  if (std::exchange(found_, false)) take_one(now);
  if (!queue.has_entry()) {
    queue.ring_head();
    return;
  }
  found_ = true;
  next_.set(path_.cores_.complete(pair_, now));
}

void NvmePath::End::take_one(Picoseconds at) {
  nvme::CompletionEntry entry{};
  if (queue.take(entry)) path_.client_->completed(pair_, entry.cid, nvme::status_of(entry), at);
}

}  // namespace wordline::host
