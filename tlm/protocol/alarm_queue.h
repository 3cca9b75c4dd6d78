// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::tlm_if {

class Alarm;

/// The instants at which the parts of a block will act, each part with an Alarm. One process and one kernel event serve
/// all of them: the kernel's own queue has an entry for each event, and pays for all at every notification. Alarms of
/// one instant go off in the order in which they were set. It carries no messages: what a part does is its own matter.
class AlarmQueue final : public sc_core::sc_module {
 public:
  /// A part that acts later.
  class Client {
   public:
    virtual void alarm() = 0;

   protected:
    ~Client() = default;
  };

  explicit AlarmQueue(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(AlarmQueue);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
  }

 private:
  friend class Alarm;
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    Alarm* alarm;
    friend bool operator<(const Entry& a, const Entry& b) {  // the heap's top is the earliest
      return a.at != b.at ? b.at < a.at : b.order < a.order;
    }
  };

  void set(Alarm& alarm, Picoseconds at);
  void cancel(Alarm& alarm);
  void run();
  void sleep();
  Entry take() {
    std::pop_heap(entries_.begin(), entries_.end());
    const Entry entry = entries_.back();
    entries_.pop_back();
    return entry;
  }

  std::vector<Entry> entries_;  // a heap; those whose alarm has another order by now are void
  std::uint64_t orders_ = 0;
  bool running_ = false;
  sc_core::sc_event wake_{"wake"};
};

/// One instant that lies ahead, or none.
class Alarm {
 public:
  /// Both outlive the alarm, and the alarm the simulation.
  Alarm(AlarmQueue& queue, AlarmQueue::Client& client) : queue_(queue), client_(client) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// The client acts at `at`, which is not before the present, and at no other time that was set before.
  void set(Picoseconds at) { queue_.set(*this, at); }
  void cancel() {
    if (pending()) queue_.cancel(*this);
  }
  [[nodiscard]] bool pending() const { return order_ != 0; }
  /// When it is pending.
  [[nodiscard]] Picoseconds at() const { return at_; }

 private:
  friend class AlarmQueue;
  AlarmQueue& queue_;
  AlarmQueue::Client& client_;
  Picoseconds at_{};
  std::uint64_t order_ = 0;  // of its entry; 0: none
};

inline void AlarmQueue::set(Alarm& alarm, Picoseconds at) {
  const bool was_next = !entries_.empty() && entries_.front().order == alarm.order_;
  alarm.at_ = at;
  alarm.order_ = ++orders_;
  entries_.push_back({at, alarm.order_, &alarm});
  std::push_heap(entries_.begin(), entries_.end());
  if (running_) return;
  if (was_next) {
    sleep();
  } else if (entries_.front().order == alarm.order_) {
    wake_.notify(to_sc_time(at - now()));  // takes the place of a later one
  }
}

inline void AlarmQueue::cancel(Alarm& alarm) {
  const bool was_next = entries_.front().order == alarm.order_;
  alarm.order_ = 0;
  if (was_next && !running_) sleep();
}

/// Until the first entry that is not void.
inline void AlarmQueue::sleep() {
  wake_.cancel();
  while (!entries_.empty() && entries_.front().order != entries_.front().alarm->order_) take();
  if (!entries_.empty()) wake_.notify(to_sc_time(entries_.front().at - now()));
}

inline void AlarmQueue::run() {
  const Picoseconds present = now();
  running_ = true;
  while (!entries_.empty() && entries_.front().at <= present) {
    const Entry entry = take();
    if (entry.order != entry.alarm->order_) continue;
    entry.alarm->order_ = 0;
    entry.alarm->client_.alarm();
  }
  running_ = false;
  sleep();
}

}  // namespace wordline::tlm_if
