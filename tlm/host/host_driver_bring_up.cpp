// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/host/host_driver.h"

/// Bring-up and queues of the host driver: registers, admin commands, rings.
namespace wordline::host {
namespace {

using tlm_if::now;
using tlm_if::to_sc_time;

constexpr Picoseconds kPollInterval{10'000'000};            // between two reads of CSTS
constexpr Picoseconds kReadyUnit{500'000'000'000};          // CAP.TO counts 500 ms
constexpr std::uint32_t kBlockSizeShift = 9;                // LBADS of 512 bytes
constexpr std::uint32_t kQueueContiguous = 1U << 0;         // PC of Create I/O queue
constexpr std::uint32_t kQueueInterruptsEnabled = 1U << 1;  // IEN of Create I/O CQ

std::uint32_t pages_for(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + HostMemory::kPageBytes - 1) / HostMemory::kPageBytes);
}

}  // namespace

void HostDriver::fail(const std::string& message) {
  step_ = Step::kFailed;
  SC_REPORT_ERROR("wordline/host", ("bring-up: " + message).c_str());
}

bool HostDriver::access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value, Picoseconds delay) {
  payload_.set_command(command);
  payload_.set_address(offset);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(sizeof value);
  payload_.set_streaming_width(sizeof value);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time annotated = to_sc_time(delay);
  socket->b_transport(payload_, annotated);
  if (payload_.is_response_ok()) return true;
  char text[128];
  std::snprintf(text, sizeof text, "%s of controller register %xh was answered with %s",
                command == tlm::TLM_READ_COMMAND ? "read" : "write", offset, payload_.get_response_string().c_str());
  SC_REPORT_ERROR("wordline/host", text);
  return false;
}

/// The register's value now; the caller has waited for the link.
std::uint32_t HostDriver::register_value(std::uint32_t offset) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, offset, value, {});
  return value;
}

/// A posted write: it acts when it arrives, and the host goes on.
void HostDriver::write_register(std::uint32_t offset, std::uint32_t value) {
  const Picoseconds arrival = link_.posted_write(Direction::kDownstream, now(), sizeof value);
  access(tlm::TLM_WRITE_COMMAND, offset, value, arrival - now());
}

void HostDriver::push(QueuePair& queue, const nvme::SubmissionEntry& entry) {
  memory_.write(queue.sq + std::uint64_t{queue.tail} * sizeof entry, &entry, sizeof entry);
  queue.tail = queue.tail + 1 == queue.entries ? 0 : queue.tail + 1;
}

/// The next completion entry; its phase tag says whether it is new.
bool HostDriver::take(QueuePair& queue, nvme::CompletionEntry& entry) {
  if (queue.entries == 0) {
    SC_REPORT_ERROR("wordline/host", "interrupt for a queue that does not exist yet");
    return false;
  }
  memory_.read(queue.cq + std::uint64_t{queue.head} * sizeof entry, &entry, sizeof entry);
  if (nvme::phase_of(entry) != queue.phase || entry.sq_id != queue.id) {
    const std::string text = "interrupt of queue " + std::to_string(queue.id) +
                             " without a new completion entry at place " + std::to_string(queue.head);
    SC_REPORT_ERROR("wordline/host", text.c_str());
    return false;
  }
  if (++queue.head == queue.entries) {
    queue.head = 0;
    queue.phase = !queue.phase;
  }
  return true;
}

void HostDriver::bring_up() {
  switch (step_) {
    case Step::kReset:
      step_ = Step::kConfigure;
      bring_up_event_.notify(to_sc_time(link_.register_read(now(), 8) - now()));
      break;
    case Step::kConfigure:
      configure();
      break;
    case Step::kPoll:
      poll();
      break;
    case Step::kUp:
      start_run();
      break;
    case Step::kFailed:
      break;
    default:
      admin_step(step_);
  }
}

/// Checks CAP, gives the controller its admin queue, enables it (Base 3.5.1, steps 2 to 5).
void HostDriver::configure() {
  const std::uint32_t low = register_value(nvme::kRegCap);
  const std::uint32_t high = register_value(nvme::kRegCap + 4);
  const std::uint32_t most = (low & 0xffffU) + 1;
  if (config_.host.queue_entries > most) {
    fail("the controller has queues of " + std::to_string(most) + " entries at most; lower host.queue_entries (" +
         std::to_string(config_.host.queue_entries) + ")");
    return;
  }
  if ((high & 0xfU) != 0 || (high >> 16 & 0xfU) != 0) {
    fail("the controller's doorbell stride or smallest page size is not the one this host uses (CAP.DSTRD, MPSMIN)");
    return;
  }
  ready_deadline_ = now() + kReadyUnit * static_cast<std::int64_t>(std::max(low >> 24, 1U));
  admin_ = QueuePair();
  admin_.entries = kAdminEntries;
  admin_.sq = memory_.allocate(1);
  admin_.cq = memory_.allocate(1);
  identify_page_ = memory_.allocate(1);
  write_register(nvme::kRegAqa, (kAdminEntries - 1) << 16 | (kAdminEntries - 1));
  write_register(nvme::kRegAsq, static_cast<std::uint32_t>(admin_.sq));
  write_register(nvme::kRegAsq + 4, static_cast<std::uint32_t>(admin_.sq >> 32));
  write_register(nvme::kRegAcq, static_cast<std::uint32_t>(admin_.cq));
  write_register(nvme::kRegAcq + 4, static_cast<std::uint32_t>(admin_.cq >> 32));
  write_register(nvme::kRegCc, nvme::kCcEnabled);
  step_ = Step::kPoll;
  bring_up_event_.notify(to_sc_time(link_.register_read(now()) - now()));
}

