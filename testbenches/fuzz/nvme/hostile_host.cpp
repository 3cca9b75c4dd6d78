// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/hostile_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace wordline::fuzz {

namespace nvme = host::nvme;
using End = HostileCommand::End;

namespace {

/// Whatever the drive has to do before it answers (GC, retries), it does in less.
constexpr Picoseconds kPatience{2'000'000'000'000};
constexpr nvme::Status kTypeAndCode = 0x7ff;
constexpr nvme::Status kKnown[] = {nvme::kSuccess,
                                   nvme::kInvalidOpcode,
                                   nvme::kInvalidField,
                                   nvme::kDataTransferError,
                                   nvme::kAbortRequested,
                                   nvme::kAbortedQueueDeleted,
                                   nvme::kInvalidNamespace,
                                   nvme::kCommandSequenceError,
                                   nvme::kInvalidUseOfCmb,
                                   nvme::kPrpOffsetInvalid,
                                   nvme::kInvalidSglSegment,
                                   nvme::kInvalidSglCount,
                                   nvme::kSglLengthInvalid,
                                   nvme::kSglTypeInvalid,
                                   nvme::kSglGranularityInvalid,
                                   nvme::kLbaOutOfRange,
                                   nvme::kCommandSizeLimitExceeded,
                                   nvme::kUnrecoveredRead,
                                   nvme::kMetadataSglLengthInvalid,
                                   nvme::kInvalidProtection,
                                   nvme::kGuardCheckError,
                                   nvme::kApplicationTagCheckError,
                                   nvme::kReferenceTagCheckError,
                                   nvme::kCompareFailure,
                                   nvme::kUnwrittenBlock,
                                   nvme::kFormatInProgress,
                                   nvme::kCompletionQueueInvalid,
                                   nvme::kInvalidQueueIdentifier,
                                   nvme::kInvalidQueueSize,
                                   nvme::kAsyncEventLimitExceeded,
                                   nvme::kInvalidInterruptVector,
                                   nvme::kInvalidLogPage,
                                   nvme::kInvalidQueueDeletion,
                                   nvme::kFeatureNotSaveable,
                                   nvme::kFeatureNotChangeable,
                                   nvme::kSelfTestInProgress,
                                   nvme::kInvalidFirmwareSlot,
                                   nvme::kInvalidFirmwareImage,
                                   nvme::kOverlappingRange};

template <class Container>
bool contains(const Container& all, nvme::Status status) {
  return std::find(std::begin(all), std::end(all), status) != std::end(all);
}

std::string text_of(const nvme::SubmissionEntry& e) {
  return fmt::format(
      "opcode {:02x}h flags {:02x}h cid {} nsid {:x}h prp1 {:x}h prp2 {:x}h cdw10-13 {:x} {:x} {:x} {:x}", e.opcode,
      e.flags, e.cid, e.nsid, e.prp1, e.prp2, e.cdw10, e.cdw11, e.cdw12, e.cdw13);
}

}  // namespace

HostileHost::HostileHost(const sc_core::sc_module_name& name, std::uint64_t lbas, std::uint64_t controller_memory,
                         device::Drive& drive, Tally& tally)
    : sc_module(name),
      user_lbas(lbas),
      link_(drive.link),
      controller_(dynamic_cast<host::NvmeController&>(*drive.host)),
      controller_memory_(controller_memory),
      tally_(tally) {
  SC_THREAD(run);
  socket.bind(controller_.host_socket);
  controller_.host_interrupt.bind(*this);
  drive.host->mover.host_memory.bind(memory);
}

void HostileHost::run() {
  body(*this);
  finished_ = true;
  sc_core::sc_stop();
}

void HostileHost::fail(const std::string& what) {
  tally_.failed(fmt::format("at {}: {}", sc_core::sc_time_stamp().to_string(), what));
}

bool HostileHost::access(bool write, std::uint64_t offset, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  const Picoseconds now = tlm_if::kernel_time();
  const Picoseconds at = write ? link_.posted_write(host::Direction::kDownstream, now, bytes) : now;
  sc_core::sc_time delay = tlm_if::to_sc_time(at - now);
  socket->b_transport(payload, delay);
  return payload.is_response_ok();
}

