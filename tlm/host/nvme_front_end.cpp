// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// From the doorbell to the firmware's event ring: fetch, parse, check, PRP lists, ranges (Base 3.4, 4.1.1; NVM 3.2).
#include <algorithm>
#include <cstring>

#include "tlm/host/nvme_controller.h"

namespace wordline::host {
namespace {

constexpr std::uint64_t kPageMask = nvme::kPageBytes - 1;

constexpr std::uint64_t slba_of(const nvme::SubmissionEntry& sqe) {
  return static_cast<std::uint64_t>(sqe.cdw11) << 32 | sqe.cdw10;
}

}  // namespace

void NvmeController::fetch() {
  const Picoseconds now = tlm_if::now();
  while (pending_queues_ != 0) {
    // Round robin: the next queue with entries, from next_queue_ on.
    const std::uint64_t rest = pending_queues_ >> next_queue_;
    const auto qid = rest != 0 ? next_queue_ + static_cast<std::uint32_t>(__builtin_ctzll(rest))
                               : static_cast<std::uint32_t>(__builtin_ctzll(pending_queues_));
    if (!fetch_burst(qid, now)) {
      plan_fetch();
      return;
    }
    next_queue_ = qid + 1 > kMaxIoQueues ? 1 : qid + 1;
  }
}

// One read request: entries that lie together, as many as there are tags. False: no tag is free.
bool NvmeController::fetch_burst(std::uint32_t qid, Picoseconds now) {
  SubmissionQueue& sq = sq_[qid];
  const std::uint32_t most = std::min({sq.pending(), config_.nvme.fetch_burst, sq.size - sq.fetch});
  burst_tags_.clear();
  while (burst_tags_.size() < most) {
    const std::uint32_t tag = allocate_tag(now);
    if (tag == kNone) break;
    burst_tags_.push_back(tag);
  }
  if (burst_tags_.empty()) return false;
  const Picoseconds entries_at = link_.read(now, burst_tags_.size() * sizeof(nvme::SubmissionEntry));
  for (const std::uint32_t tag : burst_tags_) {
    Command& command = commands_[tag];
    command.sq = static_cast<std::uint16_t>(qid);
    host_.read(sq.base + sq.fetch * sizeof(nvme::SubmissionEntry), &command.sqe, sizeof command.sqe);
    stages->begin(static_cast<std::uint16_t>(tag), command.sq, command.sqe.cid, sq.arrived[sq.fetch]);
    // Into the table goes the entry and a word of zero, its extent.
    const Picoseconds taken = parser_.on() ? parser_.run(now, entries_at)
                                           : write_table(entries_at, sizeof(wl_sqe) + sizeof(std::uint32_t));
    schedule(taken, Kind::kParsed, tag);
    sq.fetch = sq.fetch + 1 == sq.size ? 0 : sq.fetch + 1;
    ++sq.in_flight;
    ++active_;
  }
  if (sq.pending() == 0) pending_queues_ &= ~(1ULL << qid);
  return true;
}

void NvmeController::parsed(std::uint32_t tag) {
  Command& command = commands_[tag];
  const Picoseconds now = tlm_if::now();
  if (lost(command)) {
    complete(tag, nvme::kSuccess, now, nullptr);
    return;
  }
  ++sq_[command.sq].parsed;
  if (!parser_.on()) {
    fetched(tag);
    return;
  }
  nvme::Status status = check(command);
  if (status == nvme::kSuccess) status = start_prps(command);
  if (status != nvme::kSuccess) {
    complete(tag, status | nvme::kDnr, now, nullptr);
  } else if (command.list != 0) {
    request_prp_list(tag);
  } else {
    deliver(tag);
  }
}

nvme::Status NvmeController::check_range(std::uint64_t slba, std::uint64_t blocks) const {
  return slba > user_lbas_ || blocks > user_lbas_ - slba ? nvme::kLbaOutOfRange : nvme::kSuccess;
}

// Fields of the entry, in the order in which a command is refused.
nvme::Status NvmeController::check(Command& command) const {
  const nvme::SubmissionEntry& sqe = command.sqe;
  command.slba = 0;
  command.blocks = 0;
  command.ranges = 0;
  const bool known =
      sqe.opcode <= nvme::kRead || sqe.opcode == nvme::kWriteZeroes || sqe.opcode == nvme::kDatasetManagement;
  if (!known) return nvme::kInvalidOpcode;
  if ((sqe.flags & 0xc3U) != 0) return nvme::kInvalidField;  // fused, or SGL
  const bool all = sqe.opcode == nvme::kFlush && sqe.nsid == nvme::kAllNamespaces;
  if (sqe.nsid != nvme::kNamespace && !all) return nvme::kInvalidNamespace;
  if (sqe.opcode == nvme::kFlush) return nvme::kSuccess;
  if (sqe.opcode == nvme::kDatasetManagement) {
    command.ranges = (sqe.cdw10 & 0xffU) + 1;
    return nvme::kSuccess;
  }
  command.slba = slba_of(sqe);
  command.blocks = (sqe.cdw12 & 0xffffU) + 1;
  const bool moves_data = sqe.opcode != nvme::kWriteZeroes;
  if (moves_data && command.blocks > (kLbasPerSector << mdts_)) return nvme::kInvalidField;  // MDTS
  return check_range(command.slba, command.blocks);
}

// Host pages from PRP1 and PRP2 (Base 4.1.1). Leaves command.list != 0 when a list must be read.
nvme::Status NvmeController::start_prps(Command& command) const {
  const nvme::SubmissionEntry& sqe = command.sqe;
  command.list = 0;
  const bool ranges = sqe.opcode == nvme::kDatasetManagement;
  if (!ranges && sqe.opcode != nvme::kRead && sqe.opcode != nvme::kWrite) return nvme::kSuccess;
  // Bytes are needed for ranges, whole blocks for data.
  const std::uint32_t unit = ranges ? 4 : kLbaBytes;
  const std::uint64_t bytes =
      ranges ? command.ranges * sizeof(nvme::DsmRange) : std::uint64_t{command.blocks} * kLbaBytes;
  if (sqe.prp1 % unit != 0) return nvme::kPrpOffsetInvalid;
  command.pages.push_back(sqe.prp1);
  const std::uint64_t offset = sqe.prp1 & kPageMask;
  command.pages_expected = static_cast<std::uint32_t>((offset + bytes + kPageMask) / nvme::kPageBytes);
  if (command.pages_expected == 1) return nvme::kSuccess;
  if (command.pages_expected == 2) {
    if ((sqe.prp2 & kPageMask) != 0) return nvme::kPrpOffsetInvalid;
    command.pages.push_back(sqe.prp2);
    return nvme::kSuccess;
  }
  if (sqe.prp2 % 8 != 0) return nvme::kPrpOffsetInvalid;
  command.list = sqe.prp2;
  return command.list == 0 ? nvme::kInvalidField : nvme::kSuccess;
}

// Entries of the list that lie in the page of command.list: all that are missing, or up to the page's end, where the
// last one points to the next list.
std::uint32_t NvmeController::list_entries(const Command& command) {
  const auto missing = static_cast<std::uint32_t>(command.pages_expected - command.pages.size());
  const auto room = static_cast<std::uint32_t>((nvme::kPageBytes - (command.list & kPageMask)) / 8);
  return std::min(missing, room);
}

void NvmeController::request_prp_list(std::uint32_t tag) {
  schedule(link_.read(tlm_if::now(), list_entries(commands_[tag]) * 8U), Kind::kPrpList, tag);
}

void NvmeController::continue_prps(std::uint32_t tag) {
  Command& command = commands_[tag];
  if (lost(command)) {
    end_prps(tag, nvme::kAbortedQueueDeleted);
    return;
  }
  const std::uint32_t entries = list_entries(command);
  const bool last = command.pages.size() + entries == command.pages_expected;
  host_.read(command.list, prps_.data(), entries * 8U);
  command.list = 0;
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::uint64_t prp = prps_[i];
    if ((prp & kPageMask) != 0) {
      end_prps(tag, nvme::kPrpOffsetInvalid);
      return;
    }
    if (!last && i + 1 == entries) {
      command.list = prp;
    } else {
      command.pages.push_back(prp);
    }
  }
  if (last) {
    end_prps(tag, nvme::kSuccess);
  } else {
    request_prp_list(tag);
  }
}

