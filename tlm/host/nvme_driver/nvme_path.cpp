// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/nvme_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace wordline::host {
namespace {

// A queue of n entries holds n - 1; with the completion queue as long, that many commands are in flight at most.
std::uint32_t commands_of(std::uint32_t queue_entries) {
  if (queue_entries >= 2 && queue_entries <= 65536) return queue_entries - 1;
  throw std::invalid_argument(fmt::format("host.queue_entries: {} is not between 2 and 65536", queue_entries));
}

}  // namespace

NvmePath::NvmePath(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                   const config::Config& config, std::uint64_t user_lbas, HostMemory& memory, HostCores& cores,
                   PcieLink& link)
    : sc_module(name),
      memory_(memory),
      namespaces_(config, user_lbas),
      polls_(config.host.completion == config::HostCompletion::kPolling),
      depth_(commands_of(config.host.queue_entries)),
      controller_("controller", context, link),
      submission_(cores.pairs(), HostSubmissionQueue(memory, controller_)),
      bring_up_("bring_up", context, config.host, namespaces_, memory, controller_, *this),
      shut_down_(context, controller_, *this),
      sgl_(config.host.data_pointers == config::DataPointers::kSgl),
      contiguous_(config.host.buffers == config::Buffers::kContiguous),
      lists_(std::size_t{cores.pairs()} * depth_) {
  CompletionEnd::UserIf& user = *this;
  for (std::uint32_t core = 0; core < cores.completion_queues(); ++core) {
    ends_.push_back(std::make_unique<CompletionEnd>(context, config.host, core, cores, memory, controller_, user));
    bring_up_.add(ends_.back()->queue);
  }
  for (HostSubmissionQueue& queue : submission_) bring_up_.add(queue);
}

void NvmePath::controller_is_up(std::uint32_t max_nlb) {
  for (const std::unique_ptr<CompletionEnd>& end : ends_) end->begin();
  client_->ready(max_nlb);
}

HostPathIf::PairCounts NvmePath::counts(std::uint32_t pair) const {
  const auto queue = static_cast<std::uint32_t>(pair % ends_.size());
  return {fetched_ ? fetched_(pair + 1) : 0, ends_[queue]->interrupts(), queue + 1};
}

bool NvmePath::submit(const PathCommand& command) {
  nvme::SubmissionEntry entry{};
  entry.opcode = static_cast<std::uint8_t>(command.op);
  entry.cid = command.id;
  const HostNamespaces::Name name = namespaces_.name_of(command.slba);
  // What a FLUSH flushes is not a matter of a namespace (VWC bits 2:1).
  const bool all = command.op == Operation::kFlush && namespaces_.all().size() > 1;
  entry.nsid = all ? nvme::kAllNamespaces : name.nsid;
  set_data_pointer(command, entry);
  if (command.op == Operation::kDeallocate) {
    name_range(command, namespaces_.all()[name.nsid - 1].first);
    entry.cdw10 = command.nlb - 1;  // ranges
    entry.cdw11 = nvme::kDsmDeallocate;
  } else if (command.op != Operation::kFlush) {
    entry.cdw10 = static_cast<std::uint32_t>(name.lba);
    entry.cdw11 = static_cast<std::uint32_t>(name.lba >> 32);
    entry.cdw12 = ((command.nlb >> namespaces_.shift()) - 1) | (command.fua ? nvme::kFua : 0);
    if (namespaces_.metadata() != config::BlockMetadata::kNone) set_metadata(command, name.lba, entry);
    if (command.op == Operation::kWrite && command.placement >= 0) {
      entry.cdw12 |= nvme::kDataPlacement << nvme::kDirectiveShift;
      entry.cdw13 = static_cast<std::uint32_t>(command.placement) << 16;
    }
  }
  submission_[command.pair].push(entry);
  return true;
}

/// The host asks for all checks that the type has; its tags are TupleRule's.
void NvmePath::set_metadata(const PathCommand& command, std::uint64_t lba, nvme::SubmissionEntry& entry) {
  using data::ProtectionTags;
  entry.mptr = command.metadata;
  if (namespaces_.protection() == data::ProtectionType::kNone) return;
  const bool counts = namespaces_.protection() != data::ProtectionType::kType3;
  const std::uint32_t checks =
      ProtectionTags::kGuard | ProtectionTags::kApplication | (counts ? +ProtectionTags::kReference : 0U);
  entry.cdw12 |= (checks | (namespaces_.inserts() ? nvme::kPract : 0U)) << nvme::kPrinfoShift;
  entry.cdw14 = counts ? static_cast<std::uint32_t>(lba) : 0;
  entry.cdw15 = 0xffff0000U | data::TupleRule::kApplication;
}

