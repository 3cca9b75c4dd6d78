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

constexpr std::uint16_t kAdminQueue = 0;
constexpr std::uint32_t kAdminEntries = 16;
constexpr Picoseconds kPollInterval{10'000'000};    // time between two reads of CSTS
constexpr Picoseconds kReadyUnit{500'000'000'000};  // CAP.TO counts 500 ms
constexpr unsigned kBlockShift = 9;                 // LBADS of 512 bytes
constexpr std::uint32_t kNoBurstLimit = 7;
constexpr std::uint32_t kLentStretches = 256;         // a list of one page
constexpr std::uint32_t kLentPages = 1024;            // of a stretch, at least: 4 MiB, as Linux
constexpr std::uint32_t kEnableHostMemory = 1U << 0;  // EHM of Features 0Dh
constexpr Picoseconds kCoalescingUnit{100'000'000};   // TIME of Features 08h counts 100 us
// Where the controller finds its memory buffer; no memory of this host lies there.
constexpr std::uint64_t kMemoryBase = std::uint64_t{1} << 47;
constexpr std::uint32_t kQueueContiguous = 1U << 0;         // PC of Create I/O queue
constexpr std::uint32_t kQueueInterruptsEnabled = 1U << 1;  // IEN of Create I/O CQ

}  // namespace

BringUp::BringUp(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Host& config,
                 const HostNamespaces& namespaces, HostMemory& memory, ControllerAccess& controller, UserIf& user)
    : sc_module(name),
      config_(config),
      namespaces_(namespaces),
      memory_(memory),
      controller_(controller),
      admin_sq_(memory, controller),
      admin_cq_(memory, controller),
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
    case Step::kControllerMemory:
      find_controller_memory();
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
  if (config_.queue_entries > most) {
    fail(fmt::format("the controller has queues of {} entries at most; lower host.queue_entries ({})", most,
                     config_.queue_entries));
    return;
  }
  if ((high & 0xfU) != 0 || (high >> 16 & 0xfU) != 0) {
    fail("the controller's doorbell stride or smallest page size is not the one this host uses (CAP.DSTRD, MPSMIN)");
    return;
  }
  ready_deadline_ = next_step_.now() + kReadyUnit * static_cast<std::int64_t>(std::max(low >> 24, 1U));
  if (config_.submission_queues == config::QueueMemory::kHost) {
    enable();
  } else if ((high & nvme::kCapCmbs) == 0) {
    fail("the controller has no memory buffer (CAP.CMBS); use host.submission_queues = host");
  } else {
    controller_.write(nvme::kRegCmbmsc, nvme::kCmbRegisters);
    step_ = Step::kControllerMemory;
    next_step_.set(controller_.read_arrives(next_step_.now(), 8));
  }
}

/// CMBLOC and CMBSZ can be read, behind CMBMSC.CRE.
void BringUp::find_controller_memory() {
  const std::uint32_t where = controller_.value(nvme::kRegCmbloc);
  const std::uint32_t size = controller_.value(nvme::kRegCmbsz);
  const std::uint64_t unit = std::uint64_t{nvme::kCmbUnit} << 4 * (size >> nvme::kCmbSzuShift & 0xfU);
  if ((where & nvme::kCmbBarMask) != 0 || (size & nvme::kCmbSubmissionQueues) == 0) {
    fail("the controller's memory buffer is not in BAR0, or takes no submission queues (CMBLOC.BIR, CMBSZ.SQS)");
    return;
  }
  memory_begin_ = memory_next_ = static_cast<std::uint32_t>((where >> nvme::kCmbUnitShift) * unit);
  memory_end_ = static_cast<std::uint32_t>(memory_next_ + (size >> nvme::kCmbUnitShift) * unit);
  controller_.write(nvme::kRegCmbmsc + 4, static_cast<std::uint32_t>(kMemoryBase >> 32));
  controller_.write(nvme::kRegCmbmsc, static_cast<std::uint32_t>(kMemoryBase) | nvme::kCmbRegisters | nvme::kCmbSpace);
  enable();
}