// The list is read, or it is no good. Nobody sees the status of a lost command.
void NvmeController::end_prps(std::uint32_t tag, nvme::Status status) {
  if (!parser_.on()) {
    if (status == nvme::kSuccess) count(commands_[tag].sqe.opcode);
    answer(tag, WL_EVENT_LIST, status);
  } else if (lost(commands_[tag])) {
    complete(tag, nvme::kSuccess, tlm_if::now(), nullptr);
  } else if (status != nvme::kSuccess) {
    complete(tag, status | nvme::kDnr, tlm_if::now(), nullptr);
  } else {
    deliver(tag);
  }
}

// To the firmware; one Dataset Management command at a time.
void NvmeController::deliver(std::uint32_t tag) {
  Command& command = commands_[tag];
  if (command.sqe.opcode != nvme::kDatasetManagement) {
    if (!offer_to_engines(tag)) push_command(tag);
    return;
  }
  if ((command.sqe.cdw11 & nvme::kDsmDeallocate) == 0) {  // hints only: nothing to do
    complete(tag, nvme::kSuccess, tlm_if::now(), nullptr);
    return;
  }
  if (deallocating_ == kNone) {
    start_ranges(tag);
  } else {
    deallocate_queue_.push_back(tag);
  }
}

void NvmeController::start_ranges(std::uint32_t tag) {
  deallocating_ = tag;
  const Command& command = commands_[tag];
  const Picoseconds now = tlm_if::now();
  const std::uint64_t bytes = command.ranges * sizeof(nvme::DsmRange);
  const Picoseconds at = command.direct ? now : link_.read(now, bytes);
  schedule(parser_.on() ? at : write_table(at, bytes), Kind::kRanges, tag);
}

