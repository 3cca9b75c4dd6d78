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

void WorkloadFeed::finish() {
  job_over_.assign(job_over_.size(), true);
  ahead_ = false;
}

void WorkloadFeed::look_ahead(Picoseconds now) {
  ahead_ = source_.next(0, now - start_, next_);
  if (!ahead_) job_over_[0] = true;
}

bool WorkloadFeed::take(Picoseconds now, workload::Request& request, Picoseconds& submitted) {
  if (!ahead_ && !source_.open_loop()) take_place(now);
  if (!ahead_ || stopped_ || start_ + next_.arrival > now) return false;
  request = next_;
  request.depth = ++in_flight_[request.job];
  submitted = source_.open_loop() ? start_ + next_.arrival : now;
  ahead_ = false;
  if (source_.open_loop()) look_ahead(now);
  return true;
}

/// Closed loop: the request of the first place that is due. It may arrive later, after a pause of the workload.
void WorkloadFeed::take_place(Picoseconds now) {
  unsigned job = 0;
  while (!ahead_ && next_place(now, job)) {
    if (!stopped_ && !job_over_[job]) ask(job, now);
  }
}

/// The job of a place that is due.
bool WorkloadFeed::next_place(Picoseconds now, unsigned& job) {
  if (!again_.empty()) {
    job = again_.front();
    again_.pop();
    return true;
  }
  const Picoseconds timer = timers_.empty() ? kNever : Picoseconds(timers_.begin()->first);
  if (!due_.empty() && due_.front().at <= std::min(now, timer)) {
    job = due_.front().job;
    due_.pop();
    return true;
  }
  while (!timers_.empty() && Picoseconds(timers_.begin()->first) <= now) {
    job = timers_.begin()->second;
    timers_.erase(timers_.begin());
    if (parked_[job] == 0) continue;
    --parked_[job];
    return true;
  }
  return false;
}

void WorkloadFeed::ask(unsigned job, Picoseconds now) {
  next_ = {};
  ahead_ = source_.next(job, now - start_, next_);
  if (ahead_) {
    ask_parked(job);
    return;
  }
  const Picoseconds resume = source_.resume(job);
  if (resume == workload::Source::kNever) {
    job_over_[job] = true;
    ask_all_parked();
    return;
  }
  ++parked_[job];
  if (resume == workload::Source::kFromOutside) {
    from_outside_ = true;
    return;
  }
  if (resume != workload::Source::kOnCompletion) timers_.insert({(start_ + resume).count(), job});
}

void WorkloadFeed::ask_parked(unsigned job) {
  if (parked_[job] == 0) return;
  --parked_[job];
  again_.push(job);
}

void WorkloadFeed::ask_all_parked() {
  for (unsigned job = 0; job < parked_.size(); ++job) ask_parked(job);
}

void WorkloadFeed::completed(const workload::Request& request, Picoseconds submitted, Picoseconds at, Picoseconds due) {
  --in_flight_[request.job];
  const bool others = source_.completed(request, submitted - start_, at - start_);
  if (!source_.open_loop() && !job_over_[request.job]) due_.push({due, request.job});
  if (others) ask_all_parked();
}

Picoseconds WorkloadFeed::next() const {
  if (ahead_ && !stopped_) return start_ + next_.arrival;
  if (stopped_ || (again_.empty() && due_.empty() && timers_.empty())) return due_.empty() ? kNever : due_.front().at;
  if (!again_.empty()) return start_;
  const Picoseconds timer = timers_.empty() ? kNever : Picoseconds(timers_.begin()->first);
  return due_.empty() ? timer : std::min(timer, due_.front().at);
}

bool WorkloadFeed::over() const {
  return stopped_ || std::all_of(job_over_.begin(), job_over_.end(), [](bool job) { return job; });
}

}  // namespace wordline::host