void HostileHost::store(std::uint64_t address, const void* data, std::size_t bytes) {
  if (address - kControllerBase >= controller_memory_) {
    memory.write(address, data, bytes);
    return;
  }
  constexpr std::size_t kAtOnce = 64;
  const auto* from = static_cast<const std::uint8_t*>(data);
  const std::uint64_t offset = nvme::kCmbOffset + (address - kControllerBase);
  for (std::size_t at = 0; at < bytes; at += kAtOnce) {
    std::array<std::uint8_t, kAtOnce> piece{};
    const std::size_t size = std::min(kAtOnce, bytes - at);
    std::copy_n(from + at, size, piece.begin());
    if (!access(true, offset + at, piece.data(), static_cast<unsigned>(size))) {
      fail(fmt::format("controller memory at {:x}h takes no write", offset + at));
    }
  }
}

std::uint32_t HostileHost::read32(std::uint32_t offset) {
  std::uint32_t value = 0;
  if (!access(false, offset, &value, 4)) fail(fmt::format("register {:x}h cannot be read", offset));
  return value;
}

std::uint32_t HostileHost::room(std::uint32_t qid) const {
  const Submission& queue = sqs_.at(qid);
  return (queue.head + queue.size - queue.tail - 1) % queue.size;
}

void HostileHost::put(std::uint32_t qid, HostileCommand command) {
  Submission& queue = sqs_.at(qid);
  do {
    command.entry.cid = next_cid_++;
  } while (queue.outstanding.count(command.entry.cid) != 0);
  store(queue.base + std::uint64_t{queue.tail} * sizeof command.entry, &command.entry, sizeof command.entry);
  queue.tail = (queue.tail + 1) % queue.size;
  queue.outstanding[command.entry.cid] = std::move(command);
}

bool HostileHost::posted(const Completion& queue) const {
  if (!queue.exists || !memory.allocated(queue.base, sizeof(nvme::CompletionEntry))) return false;
  nvme::CompletionEntry entry{};
  memory.read(queue.base + std::uint64_t{queue.head} * sizeof entry, &entry, sizeof entry);
  return nvme::phase_of(entry) == queue.phase;
}

bool HostileHost::take(std::uint32_t cqid) {
  Completion& queue = cqs_[cqid];
  if (!posted(queue)) return false;
  nvme::CompletionEntry entry{};
  memory.read(queue.base + std::uint64_t{queue.head} * sizeof entry, &entry, sizeof entry);
  queue.head = (queue.head + 1) % queue.size;
  if (queue.head == 0) queue.phase = !queue.phase;
  if (entry.sq_id >= kQueues || !sqs_[entry.sq_id].exists || sqs_[entry.sq_id].cq != cqid) {
    fail(fmt::format("completion queue {} has an entry of submission queue {}", cqid, entry.sq_id));
    return true;
  }
  judge(sqs_[entry.sq_id], entry);
  return true;
}

void HostileHost::judge(Submission& queue, const nvme::CompletionEntry& entry) {
  const nvme::Status status = nvme::status_of(entry) & kTypeAndCode;
  ++queue.completions;
  if (entry.sq_head >= queue.size) {
    fail(fmt::format("queue {}: head {} of {} entries", entry.sq_id, entry.sq_head, queue.size));
    return;
  }
  queue.head = entry.sq_head;
  const auto unknown = [&] { fail(fmt::format("queue {}: status {:x}h", entry.sq_id, status)); };
  if (queue.foreign_ids) {
    if (!contains(kKnown, status)) unknown();
    return;
  }
  const auto found = queue.outstanding.find(entry.cid);
  if (found == queue.outstanding.end()) {
    fail(fmt::format("queue {}: completion of command {}, which is not outstanding", entry.sq_id, entry.cid));
    return;
  }
  const HostileCommand command = std::move(found->second);
  queue.outstanding.erase(found);
  if (command.fits.empty()) {
    if (!contains(kKnown, status)) unknown();
  } else if (!contains(command.fits, status)) {
    fail(fmt::format("{}: status {:x}h for queue {}, {}", command.input_class, status, entry.sq_id,
                     text_of(command.entry)));
  }
  const bool success = status == nvme::kSuccess;
  success ? tally_.accepted(command.input_class) : tally_.refused(command.input_class);
  if (entry.sq_id == 0) admin_status_ = status;
  if (command.ended) command.ended(success ? End::kSuccess : End::kError);
}

