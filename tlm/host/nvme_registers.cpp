// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// BAR0 as the host sees it, the NVME block as the firmware sees it, enable and reset (Base 3.1.3, 3.5, 3.6, 3.7).
#include <algorithm>
#include <cstring>
#include <sstream>

#include "registers/wordline_regs.hpp"
#include "tlm/host/nvme_controller.h"

namespace wordline::host {
namespace {

namespace regs = registers::nvme;

constexpr std::uint32_t kBarEnd = nvme::kRegDoorbells + (kMaxIoQueues + 1) * 8;

// CAP: 65536 entries, contiguous queues, 10 s to ready, doorbells 4 bytes apart, NVM command set, 4 KiB pages only.
constexpr std::uint64_t kCap = 0xffffULL | 1ULL << 16 | 20ULL << 24 | 1ULL << 37;

std::string hex(std::uint32_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

void replace_half(std::uint64_t& reg, bool high, std::uint32_t value) {
  reg = high ? (reg & 0xffffffffULL) | static_cast<std::uint64_t>(value) << 32 : (reg & ~0xffffffffULL) | value;
}

}  // namespace

void NvmeController::host_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if ((bytes != 4 && bytes != 8) || address % bytes != 0 || payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (address + bytes > kBarEnd) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  for (unsigned i = 0; i < bytes; i += 4) {
    const auto offset = static_cast<std::uint32_t>(address) + i;
    std::uint32_t word = 0;
    if (payload.is_read()) {
      word = host_read(offset);
      std::memcpy(payload.get_data_ptr() + i, &word, 4);
    } else if (payload.is_write()) {
      std::memcpy(&word, payload.get_data_ptr() + i, 4);
      const Picoseconds at = tlm_if::now() + Picoseconds(static_cast<std::int64_t>(delay.value()));
      if (!put_off(offset, word, at)) schedule(at, Kind::kHostRegister, offset, word);
    }
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

// Reserved registers and doorbells read as zero.
std::uint32_t NvmeController::host_read(std::uint32_t offset) const {
  switch (offset) {
    case nvme::kRegCap: return static_cast<std::uint32_t>(kCap);
    case nvme::kRegCap + 4: return static_cast<std::uint32_t>(kCap >> 32);
    case nvme::kRegVs: return nvme::kVersion;
    case nvme::kRegIntms:
    case nvme::kRegIntmc: return masked_;
    case nvme::kRegCc: return cc_;
    case nvme::kRegCsts: return csts_;
    case nvme::kRegAqa: return aqa_;
    case nvme::kRegAsq: return static_cast<std::uint32_t>(asq_);
    case nvme::kRegAsq + 4: return static_cast<std::uint32_t>(asq_ >> 32);
    case nvme::kRegAcq: return static_cast<std::uint32_t>(acq_);
    case nvme::kRegAcq + 4: return static_cast<std::uint32_t>(acq_ >> 32);
    default: return 0;
  }
}

void NvmeController::host_write(std::uint32_t offset, std::uint32_t value) {
  if (offset >= nvme::kRegDoorbells) {
    const std::uint32_t qid = (offset - nvme::kRegDoorbells) / 8;
    if (offset % 8 == 0) {
      sq_doorbell(qid, value);
    } else {
      cq_doorbell(qid, value);
    }
    return;
  }
  const bool enabled = (cc_ & nvme::kCcEnable) != 0;
  switch (offset) {
    case nvme::kRegIntms: masked_ |= value; return;
    case nvme::kRegIntmc:
      masked_ &= ~value;
      for (unsigned vector = 0; vector < 32; ++vector) {
        if ((mask_pending_ & value & 1U << vector) == 0) continue;
        mask_pending_ &= ~(1U << vector);
        schedule(link_.posted_write(Direction::kUpstream, tlm_if::now(), 4), Kind::kUnmasked, vector);
      }
      return;
    case nvme::kRegCc: write_cc(value); return;
    case nvme::kRegAqa:
    case nvme::kRegAsq:
    case nvme::kRegAsq + 4:
    case nvme::kRegAcq:
    case nvme::kRegAcq + 4:
      if (enabled) {
        warn("write to AQA, ASQ or ACQ (" + hex(offset) + ") while CC.EN is 1: ignored");
      } else if (offset == nvme::kRegAqa) {
        aqa_ = value & 0x0fff0fffU;
      } else {
        const bool high = offset % 8 == 4;
        const std::uint32_t low_mask = high ? 0xffffffffU : 0xfffff000U;
        replace_half(offset < nvme::kRegAcq ? asq_ : acq_, high, value & low_mask);
      }
      return;
    default: warn("write of " + hex(value) + " to read-only or reserved register " + hex(offset) + ": ignored");
  }
}

void NvmeController::write_cc(std::uint32_t value) {
  const std::uint32_t before = cc_;
  const bool was = (before & nvme::kCcEnable) != 0;
  const bool is = (value & nvme::kCcEnable) != 0;
  if (!was && is && resetting_) {
    warn("CC.EN set before CSTS.RDY is 0: ignored");
    return;
  }
  cc_ = value & 0x00fffff1U;
  if (!was && is) enable();
  if (was && !is) disable();
  if ((cc_ & nvme::kCcShutdownMask) != 0 && (before & nvme::kCcShutdownMask) == 0) {
    set_status((csts_ & ~nvme::kCstsShutdownMask) | nvme::kCstsShutdownBusy);
    drained();
  }
}

void NvmeController::enable() {
  const std::uint32_t sq_entries = (aqa_ & 0xfffU) + 1;
  const std::uint32_t cq_entries = (aqa_ >> 16 & 0xfffU) + 1;
  std::string wrong;
  if ((cc_ & 0x3ff0U) != 0) wrong = "CC.CSS, CC.MPS or CC.AMS asks for something that CAP does not offer";
  if (sq_entries < 2 || cq_entries < 2) wrong = "AQA gives an admin queue fewer than two entries";
  if (asq_ == 0 || acq_ == 0) wrong = "ASQ or ACQ is 0";
  if (!wrong.empty()) {
    warn("enabled, but " + wrong + ": CSTS.CFS");
    set_status(csts_ | nvme::kCstsFatal);
    return;
  }
  sq_[0] = {};
  sq_[0].exists = true;
  sq_[0].size = sq_entries;
  sq_[0].base = asq_;
  cq_[0] = {};
  cq_[0].exists = true;
  cq_[0].interrupts = true;
  cq_[0].size = cq_entries;
  cq_[0].base = acq_;
  cq_[0].users = 1;
  try_ready();
}

// Controller reset: queues are gone at once. Commands that the firmware holds come back through it and are lost then;
// ready is cleared when the last one is back.
void NvmeController::disable() {
  ++epoch_;
  for (CompletionQueue& cq : cq_) {
    while (cq.waiting != kNone) {
      const std::uint32_t index = cq.waiting;
      cq.waiting = completions_[index].next;
      lose(index);
    }
    cq = {};
  }
  for (SubmissionQueue& sq : sq_) sq = {};
  heads_.clear();
  next_head_ = 0;
  pending_queues_ = 0;
  admin_busy_ = false;
  admin_deletes_ = false;
  async_requests_ = 0;
  masked_ = 0;
  mask_pending_ = 0;
  resetting_ = true;
  drained();
}

void NvmeController::drained() {
  if (active_ != 0) return;
  if (resetting_) {
    resetting_ = false;
    set_status(0);
  }
  if ((csts_ & nvme::kCstsShutdownMask) == nvme::kCstsShutdownBusy) {
    set_status((csts_ & ~nvme::kCstsShutdownMask) | nvme::kCstsShutdownComplete);
  }
}

void NvmeController::try_ready() {
  if ((cc_ & nvme::kCcEnable) == 0 || !firmware_ready_ || csts_ != 0) return;
  set_status(nvme::kCstsReady);
}

void NvmeController::set_status(std::uint32_t value) {
  if (value == csts_) return;
  csts_ = value;
  status_changed_.notify(sc_core::SC_ZERO_TIME);
}

void NvmeController::sq_doorbell(std::uint32_t qid, std::uint32_t value) {
  SubmissionQueue& sq = sq_[qid];
  const bool ready = (csts_ & nvme::kCstsReady) != 0;
  if (!sq.exists || sq.deleting || value >= sq.size || !ready) {
    warn("submission queue " + std::to_string(qid) + " tail doorbell, value " + std::to_string(value) +
         (!ready ? ": the controller is not ready" : !sq.exists ? ": no such queue" : ": invalid value") + ", ignored");
    return;
  }
  if (sq.arrived.size() < sq.size) sq.arrived.resize(sq.size);
  const Picoseconds now = tlm_if::now();
  for (; sq.tail != value; sq.tail = sq.tail + 1 == sq.size ? 0 : sq.tail + 1) sq.arrived[sq.tail] = now;
  if (qid == 0) {
    fetch_admin();
  } else if (sq.pending() != 0) {
    pending_queues_ |= 1ULL << qid;
    fetch();
  }
}

// A head doorbell matters only when an entry waits for a slot. One that is in order is put off to the controller's next
// instant, and takes none of its own.
bool NvmeController::put_off(std::uint32_t offset, std::uint32_t value, Picoseconds at) {
  if (offset < nvme::kRegDoorbells || offset % 8 != 4) return false;
  const std::uint32_t qid = (offset - nvme::kRegDoorbells) / 8;
  const CompletionQueue& cq = cq_[qid];
  if (!cq.exists || cq.waiting != kNone || value >= cq.size || cq.posted(value) > cq.posted(cq.tail)) return false;
  heads_.push_back({at, qid, value});
  return true;
}

void NvmeController::take_heads(Picoseconds now) {
  for (; next_head_ < heads_.size() && heads_[next_head_].at <= now; ++next_head_) {
    cq_doorbell(heads_[next_head_].qid, heads_[next_head_].value);
  }
  if (next_head_ != heads_.size()) return;
  heads_.clear();
  next_head_ = 0;
}

// A queue is full: from here on every doorbell counts.
void NvmeController::schedule_heads() {
  for (; next_head_ < heads_.size(); ++next_head_) {
    const HeadDoorbell& head = heads_[next_head_];
    schedule(head.at, Kind::kHostRegister, nvme::cq_head_doorbell(head.qid), head.value);
  }
}

void NvmeController::cq_doorbell(std::uint32_t qid, std::uint32_t value) {
  CompletionQueue& cq = cq_[qid];
  if (!cq.exists || value >= cq.size || cq.posted(value) > cq.posted(cq.tail)) {
    warn("completion queue " + std::to_string(qid) + " head doorbell, value " + std::to_string(value) +
         (!cq.exists ? ": no such queue" : ": not an entry that was posted") + ", ignored");
    return;
  }
  cq.promised -= cq.posted(value);
  cq.head = value;
  while (cq.waiting != kNone && !cq.full()) {
    const std::uint32_t index = cq.waiting;
    cq.waiting = completions_[index].next;
    ++cq.promised;
    send(index, completions_[index].ready);
  }
}

bool NvmeController::firmware_read(std::uint32_t offset, std::uint32_t& value, sc_core::sc_time& /*delay*/) {
  switch (offset) {
    case regs::event_ring_base: value = event_base_; return true;
    case regs::event_ring_size: value = event_size_; return true;
    case regs::job_ring_base: value = job_base_; return true;
    case regs::job_ring_size: value = job_size_; return true;
    case regs::job_doorbell: value = 0; return true;  // write only
    case regs::control: value = control_; return true;
    case regs::command_table: value = table_base_; return true;
    case regs::extent_table: value = extent_base_; return true;
    case regs::range_table: value = range_base_; return true;
    case regs::max_transfer: value = kLbasPerSector << mdts_; return true;
    default: return false;
  }
}

bool NvmeController::firmware_write(std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay) {
  const Picoseconds arrives = tlm_if::now() + Picoseconds(static_cast<std::int64_t>(delay.value()));
  switch (offset) {
    case regs::event_ring_base: event_base_ = value; break;
    case regs::event_ring_size: event_size_ = value; break;
    case regs::job_ring_base: job_base_ = value; break;
    case regs::job_ring_size: job_size_ = value; break;
    case regs::command_table: table_base_ = value; break;
    case regs::extent_table: extent_base_ = value; break;
    case regs::range_table: range_base_ = value; break;
    case regs::max_transfer: return true;  // read only: the write has no effect
    case regs::job_doorbell: schedule(arrives, Kind::kJobs, 0, value); return true;
    case regs::control:
      control_ = value & regs::control_ready_mask;
      schedule(arrives, Kind::kReady, 0, control_);
      return true;
    default: return false;
  }
  if (firmware_ready_) error("ring or table registers written after NVME.CONTROL.READY: set them up first");
  return true;
}

bool NvmeController::valid_ring_size(std::uint32_t size, const char* what) {
  const bool valid = tlm_if::is_ring_size(size);
  if (!valid) error(std::string(what) + " ring has " + std::to_string(size) + " entries, must be a power of two");
  return valid;
}

void NvmeController::firmware_control(std::uint32_t value) {
  const bool was = firmware_ready_;
  firmware_ready_ = (value & regs::control_ready_mask) != 0;
  if (!firmware_ready_ || was) return;
  tlm_if::SharedMemoryIf& tcm = *memory[0];
  const bool events = valid_ring_size(event_size_, "event") && event_ring_.open(tcm, event_base_, event_size_);
  const bool jobs = valid_ring_size(job_size_, "job") && job_ring_.open(tcm, job_base_, job_size_);
  if (!events || !jobs || (!parser_.on() && !lay_tables())) {
    firmware_ready_ = false;
    return;
  }
  try_ready();
  if (direct_completion.size() > 0) direct_completion->ready();
}

}  // namespace wordline::host
