// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// R/B_n of one die: when it is low, and the one alarm of an array operation, its rise. What makes it fall is the
/// array's or the decoder's matter. The snoop of the wires gets every edge as soon as its time is fixed; a rise that
/// RESET or a suspend moves was not announced yet.
class ReadyBusyPin {
 public:
  /// `die`: index within the channel. `snoop` may be null. `client` acts at the rise.
  ReadyBusyPin(tlm_if::SimulationContext& context, unsigned die, BusSnoopIf* snoop, tlm_if::AlarmQueue::Client& client)
      : die_(die), snoop_(snoop), rise_(context.alarms(), client) {}

  /// Low before this time, the tWB before the fall included.
  [[nodiscard]] Picoseconds ready_at() const { return ready_at_; }
  [[nodiscard]] bool busy(Picoseconds at) const { return at < ready_at_; }
  /// An event is scheduled for the rising edge of R/B#, and has not occurred yet.
  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return rise_.now(); }
  [[nodiscard]] bool rise_pending() const { return rise_.pending(); }

  /// Low in [fall, rise): no event, the transaction carries the time.
  void pulse(Picoseconds fall, Picoseconds rise) {
    ready_at_ = rise;
    if (snoop_ == nullptr) return;
    snoop_->ready_busy(die_, false, fall);
    snoop_->ready_busy(die_, true, rise);
  }
  /// Low from `fall` until the event at `rise`, after which risen() is called.
  void hold(Picoseconds fall, Picoseconds rise) {
    move_rise(rise);
    announce_fall(fall);
    if (snoop_ != nullptr) snoop_->rise_expected(die_, rise);
  }
  /// The event comes at another time.
  void move_rise(Picoseconds rise) {
    ready_at_ = rise;
    rise_.set(rise);
  }
  void announce_fall(Picoseconds fall) {
    if (snoop_ != nullptr) snoop_->ready_busy(die_, false, fall);
  }
  void risen() {
    if (snoop_ != nullptr) snoop_->ready_busy(die_, true, rise_.now());
  }
  /// High from `at` on, without an event: RESET, power loss.
  void release(Picoseconds at) {
    rise_.cancel();
    ready_at_ = at;
  }

 private:
  const unsigned die_;
  BusSnoopIf* const snoop_;
  Picoseconds ready_at_{};
  tlm_if::Alarm rise_;
};

}  // namespace wordline::flash
