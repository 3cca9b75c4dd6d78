// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/bar_registers.h"

#include <cstring>

namespace wordline::host::nvme {
namespace {

constexpr std::uint32_t kBarEnd = kRegDoorbells + (kMaxIoQueues + 1) * 8;

// CAP: 65536 entries, contiguous queues, weighted round robin, doorbells 4 bytes apart, NVM subsystem reset, NVM
// command set, 4 KiB pages only, ready with media (CRMS).
constexpr std::uint64_t kCap = 0xffffULL | 1ULL << 16 | 1ULL << 17 | 1ULL << 36 | 1ULL << 37 | 1ULL << 59;
constexpr unsigned kCapToShift = 24;
constexpr Picoseconds kReadyUnit{500'000'000'000};  // CAP.TO counts 500 ms

void replace_half(std::uint64_t& reg, bool high, std::uint32_t value) {
  reg = high ? (reg & 0xffffffffULL) | static_cast<std::uint64_t>(value) << 32 : (reg & ~0xffffffffULL) | value;
}

}  // namespace

void BarRegisters::transport(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (address >= kCmbOffset && address - kCmbOffset < blocks_.memory.size()) {
    transport_memory(payload, address - kCmbOffset);
    return;
  }
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
      word = read(offset);
      std::memcpy(payload.get_data_ptr() + i, &word, 4);
    } else if (payload.is_write()) {
      std::memcpy(&word, payload.get_data_ptr() + i, 4);
      const Picoseconds at = agenda_.now() + tlm_if::to_picoseconds(delay);
      if (!put_off(offset, word, at)) agenda_.schedule(at, *this, Kind::kWrite, offset, word);
    }
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void BarRegisters::transport_memory(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  const unsigned bytes = payload.get_data_length();
  if (bytes == 0 || bytes % 4 != 0 || offset % 4 != 0 || bytes > blocks_.memory.size() - offset ||
      payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if ((cmbmsc_ & kCmbRegisters) == 0) {  // Base 8.5: it is not there until CMBMSC.CRE is 1
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), blocks_.memory.at(offset), bytes);
  } else if (payload.is_write() && !host_gone_) {
    std::memcpy(blocks_.memory.at(offset), payload.get_data_ptr(), bytes);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

// CMBLOC and CMBSZ are 0 until CMBMSC.CRE is 1.
std::uint32_t BarRegisters::read_memory_register(std::uint32_t offset) const {
  const bool shown = (cmbmsc_ & kCmbRegisters) != 0;
  const auto units = static_cast<std::uint32_t>(blocks_.memory.size() / kCmbUnit);
  switch (offset) {
    case kRegCmbloc:
      return shown ? kCmbOffset : 0;
    case kRegCmbsz:
      return shown ? kCmbSubmissionQueues | kCmbLists | units << kCmbUnitShift : 0;
    case kRegCmbmsc:
      return static_cast<std::uint32_t>(cmbmsc_);
    case kRegCmbmsc + 4:
      return static_cast<std::uint32_t>(cmbmsc_ >> 32);
    default:
      return cmb_base_invalid_ ? kCmbBaseInvalid : 0;
  }
}

void BarRegisters::write_memory_space(bool high, std::uint32_t value) {
  if (blocks_.memory.size() == 0) {
    reports_.warn("write of 0x{:x} to CMBMSC: ignored, there is no controller memory buffer (CAP.CMBS; nvme.cmb)",
                  value);
    return;
  }
  constexpr std::uint32_t kLowBits = ~(kCmbUnit - 1U) | kCmbRegisters | kCmbSpace;
  replace_half(cmbmsc_, high, high ? value : value & kLowBits);
  blocks_.memory.unmap();
  cmb_base_invalid_ = (cmbmsc_ & kCmbSpace) != 0 && !blocks_.memory.map(cmbmsc_ & ~std::uint64_t{kCmbUnit - 1});
  if (cmb_base_invalid_)
    reports_.warn("CMBMSC.CBA = 0x{:x}: the memory would end beyond the last address: CBAI", cmbmsc_);
}

std::uint32_t BarRegisters::ready_units() const {
  return static_cast<std::uint32_t>(ready_timeout_.count() / kReadyUnit.count());
}

// Reserved registers and doorbells read as zero.
std::uint32_t BarRegisters::read(std::uint32_t offset) const {
  switch (offset) {
    case kRegCap:
      return static_cast<std::uint32_t>(kCap) | ready_units() << kCapToShift;
    case kRegCap + 4:
      return static_cast<std::uint32_t>(kCap >> 32) | (blocks_.memory.size() != 0 ? kCapCmbs : 0);
    case kRegVs:
      return kVersion;
    case kRegIntms:
    case kRegIntmc:
      return blocks_.interrupts.masked();
    case kRegCc:
      return blocks_.status.cc();
    case kRegCsts:
      return blocks_.status.csts();
    case kRegCmbloc:
    case kRegCmbsz:
    case kRegCmbmsc:
    case kRegCmbmsc + 4:
    case kRegCmbsts:
      return read_memory_register(offset);
    case kRegCrto:
      return ready_units();
    case kRegAqa:
      return aqa_;
    case kRegAsq:
      return static_cast<std::uint32_t>(asq_);
    case kRegAsq + 4:
      return static_cast<std::uint32_t>(asq_ >> 32);
    case kRegAcq:
      return static_cast<std::uint32_t>(acq_);
    case kRegAcq + 4:
      return static_cast<std::uint32_t>(acq_ >> 32);
    default:
      return 0;
  }
}

bool BarRegisters::put_off(std::uint32_t offset, std::uint32_t value, Picoseconds at) {
  if (offset < kRegDoorbells || offset % 8 != 4 || host_gone_) return false;
  return blocks_.completions.put_off((offset - kRegDoorbells) / 8, value, at);
}

void BarRegisters::write(std::uint32_t offset, std::uint32_t value) {
  if (host_gone_) return;
  if (offset >= kRegDoorbells) {
    doorbell(offset, value);
    return;
  }
  switch (offset) {
    case kRegIntms:
      blocks_.interrupts.mask(value);
      return;
    case kRegIntmc:
      blocks_.interrupts.unmask(value);
      return;
    case kRegCc:
      write_cc(value);
      return;
    case kRegCsts:
      write_status(value);
      return;
    case kRegNssr:
      if (value != kSubsystemResetKey) {
        reports_.warn("write of 0x{:x} to NSSR: ignored, a reset of the NVM subsystem is 0x{:x}", value,
                      kSubsystemResetKey);
        return;
      }
      reset_all();
      blocks_.status.subsystem_reset();
      return;
    case kRegAqa:
    case kRegAsq:
    case kRegAsq + 4:
    case kRegAcq:
    case kRegAcq + 4:
      write_admin_queue(offset, value);
      return;
    case kRegCmbmsc:
    case kRegCmbmsc + 4:
      write_memory_space(offset != kRegCmbmsc, value);
      return;
    default:
      reports_.warn("write of 0x{:x} to read-only or reserved register 0x{:x}: ignored", value, offset);
  }
}

// All but NSSRO is read only.
void BarRegisters::write_status(std::uint32_t value) {
  if ((value & kCstsSubsystemReset) != 0) {
    blocks_.status.clear_subsystem_reset();
  } else {
    reports_.warn("write of 0x{:x} to CSTS: ignored, of which NSSRO alone can be cleared", value);
  }
}

void BarRegisters::act(const Agenda::Action& action) {
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kWrite:
      write(action.index, static_cast<std::uint32_t>(action.value));
      return;
    case Kind::kFunctionReset:
      if (!host_gone_) reset_all();
      return;
    case Kind::kReadyTime:
      if (action.index != enables_ || !blocks_.status.enabled()) return;
      blocks_.status.ready_time_over();
      if (blocks_.mover.takes_commands()) blocks_.status.firmware_is_ready();
  }
}

void BarRegisters::write_admin_queue(std::uint32_t offset, std::uint32_t value) {
  if (blocks_.status.enabled()) {
    reports_.warn("write to AQA, ASQ or ACQ (0x{:x}) while CC.EN is 1: ignored", offset);
  } else if (offset == kRegAqa) {
    aqa_ = value & 0x0fff0fffU;
  } else {
    const bool high = offset % 8 == 4;
    const std::uint32_t low_mask = high ? 0xffffffffU : 0xfffff000U;
    replace_half(offset < kRegAcq ? asq_ : acq_, high, value & low_mask);
  }
}

void BarRegisters::write_cc(std::uint32_t value) {
  ControllerStatus& status = blocks_.status;
  const std::uint32_t before = status.cc();
  const bool was = status.enabled();
  const bool is = (value & kCcEnable) != 0;
  if (!was && is && status.resetting()) {
    reports_.warn("CC.EN set before CSTS.RDY is 0: ignored");
    return;
  }
  status.set_cc(value);
  if (!was && is) enable();
  if (was && !is) disable();
  if ((value & kCcShutdownMask) == kCcShutdownMask) {
    reports_.warn("CC.SHN = 11b is reserved: ignored");
  } else if ((value & kCcShutdownMask) != 0 && (before & kCcShutdownMask) == 0) {
    const bool normal = (value & kCcShutdownMask) == kCcShutdownNormal && is && status.ready() && !status.failed();
    status.begin_shutdown(normal);
    if (blocks_.commands.active() == 0) status.drained();
    if (normal) blocks_.admin.firmware().shut_down();
  }
}

void BarRegisters::enable() {
  blocks_.status.begin_enable();
  ++enables_;
  const Picoseconds ready_time = blocks_.status.ready_time();
  if (ready_time > Picoseconds(0)) agenda_.schedule(agenda_.now() + ready_time, *this, Kind::kReadyTime, enables_);
  const std::uint32_t sq_entries = (aqa_ & 0xfffU) + 1;
  const std::uint32_t cq_entries = (aqa_ >> 16 & 0xfffU) + 1;
  const char* wrong = nullptr;
  const std::uint32_t arbitration = blocks_.status.cc() >> kCcAmsShift & 7U;
  if ((blocks_.status.cc() & 0x7f0U) != 0 || arbitration > kAmsWeighted) {
    wrong = "CC.CSS, CC.MPS or CC.AMS asks for something that CAP does not offer";
  }
  if (sq_entries < 2 || cq_entries < 2) wrong = "AQA gives an admin queue fewer than two entries";
  if (asq_ == 0 || acq_ == 0) wrong = "ASQ or ACQ is 0";
  if (blocks_.memory.has(acq_)) wrong = "ACQ lies in the controller memory buffer, which takes submission queues alone";
  if (wrong != nullptr) {
    reports_.warn("enabled, but {}: CSTS.CFS", wrong);
    blocks_.status.fail();
    return;
  }
  blocks_.queues.arbiter().use_weights(arbitration == kAmsWeighted);
  SubmissionQueue& sq = blocks_.queues.sq(0);
  sq = {};
  sq.exists = true;
  sq.size = sq_entries;
  sq.base = asq_;
  CompletionQueue cq;
  cq.interrupts = true;
  cq.size = cq_entries;
  cq.base = acq_;
  cq.users = 1;
  blocks_.queues.add_cq(0, cq);
  if (blocks_.mover.takes_commands()) blocks_.status.firmware_is_ready();
}

// Controller reset: queues are gone at once. Commands that the firmware holds come back through it and are lost then;
// ready is cleared when the last one is back.
void BarRegisters::disable() {
  lose_queues();
  blocks_.status.begin_reset();
  if (blocks_.commands.active() == 0) blocks_.status.drained();
}

// Controller Level Reset after which the registers are as at power on.
void BarRegisters::reset_all() {
  blocks_.status.set_cc(0);
  aqa_ = 0;
  asq_ = acq_ = 0;
  cmbmsc_ = 0;
  cmb_base_invalid_ = false;
  blocks_.memory.unmap();
  disable();
}

void BarRegisters::host_is_gone() {
  host_gone_ = true;
  lose_queues();
}

void BarRegisters::lose_queues() {
  blocks_.mover.commands().lose_all();
  blocks_.completions.reset();
  blocks_.queues.clear();
  blocks_.admin.reset();
  blocks_.interrupts.reset();
}

void BarRegisters::doorbell(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t qid = (offset - kRegDoorbells) / 8;
  if (offset % 8 == 0) {
    tail_doorbell(qid, value);
  } else if (!blocks_.completions.doorbell(qid, value)) {
    blocks_.admin.doorbell_error(blocks_.queues.cq(qid).exists);
  }
}

void BarRegisters::tail_doorbell(std::uint32_t qid, std::uint32_t value) {
  SubmissionQueue& sq = blocks_.queues.sq(qid);
  const bool ready = blocks_.status.ready() && !blocks_.status.failed();
  const bool down = qid != 0 && blocks_.status.shutting_down();
  if (!sq.exists || sq.deleting || value >= sq.size || !ready || down) {
    reports_.warn("submission queue {} tail doorbell, value {}{}, ignored", qid, value,
                  !ready       ? ": the controller is not ready, or has failed"
                  : down       ? ": the controller shuts down, a reset comes first"
                  : !sq.exists ? ": no such queue"
                               : ": invalid value");
    if (ready && !down && !sq.deleting) blocks_.admin.doorbell_error(sq.exists);
    return;
  }
  sq.ring(value, agenda_.now());
  if (qid == 0) {
    blocks_.admin.fetch();
  } else if (sq.pending() != 0) {
    blocks_.fetcher.doorbell(qid);
  }
}

}  // namespace wordline::host::nvme
