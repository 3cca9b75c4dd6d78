// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/host/host_driver.h"

/// The I/O commands of the host driver: from a request to queue entries, and from a completion back to the request.
namespace wordline::host {
namespace {

using tlm_if::now;
using workload::Op;

/// What a buffer holds before the drive has written it: no block of any drive.
constexpr data::BlockStamp kPoison{Lba(0xffffffff), 0xffffffff};

std::uint32_t pages_of(std::uint32_t blocks) { return (blocks + kLbasPerSector - 1) / kLbasPerSector; }

struct Extent {
  std::uint64_t slba;
  std::uint64_t blocks;
};

/// The sectors that these blocks cover whole: what is deallocated, because the drive prefers whole ones (Identify Namespace: NPDG,
/// NPDA). As operating systems do; of the rest nothing changes. None: zero blocks.
Extent whole_sectors(std::uint64_t slba, std::uint64_t blocks) {
  const std::uint64_t first = (slba + kLbasPerSector - 1) / kLbasPerSector * kLbasPerSector;
  const std::uint64_t end = (slba + blocks) / kLbasPerSector * kLbasPerSector;
  return {first, end > first ? end - first : 0};
}

std::uint8_t opcode_of(Op op) {
  switch (op) {
    case Op::kRead:
      return nvme::kRead;
    case Op::kWrite:
      return nvme::kWrite;
    case Op::kTrim:
      return nvme::kDatasetManagement;
    case Op::kFlush:
      break;
  }
  return nvme::kFlush;
}

const char* status_text(nvme::Status status) {
  switch (status & 0x7ffU) {
    case nvme::kInvalidOpcode:
      return "invalid command opcode";
    case nvme::kInvalidField:
      return "invalid field in command";
    case nvme::kInternalError:
      return "internal error";
    case nvme::kInvalidNamespace:
      return "invalid namespace or format";
    case nvme::kPrpOffsetInvalid:
      return "PRP offset invalid";
    case nvme::kLbaOutOfRange:
      return "LBA out of range";
    case nvme::kWriteFault:
      return "write fault";
    case nvme::kUnrecoveredRead:
      return "unrecovered read error";
    default:
      return "see NVM Express Base 3.3.3.2.1";
  }
}

}  // namespace

std::string HostDriver::describe_status(nvme::Status status) {
  char code[32];
  std::snprintf(code, sizeof code, "type %u code %02xh", status >> 8U & 7U, status & 0xffU);
  return std::string("status ") + code + " (" + status_text(status) + ")";
}

/// Turns waiting requests into commands while there are identifiers; one doorbell for all of them.
void HostDriver::issue() {
  const std::uint32_t tail = io_.tail;
  while (!waiting_.empty() && !free_cids_.empty() && refused_ == kNone) {
    const std::uint32_t index = waiting_.front();
    const std::uint16_t cid = free_cids_.back();
    free_cids_.pop_back();
    build(cid, index);
    if (requests_[index].issued) waiting_.pop();
    send(cid);
  }
  if (io_.tail != tail) write_register(nvme::sq_tail_doorbell(kIoQueue), io_.tail);
  record_levels();
}

/// The next command of the request: its range, its buffers, its oracle entry.
void HostDriver::build(std::uint16_t cid, std::uint32_t index) {
  Request& request = requests_[index];
  Command& command = commands_[cid];
  command.request = index;
  command.submitted = now();
  command.slba = request.what.lba.value() + request.issued_blocks;
  command.blocks = 0;
  const Op op = request.what.op;
  if (op == Op::kTrim) {
    command.blocks = request.what.blocks;  // a range takes 2^32 - 1 blocks, as a request
  } else if (op != Op::kFlush) {
    const std::uint64_t left = request.what.blocks - request.issued_blocks;
    command.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, max_blocks_));
  }
  request.issued_blocks += command.blocks;
  request.issued = op == Op::kFlush || request.issued_blocks == request.what.blocks;
  ++request.commands;
  const Lba lba(command.slba);
  switch (op) {
    case Op::kRead:
      command.read = oracle_.begin_read(request.number);
      acquire_pages(command, pages_of(command.blocks));
      for (const std::uint64_t page : command.pages) memory_.page(page).fill(kPoison);
      break;
    case Op::kWrite:
      if (request.version == 0) request.version = oracle_.new_version();
      oracle_.begin_write(request.version, lba, command.blocks);
      acquire_pages(command, pages_of(command.blocks));
      for (std::uint32_t i = 0; i < command.blocks; i += kLbasPerSector) {
        data::SectorBlocks& page = memory_.page(command.pages[i / kLbasPerSector]);
        for (std::uint32_t b = 0; b < std::min(kLbasPerSector, command.blocks - i); ++b) {
          page[b] = data::BlockStamp(Lba(command.slba + i + b), request.version);
        }
      }
      break;
    case Op::kTrim: {
      if (request.version == 0) request.version = oracle_.new_version();
      const Extent whole = whole_sectors(command.slba, command.blocks);
      if (whole.blocks != 0) oracle_.begin_trim(request.version, Lba(whole.slba), whole.blocks);
      acquire_pages(command, 1);
      const nvme::DsmRange range{0, static_cast<std::uint32_t>(whole.blocks), whole.slba};
      memory_.write(command.pages[0], &range, sizeof range);
      break;
    }
    case Op::kFlush:
      break;
  }
}

