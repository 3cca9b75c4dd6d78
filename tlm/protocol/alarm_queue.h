// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/time_ordered.h"

namespace wordline::tlm_if {

class Alarm;

/// The instants at which the parts of a drive will act, each part with an Alarm. A drive with its host has one queue
/// (SimulationContext): one process and one kernel event serve all parts, so their order within an instant is
/// the order in which their alarms were set, in each program and on each machine. The queue carries no messages: what a
/// part does is its own matter.
///
/// A round of the kernel for each instant costs more than what most parts do in it. Where the kernel has nothing to do
/// before, the queue goes on to its next instants by itself, and now() is ahead of sc_time_stamp() meanwhile
/// (run_ahead_to()). Without that call the two are the same, and modules of others may be anywhere in the simulation.
/// A drive that needs nothing of the kernel can leave it for good (leave_kernel(), run_alone_to()).
class AlarmQueue final : public sc_core::sc_module {
 public:
  /// A part that acts later.
  class Client {
   public:
    virtual void alarm() = 0;

   protected:
    ~Client() = default;
  };

  /// Before the simulation starts.
  explicit AlarmQueue(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(AlarmQueue);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
  }

  /// Simulated time. A process of the kernel runs at the kernel's time, which the queue never passes without it.
  [[nodiscard]] Picoseconds now() const { return acting_ ? time_ : std::max(kernel_time(), time_); }

  /// From now on the queue need not wait for the kernel up to `limit`, which is included. It still stops before each
  /// event that is in the kernel's queue, and at one that notify() puts there. For a caller who knows that no part of
  /// the drive calls a module that waits, notifies, or reads the kernel's time; and who has the kernel run to `limit`.
  void run_ahead_to(Picoseconds limit) { limit_ = limit; }

  /// The kernel does not wake the queue any more: only run_alone_to() goes on. Between two calls of sc_start().
  void leave_kernel() {
    wake_.cancel();
    with_kernel_ = false;
  }
  /// After leave_kernel(): goes on up to `limit`, included, or until stop(), on whatever thread calls it; other queues
  /// may do so on other threads. No part of the drive may need a process of the kernel, which is notified of nothing.
  void run_alone_to(Picoseconds limit);
  /// From within an alarm: the queue acts up to the end of this instant, and returns to its caller.
  void stop() { horizon_ = std::min(horizon_, now()); }
  /// An instant at which a part acts lies ahead.
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  /// No part acts before; empty(): never.
  [[nodiscard]] Picoseconds next() const { return entries_.empty() ? Picoseconds(INT64_MAX) : entries_.first().at; }

  /// Notifies `event` for a process of the kernel, in the first delta cycle after this instant. Nothing, after
  /// leave_kernel().
  void notify(sc_core::sc_event& event) {
    if (!with_kernel_) return;
    event.notify(to_sc_time(now() - kernel_time()));
    horizon_ = std::min(horizon_, now());
  }

  /// Calls `client` when all parts have acted that act at this instant.
  void after_instant(Client& client);

  /// Alarms that have gone off.
  [[nodiscard]] std::uint64_t alarms() const { return alarms_; }

 private:
  friend class Alarm;
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    Alarm* alarm;
  };

  void set(Alarm& alarm, Picoseconds at);
  void cancel(Alarm& alarm);
  void run();
  void act_to_horizon();
  void go_off();
  void sleep();
  [[nodiscard]] Picoseconds horizon() const;
  void notify_at(Picoseconds at) {
    if (with_kernel_) wake_.notify(to_sc_time(at - kernel_time()));
  }
  void ring(const Entry& entry);

  // Entries whose alarm has another order by now are void.
  TimeOrdered<Entry> entries_;
  std::vector<Entry> due_;       // set for the instant that is running, in order: after those of entries_
  std::vector<Client*> behind_;  // called behind the instant
  std::uint64_t orders_ = 0;
  std::uint64_t alarms_ = 0;
  Picoseconds time_{};   // time that the queue has reached by itself
  bool acting_ = false;  // the parts act at that time
  bool with_kernel_ = true;
  Picoseconds limit_{};    // limit of running ahead
  Picoseconds horizon_{};  // horizon of this run
  sc_core::sc_event wake_{"wake"};
};

