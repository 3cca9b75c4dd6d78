// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "models/results/histogram.h"
#include "models/units/quantity.h"

namespace wordline::serve {

/// How simulated time and the time of the clients belong together: not at all (free), so that a second of simulated
/// time takes `factor` seconds of theirs (wall: 1), or as one clock, which the client's machine has (lockstep).
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// "free", "wall", "dilated:N", N from 1 to 1000000, or "lockstep". Nothing: it is none of these.
  [[nodiscard]] static std::optional<Pace> parse(const std::string& text);

  [[nodiscard]] bool is_free() const { return factor_ == 0 && !lockstep_; }
  [[nodiscard]] bool is_lockstep() const { return lockstep_; }
  [[nodiscard]] std::uint32_t factor() const { return factor_; }
  /// Now it is `wall` there and `simulated` here.
  void begin(Clock::time_point wall, Picoseconds simulated) {
    wall_ = wall;
    simulated_ = simulated;
  }
  /// Only with a factor.
  [[nodiscard]] Picoseconds simulated_at(Clock::time_point wall) const;
  [[nodiscard]] Clock::time_point wall_at(Picoseconds simulated) const;

  /// An answer that the drive has given at `simulated` leaves at `wall`: never early, but late when the simulator is
  /// slower than the drive.
  void left(Picoseconds simulated, Clock::time_point wall);
  /// How late answers have left, in the clients' time.
  [[nodiscard]] const results::Histogram& lateness() const { return lateness_; }

  /// What a client's numbers mean, in sentences.
  [[nodiscard]] std::string meaning() const;
  /// ... and how late answers were; empty: free, lockstep.
  [[nodiscard]] std::string lateness_text() const;

 private:
  std::uint32_t factor_ = 0;  // 0: free, or lockstep
  bool lockstep_ = false;
  Clock::time_point wall_{};
  Picoseconds simulated_{};
  results::Histogram lateness_;
};

}  // namespace wordline::serve
