// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/bring_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tlm/host/driver/status_text.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::host {
namespace {

constexpr std::uint16_t kAdminQueue = 0, kIoQueue = 1;
constexpr std::uint32_t kAdminEntries = 16;
constexpr Picoseconds kPollInterval{10'000'000};            // time between two reads of CSTS
constexpr Picoseconds kReadyUnit{500'000'000'000};          // CAP.TO counts 500 ms
constexpr std::uint32_t kBlockSizeShift = 9;                // LBADS of 512 bytes
constexpr std::uint32_t kQueueContiguous = 1U << 0;         // PC of Create I/O queue
constexpr std::uint32_t kQueueInterruptsEnabled = 1U << 1;  // IEN of Create I/O CQ

}  // namespace

BringUp::BringUp(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, std::uint32_t queue_entries,
                 std::uint64_t user_lbas, HostMemory& memory, ControllerAccess& controller, QueuePair& io, UserIf& user)
    : sc_module(name),
      queue_entries_(queue_entries),
      user_lbas_(user_lbas),
      memory_(memory),
      controller_(controller),
      admin_(memory, controller),
      io_(io),
      user_(user),
      next_step_(context.alarms(), *this) {}

void BringUp::fail(const std::string& message) {
  step_ = Step::kFailed;
  SC_REPORT_ERROR("wordline/host", ("bring-up: " + message).c_str());
}

void BringUp::alarm() {
  switch (step_) {
    case Step::kReset:
      step_ = Step::kConfigure;
      next_step_.set(controller_.read_arrives(next_step_.now(), 8));
      break;
    case Step::kConfigure:
      configure();
      break;
    case Step::kPoll:
      poll();
      break;
    case Step::kUp:
      user_.controller_is_up(max_nlb_);
      break;
    case Step::kFailed:
      break;
    default:
      send(step_);
  }
}

/// Checks CAP, gives the controller its admin queue, enables it (Base 3.5.1, steps 2 to 5).
void BringUp::configure() {
  const std::uint32_t low = controller_.value(nvme::kRegCap);
  const std::uint32_t high = controller_.value(nvme::kRegCap + 4);
  const std::uint32_t most = (low & 0xffffU) + 1;
  if (queue_entries_ > most) {
    fail(fmt::format("the controller has queues of {} entries at most; lower host.queue_entries ({})", most,
                     queue_entries_));
    return;
  }
  if ((high & 0xfU) != 0 || (high >> 16 & 0xfU) != 0) {
    fail("the controller's doorbell stride or smallest page size is not the one this host uses (CAP.DSTRD, MPSMIN)");
    return;
  }
  ready_deadline_ = next_step_.now() + kReadyUnit * static_cast<std::int64_t>(std::max(low >> 24, 1U));
  admin_.create(kAdminQueue, kAdminEntries);
  identify_page_ = memory_.allocate(1);
  controller_.write(nvme::kRegAqa, (kAdminEntries - 1) << 16 | (kAdminEntries - 1));
  controller_.write(nvme::kRegAsq, static_cast<std::uint32_t>(admin_.sq()));
  controller_.write(nvme::kRegAsq + 4, static_cast<std::uint32_t>(admin_.sq() >> 32));
  controller_.write(nvme::kRegAcq, static_cast<std::uint32_t>(admin_.cq()));
  controller_.write(nvme::kRegAcq + 4, static_cast<std::uint32_t>(admin_.cq() >> 32));
  controller_.write(nvme::kRegCc, nvme::kCcEnabled);
  step_ = Step::kPoll;
  next_step_.set(controller_.read_arrives(next_step_.now()));
}

void BringUp::poll() {
  const std::uint32_t status = controller_.value(nvme::kRegCsts);
  if ((status & nvme::kCstsFatal) != 0) {
    fail("the controller reports a fatal status (CSTS.CFS)");
  } else if ((status & nvme::kCstsReady) != 0) {
    send(Step::kIdentifyController);
  } else if (next_step_.now() >= ready_deadline_) {
    fail(fmt::format("the controller is not ready after CAP.TO ({:f} s); does its firmware start?",
                     static_cast<double>(ready_deadline_.count()) * 1e-12));
  } else {
    next_step_.set(controller_.read_arrives(next_step_.now() + kPollInterval));
  }
}

void BringUp::send(Step step) {
  step_ = step;
  admin_.push(entry_of(step));
  admin_.ring();
}

nvme::SubmissionEntry BringUp::entry_of(Step step) {
  nvme::SubmissionEntry entry{};
  entry.cid = static_cast<std::uint16_t>(step);
  const std::uint32_t queue = (queue_entries_ - 1) << 16 | kIoQueue;
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
      io_.create(kIoQueue, queue_entries_);
      entry.opcode = nvme::kCreateIoCq;
      entry.prp1 = io_.cq();
      entry.cdw10 = queue;
      entry.cdw11 = std::uint32_t{kIoQueue} << 16 | kQueueInterruptsEnabled | kQueueContiguous;  // vector 1
      break;
    default:
      entry.opcode = nvme::kCreateIoSq;
      entry.prp1 = io_.sq();
      entry.cdw10 = queue;
      entry.cdw11 = std::uint32_t{kIoQueue} << 16 | kQueueContiguous;  // completion queue 1
      break;
  }
  return entry;
}

void BringUp::admin_interrupt() {
  nvme::CompletionEntry entry{};
  if (!admin_.take(entry)) return;
  admin_.ring_head();
  if (entry.cid != static_cast<std::uint16_t>(step_)) {
    fail(fmt::format("completion of admin command {}, which is not in flight", entry.cid));
    return;
  }
  const nvme::Status status = nvme::status_of(entry);
  if ((status & 0x7ffU) != nvme::kSuccess) {
    static constexpr std::array kNames{"Identify Controller", "Identify Namespace", "Set Features",
                                       "Create I/O Completion Queue", "Create I/O Submission Queue"};
    const auto which = static_cast<std::size_t>(step_) - static_cast<std::size_t>(Step::kIdentifyController);
    fail(fmt::format("{} failed: {}", kNames.at(which), text_of(status)));
    return;
  }
  if (step_ == Step::kIdentifyController) take_identify_controller();
  if (step_ == Step::kIdentifyNamespace) take_identify_namespace();
  if (step_ == Step::kFailed) return;
  step_ = static_cast<Step>(static_cast<std::uint8_t>(step_) + 1);
  // Not from within the controller's call: the next command is the host's own step.
  next_step_.set(next_step_.now());
}

void BringUp::take_identify_controller() {
  std::uint8_t mdts = 0;
  memory_.read(identify_page_ + nvme::identify_controller::kMdts, &mdts, sizeof mdts);
  // MDTS is a power of two of pages, 0 = no limit; a PRP list of one page describes 512 and the first.
  const std::uint32_t pages = mdts == 0 || mdts > 9 ? nvme::kPrpsPerPage : 1U << mdts;
  max_nlb_ = pages * kLbasPerHostPage;
}

void BringUp::take_identify_namespace() {
  std::uint64_t size = 0;
  std::uint8_t block_size = 0;
  memory_.read(identify_page_ + nvme::identify_namespace::kNsze, &size, sizeof size);
  memory_.read(identify_page_ + nvme::identify_namespace::kLbaf0 + 2, &block_size, sizeof block_size);
  if (block_size != kBlockSizeShift) {
    fail(fmt::format("the namespace has blocks of 2^{} bytes, not 512", block_size));
  } else if (size != user_lbas_) {
    fail(fmt::format("the namespace has {} blocks, the workload was made for {}", size, user_lbas_));
  }
}

}  // namespace wordline::host