/// One instant that lies ahead, or none.
class Alarm {
 public:
  /// `queue` and `client` outlive the alarm, and the alarm the simulation.
  Alarm(AlarmQueue& queue, AlarmQueue::Client& client) : queue_(queue), client_(client) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// The client acts at `at`, which is not before the present, and at no other time that was set before.
  void set(Picoseconds at) { queue_.set(*this, at); }
  /// As set(), but an earlier time that was set before stays.
  void set_no_later_than(Picoseconds at) {
    if (!pending() || at < at_) set(at);
  }
  void cancel() {
    if (pending()) queue_.cancel(*this);
  }
  [[nodiscard]] bool pending() const { return order_ != 0; }
  /// When it is pending.
  [[nodiscard]] Picoseconds at() const { return at_; }
  [[nodiscard]] Picoseconds now() const { return queue_.now(); }

 private:
  friend class AlarmQueue;
  AlarmQueue& queue_;
  AlarmQueue::Client& client_;
  Picoseconds at_{};
  std::uint64_t order_ = 0;  // order of its entry; 0: none
};

inline void AlarmQueue::set(Alarm& alarm, Picoseconds at) {
  const bool was_next = !acting_ && !entries_.empty() && entries_.first().order == alarm.order_;
  alarm.at_ = at;
  alarm.order_ = ++orders_;
  if (acting_ && at <= time_) {
    due_.push_back({at, alarm.order_, &alarm});
    return;
  }
  entries_.put({at, alarm.order_, &alarm});
  if (acting_) return;
  if (was_next) {
    sleep();
  } else if (entries_.first().order == alarm.order_) {
    notify_at(at);  // takes the place of a later one
  }
}

inline void AlarmQueue::cancel(Alarm& alarm) {
  const bool was_next = !acting_ && entries_.first().order == alarm.order_;
  alarm.order_ = 0;
  if (was_next) sleep();
}

/// Until the first entry that is not void.
inline void AlarmQueue::sleep() {
  wake_.cancel();
  while (!entries_.empty() && entries_.first().order != entries_.first().alarm->order_) entries_.take();
  if (!entries_.empty()) notify_at(entries_.first().at);
  if (!behind_.empty()) notify_at(now());
}

inline Picoseconds AlarmQueue::horizon() const {
  const Picoseconds present = kernel_time();
  if (limit_ <= present) return present;
  const sc_core::sc_time foreign = sc_core::sc_time_to_pending_activity();  // unsigned, and vast when there is none
  if (foreign > to_sc_time(limit_ - present)) return limit_;
  return std::max(present, present + to_picoseconds(foreign) - Picoseconds(1));
}

inline void AlarmQueue::ring(const Entry& entry) {
  if (entry.order != entry.alarm->order_) return;
  entry.alarm->order_ = 0;
  ++alarms_;
  entry.alarm->client_.alarm();
}

/// Everything of this instant.
inline void AlarmQueue::go_off() {
  while (!entries_.empty() && entries_.first().at <= time_) ring(entries_.take());
  for (std::size_t i = 0; i != due_.size(); ++i) {
    const Entry entry = due_[i];  // the list grows
    ring(entry);
  }
  due_.clear();
  if (behind_.empty()) return;
  for (std::size_t i = 0; i != behind_.size(); ++i) behind_[i]->alarm();
  behind_.clear();
  if (!due_.empty() || (!entries_.empty() && entries_.first().at <= time_)) go_off();
}

inline void AlarmQueue::act_to_horizon() {
  go_off();
  while (!entries_.empty() && entries_.first().at <= horizon_) {
    time_ = entries_.first().at;
    go_off();
  }
  acting_ = false;
}

inline void AlarmQueue::run() {
  acting_ = true;
  time_ = kernel_time();
  horizon_ = horizon();
  act_to_horizon();
  sleep();
}

inline void AlarmQueue::run_alone_to(Picoseconds limit) {
  time_ = now();
  acting_ = true;
  horizon_ = limit;
  act_to_horizon();
  if (horizon_ == limit) time_ = limit;
}

inline void AlarmQueue::after_instant(Client& client) {
  behind_.push_back(&client);
  if (!acting_) notify_at(now());
}

}  // namespace wordline::tlm_if
