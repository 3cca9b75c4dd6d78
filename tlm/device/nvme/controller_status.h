// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/config/config.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/protocol/alarm_queue.h"

namespace wordline::host::nvme {

/// Registers CC and CSTS: enabled, ready, failed, shutting down (Base 3.1.3.5, 3.1.3.6, 3.5, 3.6). What a change of CC
/// does to queues and commands is a matter of BarRegisters.
///
/// Accuracy: ready when the firmware is, and nvme.ready_time is over; a reset or an abrupt shutdown (CC.SHN = 10b) is
/// over when no command is in flight, a normal one (01b) when the firmware says so then. No time is added.
class ControllerStatus {
 public:
  ControllerStatus(tlm_if::AlarmQueue& alarms, const config::Nvme& config)
      : alarms_(alarms), ready_time_(config.ready_time), never_ready_(config.never_ready) {}

  [[nodiscard]] std::uint32_t cc() const { return cc_; }
  [[nodiscard]] std::uint32_t csts() const { return csts_ | (subsystem_was_reset_ ? kCstsSubsystemReset : 0); }
  [[nodiscard]] bool enabled() const { return (cc_ & kCcEnable) != 0; }
  [[nodiscard]] bool ready() const { return (csts_ & kCstsReady) != 0; }
  /// CC.EN is 0, commands are still in flight.
  [[nodiscard]] bool resetting() const { return resetting_; }
  /// Notified when CSTS changes: a driver waits for it instead of polling.
  [[nodiscard]] const sc_core::sc_event& changed() const { return changed_; }

  void set_cc(std::uint32_t value) { cc_ = value & 0x00fffff1U; }
  /// The entry sizes that the host has set, as powers of two.
  [[nodiscard]] std::uint32_t sq_entry_size() const { return cc_ >> kCcIosqesShift & 0xfU; }
  [[nodiscard]] std::uint32_t cq_entry_size() const { return cc_ >> kCcIocqesShift & 0xfU; }

  /// The host's queues cannot be reached, or what CC asks for is not there: nothing is fetched until a reset.
  void fail() { set(csts_ | kCstsFatal); }
  [[nodiscard]] bool failed() const { return (csts_ & kCstsFatal) != 0; }
  /// Ready, if the controller is enabled for long enough and has not failed.
  void firmware_is_ready() {
    if (enabled() && csts_ == 0 && may_be_ready_) set(kCstsReady);
  }
  /// From CC.EN to CSTS.RDY at least.
  [[nodiscard]] Picoseconds ready_time() const { return ready_time_; }
  /// It is over. What follows is firmware_is_ready(), when it is.
  void ready_time_over() { may_be_ready_ = !never_ready_; }
  void subsystem_reset() { subsystem_was_reset_ = true; }
  void clear_subsystem_reset() { subsystem_was_reset_ = false; }
  void begin_reset() { resetting_ = true; }
  /// A shutdown before CC.EN was set is over with it (3.6.1).
  void begin_enable() {
    set(csts_ & ~kCstsShutdownMask);
    may_be_ready_ = ready_time_ == Picoseconds(0) && !never_ready_;
  }
  /// CC.SHN was set: what I/O queues get from now on is not executed until a reset (3.6.1).
  [[nodiscard]] bool shutting_down() const { return (csts_ & kCstsShutdownMask) != 0; }
  /// `waits`: until the firmware has ended its part.
  void begin_shutdown(bool waits) {
    waits_ = waits;
    set((csts_ & ~kCstsShutdownMask) | kCstsShutdownBusy);
  }
  /// The firmware has ended its part of a normal one.
  void shutdown_ended() {
    waits_ = false;
    drained();
  }
  /// No command is in flight: a reset or a shutdown is over.
  void drained() {
    if (resetting_) {
      resetting_ = false;
      set(0);
    }
    if ((csts_ & kCstsShutdownMask) == kCstsShutdownBusy && !waits_) {
      set((csts_ & ~kCstsShutdownMask) | kCstsShutdownComplete);
    }
  }

 private:
  void set(std::uint32_t csts) {
    if (csts == csts_) return;
    csts_ = csts;
    alarms_.notify(changed_);
  }

  tlm_if::AlarmQueue& alarms_;
  const Picoseconds ready_time_;
  const bool never_ready_;
  bool may_be_ready_ = false;
  bool subsystem_was_reset_ = false;  // CSTS.NSSRO
  std::uint32_t cc_ = 0, csts_ = 0;
  bool resetting_ = false;
  bool waits_ = false;  // a shutdown, for the firmware
  sc_core::sc_event changed_;
};

}  // namespace wordline::host::nvme