void HostDriver::poll() {
  const std::uint32_t status = register_value(nvme::kRegCsts);
  if ((status & nvme::kCstsFatal) != 0) {
    fail("the controller reports a fatal status (CSTS.CFS)");
  } else if ((status & nvme::kCstsReady) != 0) {
    admin_step(Step::kIdentifyController);
  } else if (now() >= ready_deadline_) {
    fail("the controller is not ready after CAP.TO (" +
         std::to_string(static_cast<double>(ready_deadline_.count()) * 1e-12) + " s); does its firmware start?");
  } else {
    bring_up_event_.notify(to_sc_time(link_.register_read(now() + kPollInterval) - now()));
  }
}

void HostDriver::admin_step(Step step) {
  step_ = step;
  nvme::SubmissionEntry entry{};
  entry.cid = static_cast<std::uint16_t>(step);
  const std::uint32_t entries = config_.host.queue_entries;
  const std::uint32_t queue = (entries - 1) << 16 | kIoQueue;
  switch (step) {
    case Step::kIdentifyController:
      entry.opcode = nvme::kIdentify;
      entry.prp1 = identify_page_;
      entry.cdw10 = nvme::kCnsController;
      break;
    case Step::kIdentifyNamespace:
      entry.opcode = nvme::kIdentify;
      entry.nsid = nvme::kNamespace;
      entry.prp1 = identify_page_;
      entry.cdw10 = nvme::kCnsNamespace;
      break;
    case Step::kNumberOfQueues:
      entry.opcode = nvme::kSetFeatures;
      entry.cdw10 = nvme::kFeatureNumberOfQueues;
      entry.cdw11 = 0;  // one of each, counted from 0
      break;
    case Step::kCreateCq:
      io_ = QueuePair();
      io_.id = kIoQueue;
      io_.entries = entries;
      io_.sq = memory_.allocate(pages_for(std::uint64_t{entries} * sizeof(nvme::SubmissionEntry)));
      io_.cq = memory_.allocate(pages_for(std::uint64_t{entries} * sizeof(nvme::CompletionEntry)));
      entry.opcode = nvme::kCreateIoCq;
      entry.prp1 = io_.cq;
      entry.cdw10 = queue;
      entry.cdw11 = std::uint32_t{kIoQueue} << 16 | kQueueInterruptsEnabled | kQueueContiguous;  // vector 1
      break;
    default:
      entry.opcode = nvme::kCreateIoSq;
      entry.prp1 = io_.sq;
      entry.cdw10 = queue;
      entry.cdw11 = std::uint32_t{kIoQueue} << 16 | kQueueContiguous;  // completion queue 1
      break;
  }
  push(admin_, entry);
  write_register(nvme::sq_tail_doorbell(0), admin_.tail);
}

void HostDriver::admin_completed() {
  nvme::CompletionEntry entry{};
  if (!take(admin_, entry)) return;
  write_register(nvme::cq_head_doorbell(0), admin_.head);
  if (entry.cid != static_cast<std::uint16_t>(step_)) {
    fail("completion of admin command " + std::to_string(entry.cid) + ", which is not in flight");
    return;
  }
  const nvme::Status status = nvme::status_of(entry);
  if ((status & 0x7ffU) != nvme::kSuccess) {
    static constexpr const char* kNames[] = {"Identify Controller", "Identify Namespace", "Set Features",
                                             "Create I/O Completion Queue", "Create I/O Submission Queue"};
    const auto which = static_cast<std::size_t>(step_) - static_cast<std::size_t>(Step::kIdentifyController);
    fail(std::string(kNames[which]) + " failed: " + describe_status(status));
    return;
  }
  if (step_ == Step::kIdentifyController) take_identify_controller();
  if (step_ == Step::kIdentifyNamespace) take_identify_namespace();
  if (step_ == Step::kFailed) return;
  step_ = static_cast<Step>(static_cast<std::uint8_t>(step_) + 1);
  // Not from within the controller's call: the next command is the host's own step.
  bring_up_event_.notify(sc_core::SC_ZERO_TIME);
}

void HostDriver::take_identify_controller() {
  std::uint8_t mdts = 0;
  memory_.read(identify_page_ + nvme::identify_controller::kMdts, &mdts, sizeof mdts);
  // MDTS is a power of two of pages, 0 = no limit; a PRP list of one page describes 512 and the first.
  const std::uint32_t pages = mdts == 0 || mdts > 9 ? nvme::kPrpsPerPage : 1U << mdts;
  max_blocks_ = pages * kLbasPerSector;
}

void HostDriver::take_identify_namespace() {
  std::uint64_t size = 0;
  std::uint8_t block_size = 0;
  memory_.read(identify_page_ + nvme::identify_namespace::kNsze, &size, sizeof size);
  memory_.read(identify_page_ + nvme::identify_namespace::kLbaf0 + 2, &block_size, sizeof block_size);
  if (block_size != kBlockSizeShift) {
    fail("the namespace has blocks of 2^" + std::to_string(block_size) + " bytes, not 512");
  } else if (size != user_sectors_ * kLbasPerSector) {
    fail("the namespace has " + std::to_string(size) + " blocks, the workload was made for " +
         std::to_string(user_sectors_ * kLbasPerSector));
  }
}

}  // namespace wordline::host
