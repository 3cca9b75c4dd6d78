// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "models/units/growing_ring.h"
#include "models/units/quantity.h"
#include "models/workload/source.h"

namespace wordline::host {

/// When the workload's requests are due. Closed loop: depth(job) places for each job, a place is due again some time
/// after its request has completed; while a request waits for its arrival the workload pauses, and no place is served.
/// Places of a job that has no request at present are parked: until its time, or until something has completed.
/// Open loop: a request is due at its arrival, counted from the start. It does not act on a request.
class WorkloadFeed {
 public:
  static constexpr Picoseconds kNever{INT64_MAX};

  explicit WorkloadFeed(workload::Source& source)
      : source_(source), job_over_(source.jobs(), false), parked_(source.jobs(), 0), in_flight_(source.jobs(), 0) {}

  /// The workload begins at `at`.
  void start(Picoseconds at);
  /// The workload is over: it gives no further request.
  void finish();
  /// The source has requests from outside again: jobs that wait are to be asked.
  void arrived() {
    from_outside_ = false;
    ask_all_parked();
  }
  /// Something went wrong: gives no further request, of the workload or of the verification.
  void stop() { stopped_ = true; }
  /// The next request that is due at `now` or before. False: none. `submitted`: from when its latency counts.
  bool take(Picoseconds now, workload::Request& request, Picoseconds& submitted);
  /// `request`, which was submitted at `submitted`, has completed at `at`; its place is due at `due`.
  void completed(const workload::Request& request, Picoseconds submitted, Picoseconds at, Picoseconds due);

  /// When the next request is due, perhaps behind the present; kNever.
  [[nodiscard]] Picoseconds next() const;
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Requests come at their arrival, of no job in particular.
  [[nodiscard]] bool by_arrival() const { return source_.open_loop(); }
  /// Stopped, or all jobs have given their last request.
  [[nodiscard]] bool over() const;
  /// No request is waiting for its time.
  [[nodiscard]] bool nothing_due() const {
    return due_.empty() && again_.empty() && timers_.empty() && !ahead_ && !from_outside_;
  }
  [[nodiscard]] Picoseconds started() const { return start_; }

 private:
  struct Due {
    Picoseconds at{};
    unsigned job = 0;
  };
  void look_ahead(Picoseconds now);
  void take_place(Picoseconds now);
  [[nodiscard]] bool next_place(Picoseconds now, unsigned& job);
  void ask(unsigned job, Picoseconds now);
  void ask_parked(unsigned job);
  void ask_all_parked();

  workload::Source& source_;
  Picoseconds start_{};
  GrowingRing<Due> due_;  // places of jobs, in order of time
  std::vector<bool> job_over_;
  std::vector<unsigned> parked_;                        // places, by job
  std::vector<std::uint32_t> in_flight_;                // requests, by job
  GrowingRing<unsigned> again_;                         // jobs whose parked places may have a request now
  std::set<std::pair<std::int64_t, unsigned>> timers_;  // when parked jobs are to be asked
  bool ahead_ = false;                                  // `next_` has been pulled
  workload::Request next_;
  bool stopped_ = false;
  bool from_outside_ = false;  // jobs wait for requests from outside
};

}  // namespace wordline::host
