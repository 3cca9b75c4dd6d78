// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tlm/device/nvme/nvme.h"
#include "tlm/protocol/alarm_queue.h"

namespace wordline::host::nvme {

/// Registers CC and CSTS: enabled, ready, failed, shutting down (Base 3.1.3.5, 3.1.3.6, 3.5, 3.6). What a change of CC
/// does to queues and commands is a matter of BarRegisters.
///
/// Accuracy: ready when the firmware is; a reset or an abrupt shutdown (CC.SHN = 10b) is over when no command is in
/// flight, a normal one (01b) when the firmware says so then. No time is added.
class ControllerStatus {
 public:
  explicit ControllerStatus(tlm_if::AlarmQueue& alarms) : alarms_(alarms) {}

  [[nodiscard]] std::uint32_t cc() const { return cc_; }
  [[nodiscard]] std::uint32_t csts() const { return csts_; }
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
  /// Ready, if the controller is enabled and has not failed.
  void firmware_is_ready() {
    if (enabled() && csts_ == 0) set(kCstsReady);
  }
  void begin_reset() { resetting_ = true; }
  /// A shutdown before CC.EN was set is over with it (3.6.1).
  void begin_enable() { set(csts_ & ~kCstsShutdownMask); }
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
  std::uint32_t cc_ = 0, csts_ = 0;
  bool resetting_ = false;
  bool waits_ = false;  // a shutdown, for the firmware
  sc_core::sc_event changed_;
};

}  // namespace wordline::host::nvme
