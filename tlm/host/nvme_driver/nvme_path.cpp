// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/nvme_path.h"

#include <fmt/format.h>

#include <stdexcept>

namespace wordline::host {
namespace {

// A queue of n entries holds n - 1; with the completion queue as long, that many commands are in flight at most.
std::uint32_t commands_of(std::uint32_t queue_entries) {
  if (queue_entries >= 2 && queue_entries <= 65536) return queue_entries - 1;
  throw std::invalid_argument(fmt::format("host.queue_entries: {} is not between 2 and 65536", queue_entries));
}

}  // namespace

NvmePath::NvmePath(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Host& config,
                   std::uint64_t user_lbas, HostMemory& memory, PcieLink& link)
    : sc_module(name),
      memory_(memory),
      controller_("controller", context, link),
      io_(memory, controller_),
      bring_up_("bring_up", context, config.queue_entries, user_lbas, memory, controller_, io_, *this),
      prp_lists_(commands_of(config.queue_entries)) {}

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
  io_.push(entry);
  return true;
}

/// PRP1 is the first page; PRP2 the second, or the list of the others (Base 4.1.1).
void NvmePath::set_data_pointer(const PathCommand& command, nvme::SubmissionEntry& entry) {
  if (command.page_count == 0) return;
  entry.prp1 = command.pages[0];
  if (command.page_count == 2) {
    entry.prp2 = command.pages[1];
  } else if (command.page_count > 2) {
    std::uint64_t& list = prp_lists_[command.id];
    if (list == 0) list = memory_.allocate(1);
    memory_.write(list, &command.pages[1], (command.page_count - 1) * sizeof command.pages[1]);
    entry.prp2 = list;
  }
}

void NvmePath::interrupt(unsigned vector, Picoseconds at) {
  if (vector == 0) {
    bring_up_.admin_interrupt();
    return;
  }
  // One message per entry: later entries may lie in memory already, but their message has not arrived.
  nvme::CompletionEntry entry{};
  if (!io_.take(entry)) return;
  client_->completed(entry.cid, nvme::status_of(entry), at);
  io_.ring_head();
}

}  // namespace wordline::host
