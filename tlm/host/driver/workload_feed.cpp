// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/workload_feed.h"

#include <algorithm>

namespace wordline::host {

void WorkloadFeed::start(Picoseconds at) {
  start_ = at;
  if (source_.open_loop()) {
    look_ahead(at);
    return;
  }
  for (unsigned job = 0; job < source_.jobs(); ++job) {
    for (unsigned place = 0; place < source_.depth(job); ++place) due_.push({at, job});
  }
}

void WorkloadFeed::look_ahead(Picoseconds now) {
  ahead_ = source_.next(0, now - start_, next_);
  if (!ahead_) job_over_[0] = true;
}

bool WorkloadFeed::take(Picoseconds now, workload::Request& request, Picoseconds& submitted) {
  if (!ahead_ && !source_.open_loop()) take_place(now);
  if (!ahead_ || stopped_ || start_ + next_.arrival > now) return false;
  request = next_;
  submitted = source_.open_loop() ? start_ + next_.arrival : now;
  ahead_ = false;
  if (source_.open_loop()) look_ahead(now);
  return true;
}

/// Closed loop: the request of the first place that is due. It may arrive later, after a pause of the workload.
void WorkloadFeed::take_place(Picoseconds now) {
  while (!ahead_ && !due_.empty() && due_.front().at <= now) {
    const unsigned job = due_.front().job;
    due_.pop();
    if (stopped_ || job_over_[job]) continue;
    next_ = {};
    ahead_ = source_.next(job, now - start_, next_);
    if (!ahead_) job_over_[job] = true;
  }
}

void WorkloadFeed::place_free(unsigned job, Picoseconds at) {
  if (!source_.open_loop() && !job_over_[job]) due_.push({at, job});
}

Picoseconds WorkloadFeed::next() const {
  if (ahead_ && !stopped_) return start_ + next_.arrival;
  return due_.empty() ? kNever : due_.front().at;
}

bool WorkloadFeed::over() const {
  return stopped_ || std::all_of(job_over_.begin(), job_over_.end(), [](bool job) { return job; });
}

}  // namespace wordline::host