void NvmeController::next_deallocate() {
  deallocating_ = kNone;
  if (deallocate_next_ == deallocate_queue_.size()) return;
  const std::uint32_t tag = deallocate_queue_[deallocate_next_++];
  if (deallocate_next_ == deallocate_queue_.size()) {
    deallocate_queue_.clear();
    deallocate_next_ = 0;
  }
  start_ranges(tag);
}

void NvmeController::deliver_ranges(std::uint32_t tag) {
  Command& command = commands_[tag];
  const Picoseconds now = tlm_if::now();
  if (lost(command)) {
    if (parser_.on()) {
      complete(tag, nvme::kSuccess, now, nullptr);
    } else {
      answer(tag, WL_EVENT_RANGES, nvme::kAbortedQueueDeleted);
    }
    return;
  }
  const std::size_t bytes = command.ranges * sizeof(nvme::DsmRange);
  const std::size_t first = std::min<std::size_t>(bytes, nvme::kPageBytes - (command.pages[0] & kPageMask));
  host_.read(command.pages[0], ranges_.data(), first);
  if (first < bytes) host_.read(command.pages[1], reinterpret_cast<std::byte*>(ranges_.data()) + first, bytes - first);

  if (!parser_.on()) {
    std::memcpy(range_table_, ranges_.data(), bytes);
    answer(tag, WL_EVENT_RANGES, nvme::kSuccess);
    return;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < command.ranges; ++i) {
    const nvme::Status status = check_range(ranges_[i].slba, ranges_[i].blocks);
    if (status != nvme::kSuccess) {
      complete(tag, status | nvme::kDnr, now, nullptr);
      return;
    }
    if (ranges_[i].blocks != 0) ranges_[kept++] = ranges_[i];
  }
  if (kept == 0) {
    complete(tag, nvme::kSuccess, now, nullptr);
    return;
  }
  command.state = Command::State::kFirmware;
  count(command.sqe.opcode);
  record_command(command);
  stages->mark(static_cast<std::uint16_t>(tag), tlm_if::Stage::kQueueFirmware, now);
  for (std::uint32_t i = 0; i < kept; ++i) {
    const bool last = i + 1 == kept;
    wl_host_event event{};
    event.type = WL_EVENT_COMMAND;
    event.opcode = nvme::kDatasetManagement;
    event.flags = last ? WL_EVENT_LAST : 0;
    event.tag = static_cast<std::uint16_t>(tag);
    event.slba = ranges_[i].slba;
    event.blocks = ranges_[i].blocks;
    push_event(event, last);
  }
}

void NvmeController::count(std::uint8_t opcode) {
  switch (opcode) {
    case nvme::kRead: ++counters_.reads; break;
    case nvme::kWrite: ++counters_.writes; break;
    case nvme::kFlush: ++counters_.flushes; break;
    case nvme::kDatasetManagement: ++counters_.deallocates; break;
    default: ++counters_.write_zeroes; break;
  }
}

// True: the engines have the command, and finish it or hand it over.
bool NvmeController::offer_to_engines(std::uint32_t tag) {
  Command& command = commands_[tag];
  command.state = Command::State::kFirmware;
  count(command.sqe.opcode);
  record_command(command);
  if (engines.size() == 0) return false;
  const auto lpn = static_cast<std::uint32_t>(command.slba / kLbasPerSector);
  const auto end = static_cast<std::uint32_t>((command.slba + command.blocks + kLbasPerSector - 1) / kLbasPerSector);
  if (command.sqe.opcode == nvme::kWrite) engines->write_begins(lpn, end - lpn);
  if (command.sqe.opcode != nvme::kRead) return false;
  return engines->take_read(static_cast<std::uint16_t>(tag), lpn, end - lpn);
}