void BringUp::enable() {
  admin_sq_.create(kAdminQueue, kAdminEntries);
  admin_cq_.create(kAdminQueue, kAdminEntries);
  identify_page_ = memory_.allocate(1);
  controller_.write(nvme::kRegAqa, (kAdminEntries - 1) << 16 | (kAdminEntries - 1));
  controller_.write(nvme::kRegAsq, static_cast<std::uint32_t>(admin_sq_.address()));
  controller_.write(nvme::kRegAsq + 4, static_cast<std::uint32_t>(admin_sq_.address() >> 32));
  controller_.write(nvme::kRegAcq, static_cast<std::uint32_t>(admin_cq_.address()));
  controller_.write(nvme::kRegAcq + 4, static_cast<std::uint32_t>(admin_cq_.address() >> 32));
  const bool weighted = config_.arbitration == config::Arbitration::kWeighted;
  if (weighted && (controller_.value(nvme::kRegCap) >> 17 & 1U) == 0) {
    fail("the controller has no weighted round robin (CAP.AMS); use host.arbitration = round_robin");
    return;
  }
  controller_.write(nvme::kRegCc, nvme::kCcEnabled | (weighted ? nvme::kAmsWeighted << nvme::kCcAmsShift : 0U));
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
    const auto units = static_cast<double>(std::max(controller_.value(nvme::kRegCap) >> 24, 1U));
    fail(
        fmt::format("the controller is not ready (CSTS.RDY) after the {} s of CAP.TO: nvme.ready_time or "
                    "nvme.never_ready of the drive say so, or its firmware does not start",
                    units * static_cast<double>(kReadyUnit.count()) * 1e-12));
  } else {
    next_step_.set(controller_.read_arrives(next_step_.now() + kPollInterval));
  }
}

void BringUp::send(Step step) {
  step_ = step;
  admin_sq_.push(entry_of(step));
  admin_sq_.ring();
}

/// Features are set where they are not what they are at power on.
bool BringUp::needed(Step step) const {
  if (step == Step::kArbitration) return config_.arbitration_burst != kNoBurstLimit || !config_.weights.empty();
  if (step == Step::kHostMemory) return lent_pages_ != 0;
  if (step == Step::kCoalescing) return config_.coalescing_entries > 1;
  return true;
}

BringUp::Step BringUp::behind(Step step) {
  const std::size_t times = step == Step::kIdentifyNamespace ? namespaces_.all().size()
                            : step == Step::kCreateCq        ? io_cqs_.size()
                            : step == Step::kCreateSq        ? io_sqs_.size()
                                                             : 0;
  if (place_ + 1 < times) {
    ++place_;
    return step;
  }
  place_ = 0;
  do step = static_cast<Step>(static_cast<std::uint8_t>(step) + 1);
  while (!needed(step));
  return step;
}

void BringUp::create_sq(std::uint16_t id) {
  const auto bytes = static_cast<std::uint32_t>(config_.queue_entries * sizeof(nvme::SubmissionEntry));
  const std::uint32_t pages = (bytes + nvme::kPageBytes - 1) / nvme::kPageBytes * nvme::kPageBytes;
  if (config_.submission_queues == config::QueueMemory::kHost) {
    io_sqs_[place_]->create(id, config_.queue_entries);
  } else if (pages > memory_end_ - memory_next_) {
    fail(fmt::format("submission queue {} does not fit into the controller's memory buffer", id));
  } else {
    const std::uint64_t address = kMemoryBase + (memory_next_ - memory_begin_);
    io_sqs_[place_]->create_in_controller(id, config_.queue_entries, memory_next_, address);
    memory_next_ += pages;
  }
}

/// Memory for the controller, and the list of it: Set Features 0Dh (Base 5.27.1.10).
void BringUp::lend_memory(nvme::SubmissionEntry& entry) {
  const std::uint32_t each = std::max(kLentPages, (lent_pages_ + kLentStretches - 1) / kLentStretches);
  const std::uint64_t list = memory_.allocate(1);
  std::uint32_t count = 0;
  for (std::uint32_t at = 0; at < lent_pages_; at += each) {
    const std::uint32_t pages = std::min(each, lent_pages_ - at);
    const std::uint64_t item[] = {memory_.allocate(pages), pages};
    memory_.write(list + count++ * sizeof item, item, sizeof item);
  }
  entry.opcode = nvme::kSetFeatures;
  entry.cdw10 = nvme::kFeatureHostMemory;
  entry.cdw11 = kEnableHostMemory;
  entry.cdw12 = lent_pages_;
  entry.cdw13 = static_cast<std::uint32_t>(list);
  entry.cdw14 = static_cast<std::uint32_t>(list >> 32);
  entry.cdw15 = count;
}

