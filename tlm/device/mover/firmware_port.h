// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/reports.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/ring.h"

namespace wordline::host {

/// The firmware's side of a host interface: the registers of the NVME block of wordline.rdl, the event ring to the host
/// task and the job ring from it (models/firmware/contract/host_ring.h). It does not carry out a job.
///
/// Accuracy: an event is in the ring at once, a doorbell acts when it arrives. No time passes for ring entries: the
/// port into tightly coupled memory is wide enough (assumed).
class FirmwarePort final : private Agenda::Client {
 public:
  /// What lies above the rings.
  class UserIf {
   public:
    /// What the drive counts of the host's commands, by register; false: no such register.
    virtual bool count(std::uint32_t offset, std::uint32_t& value) const = 0;
    /// NVME.CONTROL.READY is set and the rings are open. False: something else of what the firmware set up is wrong and
    /// has been reported; the port stays closed.
    virtual bool firmware_ready() = 0;
    virtual void job(const wl_host_job& job) = 0;

   protected:
    ~UserIf() = default;
  };

  /// Tables that host interface and firmware share, as bus addresses. Those of commands are used when firmware parses.
  struct Tables {
    std::uint32_t commands = 0, extents = 0, ranges = 0, namespaces = 0;  // when firmware parses
    std::uint32_t admin_entry = 0, admin_page = 0;  // of the admin command that firmware carries out
  };

  /// `max_transfer`: register NVME.MAX_TRANSFER, in blocks. A null recorder: no waves.
  FirmwarePort(std::uint32_t max_transfer, Agenda& agenda, UserIf& user, const Reports& reports,
               sc_core::sc_port<tlm_if::SharedMemoryIf>& memory, sc_core::sc_port<tlm_if::InterruptIf>& interrupt,
               tlm_if::RecorderIf* recorder);

  // Registers of the block, offset 0 = EVENT_RING_BASE; false: no such register.
  bool read(std::uint32_t offset, std::uint32_t& value) const;
  bool write(std::uint32_t offset, std::uint32_t value, Picoseconds delay);
  /// Puts the event into the ring; `wake`: and raises WL_IRQ_HOST.
  void push(const wl_host_event& event, bool wake);
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] const Tables& tables() const { return tables_; }

 private:
  enum class Kind : std::uint32_t {
    kReady,  // value: NVME.CONTROL
    kJobs,   // value: producer count
  };
  void act(const Agenda::Action& action) override;
  void control(std::uint32_t value);
  bool valid_ring_size(std::uint32_t size, const char* what) const;
  void jobs(std::uint32_t produced);

  const std::uint32_t max_transfer_;
  Agenda& agenda_;
  UserIf& user_;
  const Reports& reports_;
  sc_core::sc_port<tlm_if::SharedMemoryIf>& memory_;
  sc_core::sc_port<tlm_if::InterruptIf>& interrupt_;
  std::uint32_t event_base_ = 0, event_size_ = 0, job_base_ = 0, job_size_ = 0, control_ = 0;
  Tables tables_;
  bool ready_ = false;
  tlm_if::RingProducer<wl_host_event> event_ring_;
  tlm_if::RingConsumer<wl_host_job> job_ring_;
  tlm_if::RecorderIf* recorder_;
  tlm_if::RecorderIf::Signal wave_events_{};
};

}  // namespace wordline::host
