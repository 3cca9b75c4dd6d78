// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/config/config.h"
#include "tlm/protocol/calendar.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::engines {

/// One engine as a reservation: an operation begins when its input is there, `interval` after another one began, and
/// one of `depth` places is free; it ends `latency` later, or later still by what it waits for outside (memory).
///
/// Accuracy: operations are served in the order in which their input is there, found at the time of the call; a place
/// is given to calls in their order. Source: our design.
///
/// Waves: "ssd.engines" has a bit for each engine, 1 while it can take no other operation because of its interval.
class Pipeline {
 public:
  explicit Pipeline(const config::Engine& config, bool in_gates = false)
      : config_(config), in_gates_(in_gates), free_(config.depth) {}

  /// `recorder` may be null: no waves.
  void record(tlm_if::RecorderIf* recorder, std::string_view name) {
    if (recorder == nullptr || !config_.on) return;
    recorder_ = recorder;
    signal_ = recorder->add_bit("ssd.engines", name);
  }

  /// Begins an operation whose input is there at `earliest`; `now` is the present. end() must follow.
  Picoseconds begin(Picoseconds now, Picoseconds earliest) { return begin(now, earliest, config_.interval); }
  /// Of an operation with an interval of its own.
  Picoseconds begin(Picoseconds now, Picoseconds earliest, Picoseconds interval) {
    place_ = static_cast<std::size_t>(std::min_element(free_.begin(), free_.end()) - free_.begin());
    if (!free_.empty()) earliest = std::max(earliest, free_[place_]);
    const tlm_if::Calendar::Slot slot = calendar_.reserve(now, earliest, interval);
    begun_ = slot.from;
    if (tlm_if::listens(recorder_)) {
      recorder_->set(signal_, begun_, 1);
      if (!slot.joins_next) recorder_->set(signal_, begun_ + interval, 0);
    }
    ++operations_;
    busy_ += interval;
    return begun_;
  }
  /// The operation begun last ends `latency` after it began, or after `outside`. Returns when.
  Picoseconds end(Picoseconds outside) { return end(outside, config_.latency); }
  /// Of an operation with a latency of its own.
  Picoseconds end(Picoseconds outside, Picoseconds latency) {
    const Picoseconds end = std::max(begun_, outside) + latency;
    if (!free_.empty()) free_[place_] = end;
    return end;
  }
  Picoseconds run(Picoseconds now, Picoseconds earliest) { return end(begin(now, earliest)); }

  [[nodiscard]] bool on() const { return config_.on; }
  [[nodiscard]] Picoseconds latency() const { return config_.latency; }
  [[nodiscard]] Picoseconds interval() const { return config_.interval; }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  [[nodiscard]] bool in_gates() const { return in_gates_; }
  /// Clocks of its gates.
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }
  void add_clocks(std::uint64_t clocks) { clocks_ += clocks; }
  /// Time in which it could take no other operation because of its interval.
  [[nodiscard]] Picoseconds busy() const { return busy_; }

 private:
  config::Engine config_;
  bool in_gates_;
  std::vector<Picoseconds> free_;  // when each place is free again; empty: there are always some
  tlm_if::Calendar calendar_;
  std::size_t place_ = 0;
  Picoseconds begun_{};
  std::uint64_t operations_ = 0, clocks_ = 0;
  Picoseconds busy_{};
  tlm_if::RecorderIf* recorder_ = nullptr;
  tlm_if::RecorderIf::Signal signal_ = 0;
};

}  // namespace wordline::engines
