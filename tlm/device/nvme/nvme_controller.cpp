// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/nvme_controller.h"

#include <algorithm>

#include "tlm/device/host_interfaces.h"
#include "tlm/device/nvme/firmware_parser.h"
#include "tlm/device/nvme/hardware_parser.h"

namespace wordline::host {
namespace {

static_assert(kTransferFailed == (nvme::kDataTransferError | nvme::kDnr));

std::unique_ptr<nvme::IoCommands> make_commands(const config::Config& config, nvme::QueueSet& queues,
                                                const nvme::Namespaces& namespaces, HostDataMover& mover,
                                                Agenda& agenda, const Reports& reports, engines::Pipeline& parser,
                                                nvme::DataPlacement& placement, const ControllerMemory* own,
                                                tlm_if::RecorderIf* recorder) {
  if (parser.on()) {
    const nvme::ParseTables tables(namespaces, mover.limits(), own);
    std::unique_ptr<nvme::ParseGates> gates;
    std::unique_ptr<nvme::OwnParser> block;
    if (!config.engines.rtl.parse.empty()) {
      block = std::make_unique<nvme::OwnParser>(config.engines, tables, recorder);
    } else if (engines::is_in_gates(config.engines, engines::EngineId::kParse)) {
      gates = std::make_unique<nvme::ParseGates>(tables);
    }
    return std::make_unique<nvme::HardwareParser>(queues, namespaces, mover, agenda, reports, parser, placement, tables,
                                                  std::move(gates), std::move(block));
  }
  return std::make_unique<nvme::FirmwareParser>(queues, namespaces, mover, agenda, reports, config.cpu.clock);
}

/// A reclaim unit is a superblock.
std::uint64_t superblock_bytes(const config::Config& config) {
  const config::Layout layout = config::layout_of(config);
  return std::uint64_t{layout.dies} * layout.programs_per_block * layout.lpages_per_program * layout.lpage.bytes();
}

}  // namespace

NvmeController::NvmeController(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                               const config::Config& config, std::uint64_t user_lpages, tlm_if::RecorderIf* recorder)
    : HostInterface(name, context, config, user_lpages, "wordline/host/nvme_controller", recorder),
      memory_(config.nvme.cmb, config.nvme.cmb_latency),
      namespaces_(config, mover.limits().user_lbas),
      completion_gates_(engines::completion_in_gates(config)
                            ? std::make_unique<nvme::CompletionGates>(agenda_, reports_, completion_entries_)
                            : nullptr),
      status_(context.alarms(), config.nvme),
      interrupts_(agenda_, mover.link, host_interrupt, config.nvme.coalescing_ticks),
      completions_(queues_, status_, mover, agenda_, interrupts_, error_log_, *this, reports_, completion_gates_.get(),
                   completion_entries_),
      placement_(config, namespaces_, superblock_bytes(config)),
      commands_(make_commands(config, queues_, namespaces_, mover, agenda_, reports_, parser_, placement_,
                              memory_.size() == 0 ? nullptr : &memory_, recorder)),
      fetcher_(config.nvme, queues_, status_, mover, agenda_, *commands_),
      admin_(config, queues_, namespaces_, interrupts_, status_, *commands_, placement_, error_log_, latencies_, mover,
             agenda_, parser_, completions_, reports_),
      management_(placement_, namespaces_, mover, agenda_, completions_, admin_.firmware(), *commands_),
      registers_({queues_, status_, interrupts_, completions_, fetcher_, admin_, mover, *commands_, memory_}, agenda_,
                 reports_, config.nvme.ready_timeout) {
  if (memory_.size() != 0) mover.dma().find_in(memory_);
  if (namespaces_.offers_metadata()) mover.protected_data.follow(namespaces_.tuple_rule());
  if (completion_gates_ != nullptr) {
    queues_.follow(*completion_gates_);
    interrupts_.follow(*completion_gates_);
  }
  commands_->divert(management_);
  host_socket.register_b_transport(this, &NvmeController::host_transport);
  if (config.nvme.fetch_burst == 0) reports_.error("nvme.fetch_burst is 0, must be at least 1");
}

bool NvmeController::firmware_ready() {
  if (namespaces_.offers_metadata() && mover.dma().slow() != nullptr) {
    reports_.error(
        "nvme.metadata with host memory that takes time (a memory behind a socket), expected nvme.metadata = "
        "none: metadata are read and written at once");
    return false;
  }
  if (completion_gates_ != nullptr && mover.dma().slow() != nullptr) {
    reports_.error(
        "engines.model = rtl with host memory that takes time (a memory behind a socket), expected engines.gates = "
        "another than all or completion_entry: the gates of the completion engine get their entries back in order");
    return false;
  }
  if (!commands_->firmware_ready() || !admin_.firmware_ready()) return false;
  status_.firmware_is_ready();
  return true;
}

void NvmeController::host_power_fails() {
  mover.dma().host_is_gone();
  registers_.host_is_gone();
  admin_.firmware().host_power_fails();
}

void NvmeController::completed(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) {
  if (status != nvme::kSuccess) status = commands_->status_for_host(tag, status);
  if (mover.commands().lost(mover.commands()[tag])) {
    if (quiet != nullptr) mover.push_event_later(*quiet, ready);
    completions_.release(tag, ready);
  } else {
    latencies_.ended(mover.commands()[tag], status == nvme::kSuccess, std::max(ready, mover.now()));
    completions_.post(tag, status, ready, quiet);
  }
  commands_->ended();
  if (namespaces_.leaving() != 0) admin_.namespace_commands().command_ended();
  if (commands_->active() != 0) return;
  status_.drained();
  admin_.commands_ended();
}

bool NvmeController::at_work() const {
  if (commands_->active() != 0 || admin_.busy() || interrupts_.owes() || status_.resetting()) return true;
  const bool shuts_down = (status_.csts() & nvme::kCstsShutdownMask) == nvme::kCstsShutdownBusy;
  if (shuts_down) return true;
  if (!status_.enabled() || status_.failed()) return false;
  if (!status_.ready()) return true;
  for (std::uint32_t qid = 0; qid <= nvme::kMaxIoQueues; ++qid) {
    const nvme::SubmissionQueue& sq = queues_.sq(qid);
    if (sq.exists && (sq.in_flight != 0 || sq.pending() != 0)) return true;
  }
  return false;
}

void NvmeController::command_left(std::uint32_t qid) {
  admin_.command_left(qid);
  fetcher_.command_left(qid);
}

std::unique_ptr<HostInterface> make_host_interface_nvme(tlm_if::SimulationContext& context,
                                                        const config::Config& config, std::uint64_t user_lpages,
                                                        tlm_if::RecorderIf* recorder) {
  return std::make_unique<NvmeController>("nvme", context, config, user_lpages, recorder);
}

}  // namespace wordline::host