void HostDriver::acquire_pages(Command& command, std::uint32_t count) {
  command.pages.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (free_pages_.empty()) free_pages_.push_back(memory_.allocate(1));
    command.pages.push_back(free_pages_.back());
    free_pages_.pop_back();
  }
}

/// PRP1 is the first page; PRP2 the second, or the list of the others (Base 4.1.1).
void HostDriver::set_data_pointer(Command& command, nvme::SubmissionEntry& entry) {
  const std::vector<std::uint64_t>& pages = command.pages;
  if (pages.empty()) return;
  entry.prp1 = pages[0];
  if (pages.size() == 2) {
    entry.prp2 = pages[1];
  } else if (pages.size() > 2) {
    if (command.prp_list == 0) command.prp_list = memory_.allocate(1);
    memory_.write(command.prp_list, &pages[1], (pages.size() - 1) * sizeof pages[1]);
    entry.prp2 = command.prp_list;
  }
}

/// Puts the command into the submission queue, or into the controller when there is none between.
void HostDriver::send(std::uint16_t cid) {
  Command& command = commands_[cid];
  const Op op = requests_[command.request].what.op;
  ++in_flight_;
  stage_clock->submitted(kIoQueue, cid, command.submitted);
  if (is_direct_) {
    refused_command_ = DirectCommand();
    refused_command_.qid = kIoQueue;
    refused_command_.cid = cid;
    refused_command_.opcode = opcode_of(op);
    refused_command_.slba = op == Op::kTrim ? 0 : command.slba;
    refused_command_.blocks = op == Op::kTrim ? 1 : command.blocks;
    refused_command_.pages = command.pages.data();
    refused_command_.page_count = static_cast<std::uint32_t>(command.pages.size());
    if (!direct->submit(refused_command_)) refused_ = cid;
    return;
  }
  nvme::SubmissionEntry entry{};
  entry.opcode = opcode_of(op);
  entry.cid = cid;
  entry.nsid = nvme::kNamespace;
  set_data_pointer(command, entry);
  if (op == Op::kTrim) {
    entry.cdw10 = 0;  // one range
    entry.cdw11 = nvme::kDsmDeallocate;
  } else if (op != Op::kFlush) {
    entry.cdw10 = static_cast<std::uint32_t>(command.slba);
    entry.cdw11 = static_cast<std::uint32_t>(command.slba >> 32);
    entry.cdw12 = command.blocks - 1;
  }
  push(io_, entry);
}

void HostDriver::interrupt(unsigned vector, Picoseconds at) {
  if (vector == 0) {
    admin_completed();
    return;
  }
  // One message per entry: later entries may lie in memory already, but their message has not arrived.
  nvme::CompletionEntry entry{};
  if (!take(io_, entry)) return;
  finish_command(entry.cid, nvme::status_of(entry), at);
  write_register(nvme::cq_head_doorbell(kIoQueue), io_.head);
}