void HostileHost::reap(std::uint32_t most) {
  for (std::uint32_t qid = 0; qid < kQueues; ++qid) {
    std::uint32_t taken = 0;
    while (taken < most && take(qid)) ++taken;
    if (taken != 0) write32(nvme::cq_head_doorbell(qid), cqs_[qid].head);
  }
}

std::size_t HostileHost::outstanding() const {
  std::size_t sum = 0;
  for (std::uint32_t qid = 1; qid < kQueues; ++qid) sum += sqs_[qid].outstanding.size();
  return sum;
}

bool HostileHost::wait_for(const std::function<bool()>& condition, const char* what) {
  const Picoseconds limit = tlm_if::kernel_time() + kPatience;
  for (;;) {
    reap();
    if (condition()) return true;
    if (broken_ || tlm_if::kernel_time() >= limit) break;
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_US), event_);
  }
  if (!broken_) fail(fmt::format("waited in vain: {}", what));
  broken_ = true;
  return false;
}

void HostileHost::pass(Picoseconds time) { sc_core::wait(tlm_if::to_sc_time(time)); }

nvme::Status HostileHost::admin(HostileCommand command) {
  Submission& queue = sqs_[0];
  if (!wait_for([&] { return room(0) != 0; }, "room in the admin queue")) return nvme::kInternalError;
  bool done = false;
  const auto then = command.ended;
  command.ended = [&done, then](End end) {
    done = true;
    if (then) then(end);
  };
  put(0, std::move(command));
  const std::uint16_t cid = static_cast<std::uint16_t>(next_cid_ - 1);
  ring_tail(0);
  if (wait_for([&] { return done; }, "an admin command")) return admin_status_;
  queue.outstanding.erase(cid);
  return nvme::kInternalError;
}

nvme::Status HostileHost::create_cq(std::uint32_t qid, std::uint32_t entries, std::uint64_t base, bool interrupts) {
  HostileCommand command;
  command.input_class = "create queue";
  command.entry.opcode = nvme::kCreateIoCq;
  command.entry.prp1 = base;
  command.entry.cdw10 = (entries - 1) << 16 | qid;
  command.entry.cdw11 = qid << 16 | (interrupts ? 2U : 0U) | 1U;
  command.fits = {nvme::kSuccess};
  // Entries of an earlier queue in this memory would pass for new ones.
  const std::vector<nvme::CompletionEntry> none(entries);
  if (memory.allocated(base)) memory.write(base, none.data(), none.size() * sizeof none[0]);
  const nvme::Status status = admin(std::move(command));
  if (status == nvme::kSuccess) {
    cqs_.at(qid) = {};
    cqs_[qid].exists = true;
    cqs_[qid].size = entries;
    cqs_[qid].base = base;
  }
  return status;
}

nvme::Status HostileHost::create_sq(std::uint32_t qid, std::uint32_t cqid, std::uint32_t entries, std::uint64_t base) {
  HostileCommand command;
  command.input_class = "create queue";
  command.entry.opcode = nvme::kCreateIoSq;
  command.entry.prp1 = base;
  command.entry.cdw10 = (entries - 1) << 16 | qid;
  command.entry.cdw11 = cqid << 16 | 1U;
  command.fits = {nvme::kSuccess};
  const nvme::Status status = admin(std::move(command));
  if (status == nvme::kSuccess) {
    sqs_.at(qid) = {};
    sqs_[qid].exists = true;
    sqs_[qid].cq = static_cast<std::uint16_t>(cqid);
    sqs_[qid].size = entries;
    sqs_[qid].base = base;
  }
  return status;
}