nvme::SubmissionEntry BringUp::entry_of(Step step) {
  nvme::SubmissionEntry entry{};
  entry.cid = static_cast<std::uint16_t>(step);
  const auto id = static_cast<std::uint16_t>(place_ + 1);  // of the queue, and of a completion queue the vector
  const std::uint32_t queue = (config_.queue_entries - 1) << 16 | id;
  switch (step) {
    case Step::kIdentifyController:
      entry.opcode = nvme::kIdentify;
      entry.prp1 = identify_page_;
      entry.cdw10 = nvme::kCnsController;
      break;
    case Step::kIdentifyNamespace:
      entry.opcode = nvme::kIdentify;
      entry.nsid = static_cast<std::uint32_t>(place_ + 1);
      entry.prp1 = identify_page_;
      entry.cdw10 = nvme::kCnsNamespace;
      break;
    case Step::kNumberOfQueues:
      entry.opcode = nvme::kSetFeatures;
      entry.cdw10 = nvme::kFeatureNumberOfQueues;
      entry.cdw11 =
          static_cast<std::uint32_t>(io_cqs_.size() - 1) << 16 | static_cast<std::uint32_t>(io_sqs_.size() - 1);
      break;
    case Step::kArbitration: {
      const auto weight = [this](std::size_t i) { return config_.weights.empty() ? 0 : config_.weights.at(i) - 1; };
      entry.opcode = nvme::kSetFeatures;
      entry.cdw10 = nvme::kFeatureArbitration;
      entry.cdw11 = config_.arbitration_burst | weight(0) << 8 | weight(1) << 16 | weight(2) << 24;
      break;
    }
    case Step::kCoalescing:
      entry.opcode = nvme::kSetFeatures;
      entry.cdw10 = nvme::kFeatureInterruptCoalescing;
      entry.cdw11 = (config_.coalescing_entries - 1) |
                    static_cast<std::uint32_t>(config_.coalescing_time.count() / kCoalescingUnit.count()) << 8;
      break;
    case Step::kHostMemory:
      lend_memory(entry);
      break;
    case Step::kCreateCq:
      io_cqs_[place_]->create(id, config_.queue_entries);
      entry.opcode = nvme::kCreateIoCq;
      entry.prp1 = io_cqs_[place_]->address();
      entry.cdw10 = queue;
      entry.cdw11 = std::uint32_t{id} << 16 | kQueueContiguous |
                    (config_.completion == config::HostCompletion::kPolling ? 0U : kQueueInterruptsEnabled);
      break;
    default: {
      const bool weighted = config_.arbitration == config::Arbitration::kWeighted;
      const auto priority =
          place_ < config_.priorities.size() ? config_.priorities[place_] : config::QueuePriority::kMedium;
      const std::size_t completes_in = place_ % io_cqs_.size() + 1;
      create_sq(id);
      entry.opcode = nvme::kCreateIoSq;
      entry.prp1 = io_sqs_[place_]->address();
      entry.cdw10 = queue;
      entry.cdw11 = static_cast<std::uint32_t>(completes_in) << 16 |
                    (weighted ? static_cast<std::uint32_t>(priority) << 1 : 0U) | kQueueContiguous;
      break;
    }
  }
  return entry;
}

void BringUp::admin_interrupt() {
  nvme::CompletionEntry entry{};
  if (!admin_cq_.take(entry)) return;
  admin_cq_.ring_head();
  admin_sq_.controller_is_at(entry.sq_head);
  if (entry.cid != static_cast<std::uint16_t>(step_)) {
    fail(fmt::format("completion of admin command {}, which is not in flight", entry.cid));
    return;
  }
  const nvme::Status status = nvme::status_of(entry);
  if ((status & 0x7ffU) != nvme::kSuccess) {
    static constexpr std::array kNames{"Identify Controller",
                                       "Identify Namespace",
                                       "Set Features (number of queues)",
                                       "Set Features (arbitration)",
                                       "Set Features (interrupt coalescing)",
                                       "Set Features (host memory buffer)",
                                       "Create I/O Completion Queue",
                                       "Create I/O Submission Queue"};
    const auto which = static_cast<std::size_t>(step_) - static_cast<std::size_t>(Step::kIdentifyController);
    fail(fmt::format("{} failed: {}", kNames.at(which), text_of(status)));
    return;
  }
  if (step_ == Step::kIdentifyController) take_identify_controller();
  if (step_ == Step::kIdentifyNamespace) take_identify_namespace();
  if (step_ == Step::kFailed) return;
  step_ = behind(step_);
  // Not from within the controller's call: the next command is the host's own step.
  next_step_.set(next_step_.now());
}

