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

/// The instants at which the parts of a drive will act, each part with an Alarm. There is one queue in a simulation, as
/// there is one simulated time: one process and one kernel event serve all parts, so their order within an instant is
/// the order in which their alarms were set, in each program and on each machine. The queue carries no messages: what a
/// part does is its own matter.
///
/// A round of the kernel for each instant costs more than what most parts do in it. Where the kernel has nothing to do
/// before, the queue goes on to its next instants by itself, and now() is ahead of sc_time_stamp() meanwhile
/// (run_ahead_to()). Without that call the two are the same, and modules of others may be anywhere in the simulation.
class AlarmQueue final : public sc_core::sc_module {
 public:
  /// A part that acts later.
  class Client {
   public:
    virtual void alarm() = 0;

   protected:
    ~Client() = default;
  };

  /// Made at its first use, before the simulation starts; it stays until the program ends.
  static AlarmQueue& of_simulation() {
    static AlarmQueue& queue = *new AlarmQueue("alarms");
    return queue;
  }

  /// From now on the queue need not wait for the kernel up to `limit`, which is included. It still stops before each
  /// event that is in the kernel's queue, and at one that notify() puts there. For a caller who knows that no part of
  /// the drive calls a module that waits, notifies, or reads the kernel's time; and who has the kernel run to `limit`.
  void run_ahead_to(Picoseconds limit) { limit_ = limit; }

  /// Notifies `event` for a process of the kernel, in the first delta cycle after this instant.
  void notify(sc_core::sc_event& event) {
    const Picoseconds ahead = now() - kernel_time();
    event.notify(to_sc_time(ahead));
    horizon_ = std::min(horizon_, now());
  }

  /// Alarms that have gone off.
  [[nodiscard]] std::uint64_t alarms() const { return alarms_; }

 private:
  friend class Alarm;
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    Alarm* alarm;
  };

  explicit AlarmQueue(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(AlarmQueue);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
  }

  void set(Alarm& alarm, Picoseconds at);
  void cancel(Alarm& alarm);
  void run();
  void go_off();
  void sleep();
  [[nodiscard]] Picoseconds horizon() const;
  void notify_at(Picoseconds at) { wake_.notify(to_sc_time(at - kernel_time())); }
  void ring(const Entry& entry);

  // Entries whose alarm has another order by now are void.
  TimeOrdered<Entry> entries_;
  std::vector<Entry> due_;  // set for the instant that is running, in order: after those of entries_
  std::uint64_t orders_ = 0;
  std::uint64_t alarms_ = 0;
  Picoseconds limit_{};    // limit of running ahead
  Picoseconds horizon_{};  // horizon of this run
  sc_core::sc_event wake_{"wake"};
};

/// One instant that lies ahead, or none.
class Alarm {
 public:
  /// `client` outlives the alarm, and the alarm the simulation.
  explicit Alarm(AlarmQueue::Client& client) : client_(client) {}
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

 private:
  friend class AlarmQueue;
  AlarmQueue& queue_ = AlarmQueue::of_simulation();
  AlarmQueue::Client& client_;
  Picoseconds at_{};
  std::uint64_t order_ = 0;  // order of its entry; 0: none
};

inline void AlarmQueue::set(Alarm& alarm, Picoseconds at) {
  const bool was_next = !own_time_holds && !entries_.empty() && entries_.first().order == alarm.order_;
  alarm.at_ = at;
  alarm.order_ = ++orders_;
  if (own_time_holds && at <= own_time) {
    due_.push_back({at, alarm.order_, &alarm});
    return;
  }
  entries_.put({at, alarm.order_, &alarm});
  if (own_time_holds) return;
  if (was_next) {
    sleep();
  } else if (entries_.first().order == alarm.order_) {
    notify_at(at);  // takes the place of a later one
  }
}

inline void AlarmQueue::cancel(Alarm& alarm) {
  const bool was_next = !own_time_holds && entries_.first().order == alarm.order_;
  alarm.order_ = 0;
  if (was_next) sleep();
}

/// Until the first entry that is not void.
inline void AlarmQueue::sleep() {
  wake_.cancel();
  while (!entries_.empty() && entries_.first().order != entries_.first().alarm->order_) entries_.take();
  if (!entries_.empty()) notify_at(entries_.first().at);
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
  while (!entries_.empty() && entries_.first().at <= own_time) ring(entries_.take());
  for (std::size_t i = 0; i != due_.size(); ++i) {
    const Entry entry = due_[i];  // the list grows
    ring(entry);
  }
  due_.clear();
}

inline void AlarmQueue::run() {
  own_time_holds = true;
  own_time = kernel_time();
  horizon_ = horizon();
  go_off();
  while (!entries_.empty() && entries_.first().at <= horizon_) {
    own_time = entries_.first().at;
    go_off();
  }
  own_time_holds = false;
  sleep();
}

}  // namespace wordline::tlm_if