void HostileHost::delete_sq(std::uint32_t qid) {
  HostileCommand command;
  command.input_class = "delete queue";
  command.entry.opcode = nvme::kDeleteIoSq;
  command.entry.cdw10 = qid;
  command.fits = {nvme::kSuccess};
  if (admin(std::move(command)) != nvme::kSuccess) return;
  reap();  // what has been completed lies before the completion of the deletion
  cut_off(sqs_.at(qid));
  sqs_[qid] = {};
}

void HostileHost::delete_cq(std::uint32_t qid) {
  HostileCommand command;
  command.input_class = "delete queue";
  command.entry.opcode = nvme::kDeleteIoCq;
  command.entry.cdw10 = qid;
  command.fits = {nvme::kSuccess};
  if (admin(std::move(command)) == nvme::kSuccess) cqs_.at(qid) = {};
}

void HostileHost::cut_off(Submission& queue) {
  const auto lost = std::move(queue.outstanding);
  queue.outstanding.clear();
  for (const auto& [cid, command] : lost) {
    if (command.ended) command.ended(End::kCutOff);
  }
}

bool HostileHost::enable(std::uint32_t entries) {
  const std::vector<nvme::CompletionEntry> none(entries);
  if (memory.allocated(admin_cq_base)) memory.write(admin_cq_base, none.data(), none.size() * sizeof none[0]);
  if (controller_memory_ != 0) {
    write32(nvme::kRegCmbmsc, static_cast<std::uint32_t>(kControllerBase) | nvme::kCmbRegisters | nvme::kCmbSpace);
    write32(nvme::kRegCmbmsc + 4, static_cast<std::uint32_t>(kControllerBase >> 32));
  }
  write32(nvme::kRegAqa, (entries - 1) << 16 | (entries - 1));
  write32(nvme::kRegAsq, static_cast<std::uint32_t>(admin_sq_base));
  write32(nvme::kRegAsq + 4, static_cast<std::uint32_t>(admin_sq_base >> 32));
  write32(nvme::kRegAcq, static_cast<std::uint32_t>(admin_cq_base));
  write32(nvme::kRegAcq + 4, static_cast<std::uint32_t>(admin_cq_base >> 32));
  write32(nvme::kRegCc, nvme::kCcEnabled);
  sqs_[0] = {};
  cqs_[0] = {};
  sqs_[0].exists = cqs_[0].exists = true;
  sqs_[0].size = cqs_[0].size = entries;
  sqs_[0].base = admin_sq_base;
  cqs_[0].base = admin_cq_base;
  return wait_for([&] { return read32(nvme::kRegCsts) == nvme::kCstsReady; }, "CSTS.RDY = 1");
}

bool HostileHost::reset(Reset how) {
  switch (how) {
    case Reset::kController:
      write32(nvme::kRegCc, 0);
      break;
    case Reset::kSubsystem:
      write32(nvme::kRegNssr, nvme::kSubsystemResetKey);
      if (!wait_for([&] { return (read32(nvme::kRegCsts) & ~nvme::kCstsReady) == nvme::kCstsSubsystemReset; },
                    "CSTS.NSSRO")) {
        return false;
      }
      write32(nvme::kRegCsts, nvme::kCstsSubsystemReset);
      break;
    case Reset::kFunction:
      controller_.function_level_reset(
          link_.posted_write(host::Direction::kDownstream, tlm_if::kernel_time(), sizeof(std::uint32_t)));
  }
  if (!wait_for([&] { return read32(nvme::kRegCsts) == 0; }, "CSTS = 0 after a reset")) return false;
  for (Submission& queue : sqs_) cut_off(queue);
  pass(Picoseconds(50'000'000));
  for (std::uint32_t qid = 0; qid < kQueues; ++qid) {
    if (posted(cqs_[qid])) fail(fmt::format("a completion in queue {} after the reset", qid));
    sqs_[qid] = {};
    cqs_[qid] = {};
  }
  return true;
}

}  // namespace wordline::fuzz