void NvmeController::hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) {
  schedule(at, Kind::kHandOver, tag, flags);
}

void NvmeController::push_command(std::uint32_t tag, std::uint8_t flags) {
  const Command& command = commands_[tag];
  const std::uint8_t opcode = command.sqe.opcode;
  stages->mark(static_cast<std::uint16_t>(tag), tlm_if::Stage::kQueueFirmware, tlm_if::now());
  wl_host_event event{};
  event.type = WL_EVENT_COMMAND;
  event.opcode = opcode;
  event.flags = static_cast<std::uint8_t>(WL_EVENT_LAST | flags);
  if (opcode != nvme::kFlush && (command.sqe.cdw12 & nvme::kFua) != 0) event.flags |= WL_EVENT_FUA;
  event.tag = static_cast<std::uint16_t>(tag);
  event.blocks = command.blocks;
  event.slba = command.slba;
  push_event(event, true);
}

void NvmeController::push_event(const wl_host_event& event, bool wake) {
  if (!event_ring_.push(event)) {
    error("event ring overflow, " + std::to_string(event_size_) +
          " entries: the firmware must size it for host_tags * (1 + WL_DMA_JOBS_PER_TAG) + WL_DSM_RANGES");
    return;
  }
  if (recorder_ != nullptr) recorder_->set(wave_events_, tlm_if::now(), event_ring_.level());
  if (wake) interrupt->raise(WL_IRQ_HOST);
}

bool NvmeController::submit(const DirectCommand& direct_command) {
  const Picoseconds now = tlm_if::now();
  if (!parser_.on()) {
    error("a direct command with engines.parse = off: there is no submission entry that firmware could parse");
    return false;
  }
  if (!firmware_ready_) return false;
  const std::uint32_t tag = allocate_tag(now);
  if (tag == kNone) return false;
  Command& command = commands_[tag];
  command.direct = true;
  command.sq = direct_command.qid;
  nvme::SubmissionEntry& sqe = command.sqe;
  sqe = {};
  sqe.opcode = direct_command.opcode;
  sqe.cid = direct_command.cid;
  sqe.nsid = nvme::kNamespace;
  stages->begin(static_cast<std::uint16_t>(tag), command.sq, sqe.cid, now);

  nvme::Status status = nvme::kSuccess;
  if (sqe.opcode == nvme::kDatasetManagement) {
    sqe.cdw10 = direct_command.blocks - 1;
    sqe.cdw11 = nvme::kDsmDeallocate;
    if (direct_command.blocks - 1 >= nvme::kMaxDsmRanges) status = nvme::kInvalidField;
  } else {
    sqe.cdw10 = static_cast<std::uint32_t>(direct_command.slba);
    sqe.cdw11 = static_cast<std::uint32_t>(direct_command.slba >> 32);
    sqe.cdw12 = ((direct_command.blocks - 1) & 0xffffU) | (direct_command.fua ? nvme::kFua : 0);
    if (sqe.opcode != nvme::kFlush && direct_command.blocks - 1 >= 65536) status = nvme::kInvalidField;
  }
  if (status == nvme::kSuccess) status = check(command);
  if (status == nvme::kSuccess) status = take_pages(command, direct_command);
  if (status != nvme::kSuccess) {
    complete(tag, status | nvme::kDnr, now, nullptr);
  } else {
    deliver(tag);
  }
  return true;
}

// The pages of a direct command, held to the rules of PRPs.
nvme::Status NvmeController::take_pages(Command& command, const DirectCommand& given) const {
  if (given.page_count == 0) {
    const bool none_needed = given.opcode == nvme::kFlush || given.opcode == nvme::kWriteZeroes;
    return none_needed ? nvme::kSuccess : nvme::kInvalidField;
  }
  command.sqe.prp1 = given.pages[0];
  command.sqe.prp2 = given.page_count > 1 ? given.pages[1] : 0;
  const nvme::Status status = start_prps(command);
  if (given.page_count < command.pages_expected) return nvme::kInvalidField;
  if (status != nvme::kSuccess) return status;
  if (command.list != 0) {  // the list is at hand
    command.list = 0;
    for (std::uint32_t i = 1; i < command.pages_expected; ++i) {
      if ((given.pages[i] & kPageMask) != 0) return nvme::kPrpOffsetInvalid;
      command.pages.push_back(given.pages[i]);
    }
  }
  return nvme::kSuccess;
}

}  // namespace wordline::host