void BringUp::take_identify_controller() {
  std::uint8_t mdts = 0;
  memory_.read(identify_page_ + nvme::identify_controller::kMdts, &mdts, sizeof mdts);
  std::uint32_t sgls = 0;
  memory_.read(identify_page_ + nvme::identify_controller::kSgls, &sgls, sizeof sgls);
  if (config_.data_pointers == config::DataPointers::kSgl && (sgls & 3U) == 0) {
    fail("the controller has no SGLs (Identify SGLS); use host.data_pointers = prp");
  }
  std::uint32_t preferred = 0, least = 0;
  memory_.read(identify_page_ + nvme::identify_controller::kHmpre, &preferred, sizeof preferred);
  memory_.read(identify_page_ + nvme::identify_controller::kHmmin, &least, sizeof least);
  lent_pages_ = std::min(preferred, static_cast<std::uint32_t>(config_.hmb.count() / nvme::kPageBytes));
  if (lent_pages_ < least) lent_pages_ = 0;
  // MDTS is a power of two of pages, 0 = no limit; a PRP list of one page describes 512 and the first.
  const std::uint32_t pages = mdts == 0 || mdts > 9 ? nvme::kPrpsPerPage : 1U << mdts;
  max_nlb_ = pages * kLbasPerHostPage;
  // MDTS counts metadata that lie among the data; a command begins and ends with a page of 4 KiB all the same.
  while (max_nlb_ * kLbaBytes + namespaces_.among(max_nlb_) > std::uint64_t{pages} * nvme::kPageBytes) {
    if (max_nlb_ == kLbasPerHostPage) {
      fail(
          "the controller takes 4 KiB at a time (Identify MDTS), which no block with its metadata behind it fits "
          "into; raise nvme.max_transfer_sectors, or use nvme.metadata = separate");
      return;
    }
    max_nlb_ -= kLbasPerHostPage;
  }
}

void BringUp::take_identify_namespace() {
  std::uint64_t size = 0;
  std::uint8_t format = 0, lbads = 0;
  memory_.read(identify_page_ + nvme::identify_namespace::kNsze, &size, sizeof size);
  memory_.read(identify_page_ + nvme::identify_namespace::kFlbas, &format, sizeof format);
  memory_.read(identify_page_ + nvme::identify_namespace::kLbaf0 + (format & 0xfU) * 4U + 2, &lbads, sizeof lbads);
  std::uint16_t metadata = 0;
  std::uint8_t protection = 0;
  memory_.read(identify_page_ + nvme::identify_namespace::kLbaf0 + (format & 0xfU) * 4U, &metadata, sizeof metadata);
  memory_.read(identify_page_ + nvme::identify_namespace::kDps, &protection, sizeof protection);
  const bool interleaved = (format & nvme::identify_namespace::kFlbasInterleaved) != 0;
  const auto place = metadata == 0 ? config::BlockMetadata::kNone
                     : interleaved ? config::BlockMetadata::kInterleaved
                                   : config::BlockMetadata::kSeparate;
  const std::uint64_t expected = namespaces_.all()[place_].lbas >> namespaces_.shift();
  if (lbads != kBlockShift + namespaces_.shift()) {
    fail(fmt::format("namespace {} has blocks of 2^{} bytes, not {}", place_ + 1, lbads,
                     (1U << kBlockShift) << namespaces_.shift()));
  } else if (place != namespaces_.metadata() || (protection & 7U) != static_cast<unsigned>(namespaces_.protection())) {
    fail(
        fmt::format("namespace {} has {} bytes of metadata, FLBAS {:02x}h and DPS {:02x}h, which is not what "
                    "nvme.metadata and nvme.protection say",
                    place_ + 1, metadata, format, protection));
  } else if (size != expected) {
    fail(fmt::format("namespace {} has {} blocks, the workload was made for {}", place_ + 1, size, expected));
  }
}

}  // namespace wordline::host
