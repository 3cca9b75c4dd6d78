// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/firmware_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tlm/device/nvme/copy_ranges.h"

namespace wordline::host::nvme {

namespace {

/// The stretches of an SGL are as long as the extent that the firmware has found.
bool covers(const HostCommand& command) {
  std::uint64_t bytes = 0;
  for (const HostStretch& stretch : command.stretches) bytes += stretch.bytes;
  return bytes == pointed_data(command).bytes;
}

}  // namespace

static_assert(sizeof(wl_sqe) == sizeof(SubmissionEntry));
static_assert(sizeof(wl_dsm_range) == sizeof(DsmRange));

bool FirmwareParser::firmware_ready() {
  const FirmwarePort::Tables& tables = mover_.tables();
  const std::size_t tags = mover_.commands().size();
  tlm_if::SharedMemoryIf& tcm = *mover_.memory[0];
  table_ = reinterpret_cast<wl_sqe*>(tcm.at(tables.commands, tags * sizeof *table_));
  extents_ = reinterpret_cast<std::uint32_t*>(tcm.at(tables.extents, tags * sizeof *extents_));
  range_table_ = tcm.at(tables.ranges, WL_DSM_RANGES * sizeof(wl_dsm_range));
  namespace_table_ = reinterpret_cast<wl_namespace_table*>(tcm.at(tables.namespaces, sizeof *namespace_table_));
  if (table_ == nullptr || extents_ == nullptr || range_table_ == nullptr || namespace_table_ == nullptr) return false;
  namespaces_changed();
  return true;
}

void FirmwareParser::namespaces_changed() {
  namespace_table_->count = namespaces_.last();
  namespace_table_->lba_shift = namespaces_.shift();
  for (std::uint32_t nsid = 1; nsid <= namespaces_.last(); ++nsid) {
    const config::Namespace& from = namespaces_.at(nsid);
    namespace_table_->namespaces[nsid - 1] = {from.first, namespaces_.has(nsid) ? from.lbas : 0};
  }
}

// The port into tightly coupled memory takes a word per clock of the cores, one transfer after the other.
Picoseconds FirmwareParser::write_table(Picoseconds from, std::size_t bytes) {
  table_free_ = std::max(table_free_, from) + cycles_time(bytes / sizeof(std::uint32_t), clock_);
  return table_free_;
}

// Into the table goes the entry and a word of zero, its extent.
Picoseconds FirmwareParser::entry_taken(std::uint32_t /*tag*/, Picoseconds at) {
  return write_table(at, sizeof(wl_sqe) + sizeof(std::uint32_t));
}

// The entry is in its slot. Nothing in it has been checked.
void FirmwareParser::entry_arrived(std::uint32_t tag) {
  const SubmissionEntry& sqe = entry(tag);
  name(command(tag), sqe.opcode);
  prps_.forget(tag);
  pointer_status_[tag] = kSuccess;
  if (!has_sgl(sqe)) {
    if (names_own_memory(sqe)) {
      pointer_ended(tag, kInvalidUseOfCmb);
    } else {
      hand_over(tag, sqe);
    }
    return;
  }
  const Status status = start_sgl(tag);
  if (status == kSuccess && sgls_.has_segments(tag)) {
    sgls_.read_segments(tag);
  } else {
    pointer_ended(tag, status);
  }
}

// As long as the entry says; what is wrong in it otherwise is for the firmware to find.
HostCommand FirmwareParser::as_named(const SubmissionEntry& sqe) const {
  HostCommand command = {};
  name(command, sqe.opcode);
  command.nlb = ((sqe.cdw12 & 0xffffU) + 1) << namespaces_.shift();
  command.ranges = command.op == Operation::kCopy ? copy_ranges(sqe) * kEntriesOfCopyRange : (sqe.cdw10 & 0xffU) + 1;
  return command;
}

// PRPs that are good but for that: the firmware does not know where the controller's memory is.
bool FirmwareParser::names_own_memory(const SubmissionEntry& sqe) const {
  if (!mover_.dma().has_own()) return false;
  const PointedData data = pointed_data(as_named(sqe));
  return data.bytes != 0 && prps_.check(sqe, data) == kInvalidUseOfCmb;
}

Status FirmwareParser::start_sgl(std::uint32_t tag) {
  const SubmissionEntry& sqe = entry(tag);
  const HostCommand command = as_named(sqe);
  const auto [bytes, unit] = pointed_data(command);
  sgls_.forget(tag);
  if (bytes == 0) return kSuccess;
  if (bytes > std::uint64_t{mover_.limits().max_nlb} * kLbaBytes) return kInvalidField;
  return sgls_.start(tag, sqe, bytes, unit, is_data_to_host(command));
}

void FirmwareParser::pointer_ended(std::uint32_t tag, Status status) {
  constexpr std::uint64_t kGoodPrp1 = 0, kBadPrp1 = 1;
  pointer_status_[tag] = status;
  SubmissionEntry sqe = entry(tag);
  sqe.flags &= static_cast<std::uint8_t>(~kPsdtMask);
  sqe.prp1 = status == kSuccess ? kGoodPrp1 : kBadPrp1;
  sqe.prp2 = kPageBytes;
  hand_over(tag, sqe);
}

// Only a command with a bad SGL, or one that names the controller's memory, was given a PRP with an offset.
Status FirmwareParser::status_for_host(std::uint32_t tag, Status status) const {
  const bool pretended = has_sgl(entry(tag)) || pointer_status_[tag] != kSuccess;
  const bool own = pretended && (status & ~kDnr) == kPrpOffsetInvalid;
  return own ? static_cast<Status>(pointer_status_[tag] | (status & kDnr)) : status;
}

void FirmwareParser::hand_over(std::uint32_t tag, const SubmissionEntry& sqe) {
  HostCommand& command = this->command(tag);
  command.state = HostCommand::State::kFirmware;
  std::memcpy(&table_[tag], &sqe, sizeof sqe);
  extents_[tag] = 0;
  mover_.waves().name(tag, {command.queue, command.id});
  if (mover_.waves().records()) {
    mover_.waves().record(fmt::format("entry {:02x}h q{} cid {}", sqe.opcode, command.queue, command.id));
  }
  mover_.stages->mark(static_cast<std::uint16_t>(tag), tlm_if::Stage::kQueueCore, mover_.now());
  wl_host_event event{};
  event.type = WL_EVENT_SQE;
  event.tag = static_cast<std::uint16_t>(tag);
  mover_.push_event(event, true);
}

bool FirmwareParser::take_job(const wl_host_job& job) {
  const HostCommand& command = this->command(job.tag);
  switch (job.op) {
    case WL_JOB_COMPLETE:
      if (!moves_data(command.op) && job.status == kSuccess) mover_.counters().count(command);
      return true;
    case WL_JOB_PRP_LIST:
      start_list(job.tag);
      return false;
    case WL_JOB_RANGES:
      start_ranges(job);
      return false;
    case WL_JOB_BEGIN_COPY:
      begin_copy(job);
      return false;
    default:
      break;
  }
  if (!take_extent(job.tag)) return false;
  if (!prps_.has_list(job.tag)) return true;
  reports_.error("data job for tag {} before its PRP list is read", job.tag);
  return false;
}

// The extent that firmware found in the entry; from then on data can move. False: it does not fit the controller's
// copy.
bool FirmwareParser::take_extent(std::uint32_t tag) {
  HostCommand& command = this->command(tag);
  if (command.nlb != 0) return true;
  const std::uint32_t extent = extents_[tag];
  command.slba =
      extent & ((1U << WL_EXTENT_FIRST_BITS) - 1);  // where it lies within its logical page: no more is needed here
  command.nlb = extent >> WL_EXTENT_FIRST_BITS;
  const bool zeroes = command.op == Operation::kWriteZeroes;  // has no data, and is counted when it ends
  const bool fits = command.nlb != 0 && (zeroes || (moves_data(command.op) && command.nlb <= mover_.limits().max_nlb));
  const bool sgl = has_sgl(entry(tag));
  const bool pointed = zeroes || (sgl ? covers(command) : prps_.start(tag, entry(tag)) == kSuccess);
  if (!fits || !pointed) {
    reports_.error("extent of {} blocks for tag {} does not fit its entry, opcode {}", command.nlb, tag,
                   static_cast<unsigned>(command.op));
    return false;
  }
  if (!zeroes && !prps_.has_list(tag)) mover_.counters().count(command);  // else when its list is good
  return true;
}

void FirmwareParser::start_list(std::uint32_t tag) {
  if (!take_extent(tag)) return;
  if (lost(tag)) {
    answer(tag, WL_EVENT_LIST, kAbortedQueueDeleted);
  } else if (has_sgl(entry(tag))) {
    answer(tag, WL_EVENT_LIST, kSuccess);
  } else if (!prps_.has_list(tag)) {
    reports_.error("job for a PRP list, but tag {} has none, or it was read", tag);
  } else {
    prps_.read_list(tag);
  }
}

void FirmwareParser::list_ended(std::uint32_t tag, Status status) {
  if (has_sgl(entry(tag))) {
    if (lost(tag)) {
      mover_.complete(tag, kSuccess, mover_.now());  // as one that is lost before it arrives
    } else {
      pointer_ended(tag, status);
    }
    return;
  }
  if (status == kSuccess) mover_.counters().count(command(tag));
  answer(tag, WL_EVENT_LIST, status);
}

void FirmwareParser::start_ranges(const wl_host_job& job) {
  HostCommand& command = this->command(job.tag);
  const bool fits = has_ranges(command.op) && command.ranges == 0 && job.count != 0 && job.count <= WL_DSM_RANGES;
  if (fits) command.ranges = job.count;
  const bool sgl = has_sgl(entry(job.tag));
  if (!fits || (!sgl && prps_.start(job.tag, entry(job.tag)) != kSuccess)) {
    reports_.error("job for {} ranges does not fit tag {}, opcode {}", job.count, job.tag,
                   static_cast<unsigned>(command.op));
    return;
  }
  mover_.queue_deallocation(job.tag);
}

/// The firmware has checked the ranges; where they lie in the drive is found here.
void FirmwareParser::begin_copy(const wl_host_job& job) {
  HostCommand& command = this->command(job.tag);
  const SubmissionEntry& sqe = entry(job.tag);
  CopyPlan plan;
  const bool fits = command.op == Operation::kCopy && command.ranges == copy_ranges(sqe) * kEntriesOfCopyRange;
  if (!fits || plan_copy(sqe, reinterpret_cast<const CopyRange*>(range_table_), namespaces_, plan) != kSuccess) {
    reports_.error("job that begins a copy does not fit tag {}, opcode {}", job.tag, static_cast<unsigned>(command.op));
    return;
  }
  command.fua = (sqe.cdw12 & kFua) != 0;
  command.placement = job.flags;
  mover_.copies.begin(job.tag, std::move(plan.sources), plan.destination, plan.metadata);
}

void FirmwareParser::ranges_arrived(std::uint32_t tag, const RangeList& ranges) {
  std::memcpy(range_table_, ranges.data(), ranges.bytes());
  answer(tag, WL_EVENT_RANGES, kSuccess);
}

// A list or ranges are there, or the reason why not.
void FirmwareParser::answer(std::uint32_t tag, std::uint8_t type, Status status) {
  wl_host_event event{};
  event.type = type;
  event.tag = static_cast<std::uint16_t>(tag);
  event.count = status;
  mover_.push_event(event, true);
}

}  // namespace wordline::host::nvme
