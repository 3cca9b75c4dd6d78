// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_controller.h"

#include <algorithm>
#include <cstdio>

namespace wordline::host {
namespace {

constexpr const char* kReport = "wordline/host/nvme_controller";

const char* opcode_name(std::uint8_t opcode) {
  switch (opcode) {
    case nvme::kFlush: return "FLUSH";
    case nvme::kWrite: return "WRITE";
    case nvme::kRead: return "READ";
    case nvme::kWriteZeroes: return "ZERO";
    case nvme::kDatasetManagement: return "DSM";
    default: return "?";
  }
}

// MDTS is a power of two of the page size: the largest that nvme.max_transfer_sectors allows.
std::uint32_t mdts_of(std::uint32_t sectors) {
  std::uint32_t power = 0;
  while ((2U << power) <= sectors) ++power;
  return power;
}

}  // namespace

NvmeController::NvmeController(sc_core::sc_module_name name, const config::Config& config, std::uint64_t user_sectors,
                               PcieLink& link, HostMemory& host_memory, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      host_socket("host_socket"),
      register_socket("register_socket"),
      memory("memory"),
      interrupt("interrupt"),
      dram("dram"),
      buffer("buffer"),
      stages("stages"),
      host_interrupt("host_interrupt"),
      direct_completion("direct_completion"),
      engines("engines"),
      direct("direct"),
      config_(config),
      user_lbas_(user_sectors * kLbasPerSector),
      mdts_(mdts_of(config.nvme.max_transfer_sectors)),
      parser_(config.engines[engines::EngineId::kParse]),
      link_(link),
      host_(host_memory),
      recorder_(recorder),
      registers_([this](auto offset, auto& value, auto& delay) { return firmware_read(offset, value, delay); },
                 [this](auto offset, auto value, auto& delay) { return firmware_write(offset, value, delay); }) {
  host_socket.register_b_transport(this, &NvmeController::host_transport);
  register_socket.register_b_transport(this, &NvmeController::register_transport);
  direct.bind(*this);
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();

  const std::uint32_t tags = config_.nvme.tags;
  if (tags == 0 || tags >= WL_NO_TAG) error("nvme.tags is " + std::to_string(tags) + ", must be 1..65534");
  if (config_.nvme.fetch_burst == 0) error("nvme.fetch_burst is 0, must be at least 1");
  if (config_.nvme.max_transfer_sectors == 0) error("nvme.max_transfer_sectors is 0, must be at least 1");
  commands_.resize(tags);
  leaving_.resize(config.ftl.write_buffer.count() / kSectorBytes);
  for (Command& command : commands_) command.pages.reserve((1U << mdts_) + 1);
  for (std::uint32_t tag = tags; tag-- > 0;) free_tags_.push_back(tag);
  freed_.reserve(tags);
  burst_tags_.reserve(config_.nvme.fetch_burst);

  if (recorder_ == nullptr) return;
  wave_command_ = recorder_->add_text("ssd.host", "command");
  wave_tags_ = recorder_->add_vector("ssd.host", "tag_level", 16);
  wave_events_ = recorder_->add_vector("ssd.host", "event_ring_level", 16);
}

void NvmeController::warn(const std::string& text) const {
  SC_REPORT_WARNING(kReport, (std::string(name()) + ": " + text).c_str());
}
void NvmeController::error(const std::string& text) const {
  SC_REPORT_ERROR(kReport, (std::string(name()) + ": " + text).c_str());
}

void NvmeController::schedule(Picoseconds at, Kind kind, std::uint32_t index, std::uint64_t value) {
  const Picoseconds now = tlm_if::now();
  at = std::max(at, now);
  agenda_.add(at, kind, index, value);
  // Inside run() one notification at its end serves all. A pending one that is earlier stays, a later one is replaced.
  if (!running_) wake_.notify(tlm_if::to_sc_time(at - now));
}

void NvmeController::run() {
  const Picoseconds now = tlm_if::now();
  running_ = true;
  ++counters_.wakeups;
  take_heads(now);
  while (!agenda_.empty() && agenda_.first().at <= now) act(agenda_.take());
  running_ = false;
  if (!agenda_.empty()) wake_.notify(tlm_if::to_sc_time(agenda_.first().at - now));
}

void NvmeController::act(const Agenda<Kind>::Action& action) {
  switch (action.kind) {
    case Kind::kHostRegister: host_write(action.index, static_cast<std::uint32_t>(action.value)); break;
    case Kind::kReady: firmware_control(static_cast<std::uint32_t>(action.value)); break;
    case Kind::kJobs: jobs(static_cast<std::uint32_t>(action.value)); break;
    case Kind::kParsed: parsed(action.index); break;
    case Kind::kPrpList: continue_prps(action.index); break;
    case Kind::kRanges: deliver_ranges(action.index); break;
    case Kind::kAdmin:
      if (action.value == epoch_) admin();
      break;
    case Kind::kTransferEnd: transfer_end(action.index); break;
    case Kind::kCompletion: arrived(action.index); break;
    case Kind::kDirectDone: direct_done(action.index); break;
    case Kind::kFetch: fetch(); break;
    case Kind::kHandOver: push_command(action.index, static_cast<std::uint8_t>(action.value)); break;
    case Kind::kUnmasked: host_interrupt->interrupt(action.index, action.at); break;
  }
}

std::uint32_t NvmeController::tags_in_use() const {
  const Picoseconds now = tlm_if::now();
  const auto gone = std::count_if(freed_.begin(), freed_.end(), [now](const TagFreed& f) { return f.at <= now; });
  return static_cast<std::uint32_t>(commands_.size() - free_tags_.size() - static_cast<std::size_t>(gone));
}

std::uint32_t NvmeController::allocate_tag(Picoseconds now) {
  while (!freed_.empty() && freed_.front().at <= now) {
    std::pop_heap(freed_.begin(), freed_.end(), TagFreed::later);
    const std::uint32_t tag = freed_.back().tag;
    freed_.pop_back();
    free_tags_.push_back(tag);
  }
  if (free_tags_.empty()) return kNone;
  const std::uint32_t tag = free_tags_.back();
  free_tags_.pop_back();
  Command& command = commands_[tag];
  command.state = Command::State::kFetched;
  command.direct = false;
  command.epoch = epoch_;
  command.pages.clear();
  command.pages_expected = 0;
  command.data_end = now;
  command.jobs_running = 0;
  command.complete_then = false;
  if (recorder_ != nullptr) recorder_->set(wave_tags_, now, commands_.size() - free_tags_.size());
  return tag;
}

// The tag is free from `at` on. Nobody wakes up for that unless entries wait for a tag.
void NvmeController::free_tag(std::uint32_t tag, Picoseconds at) {
  freed_.push_back({at, tag});
  std::push_heap(freed_.begin(), freed_.end(), TagFreed::later);
  if (pending_queues_ != 0) plan_fetch();
}

void NvmeController::plan_fetch() {
  if (freed_.empty()) return;  // every tag is held by a command: its completion plans
  const Picoseconds at = std::max(freed_.front().at, tlm_if::now());
  if (fetch_planned_ >= tlm_if::now() && fetch_planned_ <= at) return;
  fetch_planned_ = at;
  schedule(at, Kind::kFetch, 0);
}

void NvmeController::record_command(const Command& command) {
  if (recorder_ == nullptr || !recorder_->active()) return;
  std::array<char, 96> text{};
  if (!parser_.on()) {
    std::snprintf(text.data(), text.size(), "entry %02xh q%u cid %u", command.sqe.opcode, command.sq, command.sqe.cid);
  } else if (command.sqe.opcode == nvme::kDatasetManagement) {
    std::snprintf(text.data(), text.size(), "DSM %u ranges q%u cid %u", command.ranges, command.sq, command.sqe.cid);
  } else {
    std::snprintf(text.data(), text.size(), "%s lba 0x%llx +%u q%u cid %u", opcode_name(command.sqe.opcode),
                  static_cast<unsigned long long>(command.slba), command.blocks, command.sq, command.sqe.cid);
  }
  recorder_->set_text(wave_command_, tlm_if::now(), text.data());
}

}  // namespace wordline::host