void HostDriver::ready() {
  if (phase_ == Phase::kBringUp) {
    start_run();
  } else if (refused_ != kNone && direct->submit(refused_command_)) {
    refused_ = kNone;
    submit_event_.notify(sc_core::SC_ZERO_TIME);
  }
}

void HostDriver::completed(std::uint16_t qid, std::uint16_t cid, nvme::Status status, Picoseconds at) {
  if (qid != kIoQueue) {
    const std::string text = "completion for queue " + std::to_string(qid) + ", which does not exist";
    SC_REPORT_ERROR("wordline/host", text.c_str());
    return;
  }
  finish_command(cid, status, at);
  if (refused_ != kNone && direct->submit(refused_command_)) refused_ = kNone;
}

void HostDriver::finish_command(std::uint16_t cid, nvme::Status status, Picoseconds at) {
  if (cid >= commands_.size() || commands_[cid].request == kNone) {
    const std::string text = "completion of command " + std::to_string(cid) + ", which is not in flight";
    SC_REPORT_ERROR("wordline/host", text.c_str());
    return;
  }
  Command& command = commands_[cid];
  const std::uint32_t index = command.request;
  Request& request = requests_[index];
  oracle_.prefetch(Lba(command.slba));
  stage_times_ = stage_clock->finish(kIoQueue, cid, at);
  --request.commands;
  --in_flight_;
  ++commands_completed_;
  const bool last = request.issued && request.commands == 0;
  const Op op = request.what.op;
  command.request = kNone;
  if ((status & 0x7ffU) != nvme::kSuccess) {
    if (op == Op::kRead) oracle_.end_read(command.read, false);
    ++io_errors_;
    stopping_ = true;
    const std::string text = std::string(workload::op_name(op)) + " of " + std::to_string(command.blocks) +
                             " blocks at LBA " + std::to_string(command.slba) + " (request " +
                             std::to_string(request.number) + ") failed: " + describe_status(status);
    SC_REPORT_ERROR("wordline/host", text.c_str());
  } else if (op == Op::kRead) {
    check_read(request, command, last);
  } else if (op != Op::kFlush) {
    const Extent written =
        op == Op::kTrim ? whole_sectors(command.slba, command.blocks) : Extent{command.slba, command.blocks};
    if (written.blocks != 0) oracle_.end_write(request.version, Lba(written.slba), written.blocks);
  }
  free_pages_.insert(free_pages_.end(), command.pages.begin(), command.pages.end());
  command.pages.clear();
  free_cids_.push_back(cid);
  if (last) finish_request(index, command, at);
  record_levels();
  // A waiting request takes the place at once, by way of the submission process; so does the end of the run.
  const bool idle = active_ == 0 && (stopping_ || (due_.empty() && !ahead_));
  if (!waiting_.empty() || phase_ == Phase::kVerify || idle) {
    submit_event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    wake();
  }
}

void HostDriver::check_read(Request& request, Command& command, bool last) {
  bool legal = true;
  const bool aligned = command.slba % kLbasPerSector == 0;
  for (std::uint32_t i = 0; i < command.blocks; i += kLbasPerSector) {
    const data::SectorBlocks& page = memory_.page(command.pages[i / kLbasPerSector]);
    const std::uint32_t count = std::min(kLbasPerSector, command.blocks - i);
    if (aligned && count == kLbasPerSector) {
      const Lpn lpn(static_cast<std::uint32_t>((command.slba + i) / kLbasPerSector));
      legal = oracle_.check_sector(command.read, lpn, page) && legal;
      continue;
    }
    for (std::uint32_t b = 0; b < count; ++b) {
      legal = oracle_.check(command.read, Lba(command.slba + i + b), page[b]) && legal;
    }
  }
  oracle_.end_read(command.read, last);
  if (legal || stopping_) return;
  stopping_ = true;
  const std::string text = "wrong data: " + (oracle_.messages().empty() ? "request " + std::to_string(request.number)
                                                                       : oracle_.messages().front());
  SC_REPORT_ERROR("wordline/host", text.c_str());
}

void HostDriver::record_levels() {
  if (recorder_ == nullptr) return;
  recorder_->set(signal_in_flight_, now(), in_flight_);
  recorder_->set(signal_waiting_, now(), waiting_.size());
}

}  // namespace wordline::host