void NvmePath::ring() {
  for (HostSubmissionQueue& queue : submission_) queue.ring();
}

void NvmePath::set_data_pointer(const PathCommand& command, nvme::SubmissionEntry& entry) {
  if (command.page_count == 0) return;
  if (sgl_) {
    set_sgl(command, entry);
  } else {
    set_prps(command, entry);
  }
}

std::uint64_t NvmePath::list_of(const PathCommand& command) {
  std::uint64_t& list = lists_[std::size_t{command.pair} * depth_ + command.id];
  constexpr std::uint32_t kPrpPages = 1, kSglPages = sizeof(nvme::SglDescriptor) / sizeof(std::uint64_t);
  if (list == 0) list = memory_.allocate(sgl_ ? kSglPages : kPrpPages);
  return list;
}

/// A data block for each page, or one for all of a contiguous buffer; several are in one segment (Base 4.1.2).
void NvmePath::set_sgl(const PathCommand& command, nvme::SubmissionEntry& entry) {
  const bool ranges = command.op == Operation::kDeallocate;
  std::uint64_t left = command.nlb * (ranges ? sizeof(nvme::DsmRange) : std::uint64_t{kLbaBytes});
  if (!ranges) left += namespaces_.among(command.nlb);
  segment_.clear();
  for (std::uint32_t i = 0; i < command.page_count; ++i) {
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, nvme::kPageBytes));
    left -= bytes;
    if (contiguous_ && !segment_.empty()) {
      segment_.back().length += bytes;
    } else {
      segment_.push_back({command.pages[i], bytes, {}, nvme::kSglDataBlock});
    }
  }
  nvme::SglDescriptor first = segment_.front();
  if (segment_.size() > 1) {
    const std::size_t bytes = segment_.size() * sizeof first;
    first = {list_of(command), static_cast<std::uint32_t>(bytes), {}, nvme::kSglLastSegment};
    memory_.write(first.address, segment_.data(), bytes);
  }
  entry.flags |= nvme::kPsdtSgl;
  std::memcpy(&entry.prp1, &first, sizeof first);
}

/// PRP1 is the first page; PRP2 the second, or the list of the others (Base 4.1.1).
void NvmePath::set_prps(const PathCommand& command, nvme::SubmissionEntry& entry) {
  entry.prp1 = command.pages[0];
  if (command.page_count == 2) {
    entry.prp2 = command.pages[1];
  } else if (command.page_count > 2) {
    const std::uint64_t list = list_of(command);
    memory_.write(list, &command.pages[1], (command.page_count - 1) * sizeof command.pages[1]);
    entry.prp2 = list;
  }
}

/// The range of a deallocation, in LBAs of its namespace, which begins at `first`.
void NvmePath::name_range(const PathCommand& command, std::uint64_t first) {
  nvme::DsmRange range{};
  memory_.read(command.pages[0], &range, sizeof range);
  range.slba = (range.slba - first) >> namespaces_.shift();
  range.nlb >>= namespaces_.shift();
  memory_.write(command.pages[0], &range, sizeof range);
}

void NvmePath::interrupt(unsigned vector, Picoseconds at) {
  if (vector == 0) {
    bring_up_.admin_interrupt();
  } else if (polls_) {
    SC_REPORT_ERROR("wordline/host", fmt::format("interrupt of vector {}, whose queue is polled", vector).c_str());
  } else {
    ends_.at(vector - 1)->interrupt(at);
  }
}

void NvmePath::completed(const nvme::CompletionEntry& entry, Picoseconds at) {
  const std::uint32_t pair = entry.sq_id - 1U;
  if (pair >= pairs()) {
    SC_REPORT_ERROR("wordline/host", fmt::format("completion of submission queue {}, which is none of the host's I/O "
                                                 "queues",
                                                 entry.sq_id)
                                         .c_str());
    return;
  }
  submission_[pair].controller_is_at(entry.sq_head);
  client_->completed(pair, entry.cid, nvme::status_of(entry), at);
}

}  // namespace wordline::host
