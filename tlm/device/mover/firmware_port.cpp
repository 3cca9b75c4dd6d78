// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/firmware_port.h"

#include "registers/wordline_regs.hpp"

namespace wordline::host {

namespace regs = registers::nvme;

FirmwarePort::FirmwarePort(std::uint32_t max_transfer, Agenda& agenda, UserIf& user, const Reports& reports,
                           sc_core::sc_port<tlm_if::SharedMemoryIf>& memory,
                           sc_core::sc_port<tlm_if::InterruptIf>& interrupt, tlm_if::RecorderIf* recorder)
    : max_transfer_(max_transfer),
      agenda_(agenda),
      user_(user),
      reports_(reports),
      memory_(memory),
      interrupt_(interrupt),
      recorder_(recorder) {
  if (recorder_ != nullptr) wave_events_ = recorder_->add_vector("ssd.host", "event_ring_level", 16);
}

void FirmwarePort::act(const Agenda::Action& action) {
  const auto value = static_cast<std::uint32_t>(action.value);
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kReady:
      control(value);
      break;
    case Kind::kJobs:
      jobs(value);
      break;
  }
}

bool FirmwarePort::read(std::uint32_t offset, std::uint32_t& value) const {
  switch (offset) {
    case regs::event_ring_base:
      value = event_base_;
      return true;
    case regs::event_ring_size:
      value = event_size_;
      return true;
    case regs::job_ring_base:
      value = job_base_;
      return true;
    case regs::job_ring_size:
      value = job_size_;
      return true;
    case regs::job_doorbell:
      value = 0;
      return true;  // write only
    case regs::control:
      value = control_;
      return true;
    case regs::command_table:
      value = tables_.commands;
      return true;
    case regs::extent_table:
      value = tables_.extents;
      return true;
    case regs::range_table:
      value = tables_.ranges;
      return true;
    case regs::max_transfer:
      value = max_transfer_;
      return true;
    case regs::namespace_table:
      value = tables_.namespaces;
      return true;
    case regs::admin_entry:
      value = tables_.admin_entry;
      return true;
    case regs::admin_page:
      value = tables_.admin_page;
      return true;
    default:
      return user_.count(offset, value);
  }
}

bool FirmwarePort::write(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  const Picoseconds arrives = agenda_.now() + delay;
  switch (offset) {
    case regs::event_ring_base:
      event_base_ = value;
      break;
    case regs::event_ring_size:
      event_size_ = value;
      break;
    case regs::job_ring_base:
      job_base_ = value;
      break;
    case regs::job_ring_size:
      job_size_ = value;
      break;
    case regs::command_table:
      tables_.commands = value;
      break;
    case regs::extent_table:
      tables_.extents = value;
      break;
    case regs::range_table:
      tables_.ranges = value;
      break;
    case regs::namespace_table:
      tables_.namespaces = value;
      break;
    case regs::admin_entry:
      tables_.admin_entry = value;
      break;
    case regs::admin_page:
      tables_.admin_page = value;
      break;
    case regs::max_transfer:
    case regs::data_units_read:
    case regs::data_units_written:
    case regs::read_commands:
    case regs::write_commands:
    case regs::media_errors:
    case regs::errors:
      return true;  // read only: the write has no effect
    case regs::job_doorbell:
      agenda_.schedule(arrives, *this, Kind::kJobs, 0, value);
      return true;
    case regs::control:
      control_ = value & regs::control_ready_mask;
      agenda_.schedule(arrives, *this, Kind::kReady, 0, control_);
      return true;
    default:
      return false;
  }
  if (ready_) reports_.error("ring or table registers written after NVME.CONTROL.READY: set them up first");
  return true;
}

bool FirmwarePort::valid_ring_size(std::uint32_t size, const char* what) const {
  const bool valid = tlm_if::is_ring_size(size);
  if (!valid) reports_.error("{} ring has {} entries, must be a power of two", what, size);
  return valid;
}

void FirmwarePort::control(std::uint32_t value) {
  const bool was = ready_;
  ready_ = (value & regs::control_ready_mask) != 0;
  if (!ready_ || was) return;
  tlm_if::SharedMemoryIf& tcm = *memory_[0];
  const bool events = valid_ring_size(event_size_, "event") && event_ring_.open(tcm, event_base_, event_size_);
  const bool jobs = valid_ring_size(job_size_, "job") && job_ring_.open(tcm, job_base_, job_size_);
  ready_ = events && jobs;
  if (ready_) ready_ = user_.firmware_ready();
}

void FirmwarePort::jobs(std::uint32_t produced) {
  if (!ready_) {
    reports_.error("job doorbell before NVME.CONTROL.READY");
    return;
  }
  if (tlm_if::listens(recorder_) && job_ring_.waiting(produced) != 0) {
    recorder_->set(wave_events_, agenda_.now(), event_ring_.level());
  }
  if (job_ring_.read_until(produced, [this](const wl_host_job& job) { user_.job(job); })) return;
  reports_.error("job doorbell {} with {} consumed: more entries than the ring's {}", produced, job_ring_.consumed(),
                 job_size_);
}

void FirmwarePort::push(const wl_host_event& event, bool wake) {
  if (!event_ring_.push(event)) {
    reports_.error(
        "event ring overflow, {} entries: the firmware must size it for host_tags * (1 + "
        "WL_DMA_JOBS_PER_TAG) + WL_DSM_RANGES",
        event_size_);
    return;
  }
  if (tlm_if::listens(recorder_)) recorder_->set(wave_events_, agenda_.now(), event_ring_.level());
  if (wake) interrupt_->raise(WL_IRQ_HOST);
}

}  // namespace wordline::host
