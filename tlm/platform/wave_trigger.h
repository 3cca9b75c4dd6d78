// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/config/latency_trigger.h"
#include "models/results/request_observer.h"
#include "tlm/memory/journaled_table.h"
#include "tlm/observe/fst_recorder.h"

namespace wordline::platform {

/// Keeps the waveform of a window around each slow request (observe.trigger), and records nothing else.
///
/// Which window is wanted is known when it is over. So the run leaves copies of its process behind, from time to time
/// and at rest (fork), and when a request was slow, the copy from before its window simulates on from there and records
/// the window. The simulation is deterministic: the copy meets the same events. At the end the windows are joined into
/// the recorder's file. A run that fails or is interrupted keeps its last window in the same way.
///
/// Accuracy: the windows hold what a recording of the whole run holds there, except that a signal that has not been
/// set since the copy was made is unknown. A copy is older than the window by the longest operation of a die, or as
/// old as the run. Known gaps: needs a process with one thread.
class WaveTrigger final : public results::RequestObserver {
 public:
  /// A window that is recorded, or was.
  struct Window {
    Picoseconds from, to;              // the last instant is part of it
    Picoseconds submitted, completed;  // of the request; of a run's end both the end
  };

  /// `recorder` does not listen, and no module of the drive has been made yet.
  WaveTrigger(const config::Config& config, observe::FstRecorder& recorder);
  ~WaveTrigger() override;
  WaveTrigger(const WaveTrigger&) = delete;
  WaveTrigger& operator=(const WaveTrigger&) = delete;

  [[nodiscard]] wl_journal* journal() { return map_.journal(); }
  /// `leave_out`: called in a copy that goes on; what only checks the run need not be done twice.
  void in_copies(std::function<void()> leave_out) { leave_out_ = std::move(leave_out); }
  void finished(const results::FinishedRequest& request) override;
  /// The simulation pauses: before it begins, and every now and then. `completed`: requests. In a copy that has
  /// recorded its window this call ends the process. Throws std::runtime_error when no copy can be made.
  void paused(std::uint64_t completed);
  /// The simulation is over; in a copy this call ends the process. `failed`: the last window is kept. Throws
  /// std::runtime_error when a window could not be recorded.
  void ended(bool failed);

  [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }
  /// What became of the slow requests, in a sentence.
  [[nodiscard]] std::string notice() const;

 private:
  struct Copy {
    pid_t process;
    int orders;  // written by the run
    int taken;   // read by the run: numbers of windows, after which it may go on
    Picoseconds at;
    std::uint64_t position;  // of the map's journal
  };
  struct Order {
    std::uint32_t number;  // of the window
    std::int64_t from, to;
  };
  struct Answer {
    std::uint32_t number;
    std::uint32_t recorded;
  };

  static void let_go(const Copy& copy);
  void order(Window window);
  void leave_copy(std::uint64_t completed);
  void wait_for_orders(int orders, int taken);
  void record(const Order& order);
  [[noreturn]] void end_copy();
  [[nodiscard]] std::string part(std::uint32_t number) const;
  std::uint32_t collect_answers();

  const config::Observe& observe_;
  const config::LatencyTrigger trigger_;
  observe::FstRecorder& recorder_;
  const std::string path_;  // of the recorder's file
  const Picoseconds lead_;  // longest operation of a die
  std::function<void()> leave_out_ = [] {};
  tlm_if::RecorderIf::Signal recorded_, request_;
  memory::JournaledTable map_;
  std::uint64_t position_ = 0;  // of a copy, in the map's journal
  std::deque<Copy> copies_;     // the older one first
  std::vector<pid_t> processes_;
  std::uint64_t copied_at_ = 0;  // requests completed when the youngest was made
  int answers_[2] = {-1, -1};    // a pipe: read, write
  std::vector<Window> wanted_;   // since the last pause
  std::vector<Window> windows_;
  std::uint64_t fired_ = 0, kept_ = 0;
  bool is_copy_ = false;
  Order own_{};  // of a copy
};

}  // namespace wordline::platform
