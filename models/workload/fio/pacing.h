// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/workload/fio/job.h"

namespace wordline::workload::fio {

/// When the next request of a direction is due under rate and rate_iops: request k after k / rate from the job's begin,
/// or at times of a Poisson process. A job that falls behind catches up.
class RateLimit {
 public:
  RateLimit(const Pacing& pacing, std::uint64_t seed, std::uint64_t number);

  [[nodiscard]] bool on() const { return on_; }
  void begin(Picoseconds at) { begin_ = at; }
  /// Moves what is due by a pause that the rate does not make up for.
  void pause(Picoseconds length) { begin_ += length; }
  [[nodiscard]] Picoseconds due(Op op) const;
  void issued(Op op, std::uint64_t bytes);

 private:
  struct Direction {
    std::uint64_t rate = 0;    // a second: bytes, or requests
    std::uint64_t amount = 0;  // issued
    Picoseconds arrival{};     // Poisson: of the next, from the begin
  };
  ByOp<Direction> directions_;
  Picoseconds begin_{};
  std::uint64_t seed_;
  bool on_ = false;
  bool by_bytes_ = false;
  bool poisson_ = false;
};

/// thinktime: after so many requests, or so much time, the job waits until none is in flight and then pauses.
class ThinkTime {
 public:
  explicit ThinkTime(const Pacing& pacing);

  [[nodiscard]] bool on() const { return pause_ > Picoseconds(0); }
  void begin(Picoseconds at) { last_ = at; }
  void issued() { count_ += by_issue_ ? 1 : 0; }
  void completed() { count_ += by_issue_ ? 0 : 1; }
  /// A pause is to come. What ends while the job waits for it counts for the next one, as in fio.
  [[nodiscard]] bool due(Picoseconds now);
  /// Nothing is in flight since `idle`: the end of the pause.
  [[nodiscard]] Picoseconds until(Picoseconds idle) const { return idle + pause_; }
  /// The pause is over.
  void done(Picoseconds now);
  [[nodiscard]] Picoseconds length() const { return pause_; }

 private:
  Picoseconds pause_;
  Picoseconds every_;
  std::uint64_t blocks_;
  bool by_issue_;
  std::uint64_t count_ = 0;
  std::uint64_t until_due_ = 0;  // count when the pause that is to come was due
  bool due_ = false;
  Picoseconds last_{};
};

/// rate_min and rate_iops_min: the job ends when a cycle brought less.
class MinimumRate {
 public:
  /// The minimum rates of the directions that the pattern uses.
  MinimumRate(const Pacing& pacing, const Pattern& pattern);

  void begin(Picoseconds at) { last_ = at; }
  /// False: at the end of a cycle a direction had less than its minimum.
  [[nodiscard]] bool completed(Op op, std::uint64_t bytes, Picoseconds at);

 private:
  ByOp<std::uint64_t> bytes_min_, iops_min_;
  ByOp<std::uint64_t> bytes_{}, requests_{};  // bytes since the last cycle
  Picoseconds cycle_;
  Picoseconds last_{};
  bool on_;
};

}  // namespace wordline::workload::fio
