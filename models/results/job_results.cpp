// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/job_results.h"

#include <algorithm>

namespace wordline::results {

double JobResults::Job::per_second(std::uint64_t amount) const {
  const Picoseconds time = end - begin;
  return time <= Picoseconds(0) ? 0.0 : static_cast<double>(amount) / (static_cast<double>(time.count()) * 1e-12);
}

void JobResults::add(const FinishedRequest& request, Picoseconds measured_from) {
  if (request.job >= jobs_.size()) jobs_.resize(request.job + 1U);
  std::unique_ptr<Job>& job = jobs_[request.job];
  if (job == nullptr) job = std::make_unique<Job>();
  ++job->requests;
  job->bytes += request.bytes;
  job->begin = std::min(job->begin, std::max(request.submitted, measured_from));
  job->last_submission = std::max(job->last_submission, request.submitted);
  job->end = std::max(job->end, request.completed);
  job->latency.add(request.latency());
}

JobResults::Load JobResults::load(std::size_t i) const {
  const Job* const of = job(i);
  if (of == nullptr || of->end <= of->begin) return {};
  return {static_cast<double>(of->requests),
          static_cast<double>(of->latency.sum()) / static_cast<double>((of->end - of->begin).count())};
}

JobResults::Stretch JobResults::all_active() const {
  Stretch stretch{Picoseconds(0), Picoseconds(INT64_MAX)};
  bool any = false;
  for (const std::unique_ptr<Job>& job : jobs_) {
    if (job == nullptr) continue;
    any = true;
    stretch.from = std::max(stretch.from, job->begin);
    stretch.to = std::min(stretch.to, job->last_submission);
  }
  return any ? stretch : Stretch{};
}

void JobResults::register_statistics(Registry& registry, const std::vector<std::string>& names) const {
  const auto add = [&](const char* path, const char* unit, const char* text, auto value) {
    using T = decltype(value(Job()));
    registry.add(path, unit, text, [this, value, count = names.size()]() -> Value {
      static const Job kNothing;
      std::vector<T> list;
      for (std::size_t i = 0; i < count; ++i) list.push_back(value(job(i) == nullptr ? kNothing : *job(i)));
      return list;
    });
  };
  registry.add("jobs[].name", "name", "The job's name in the job file, with the clone's number; the file of a trace.",
               [names] { return names; });
  add("jobs[].requests", "requests", "Requests completed in the measurement.",
      [](const Job& job) { return job.requests; });
  add("jobs[].bytes", "bytes", "Bytes that these requests asked for.", [](const Job& job) { return job.bytes; });
  add("jobs[].begin_ps", "ps", "The job's first submission, or the begin of the measurement when that is later.",
      [](const Job& job) { return job.requests == 0 ? Picoseconds(0) : job.begin; });
  add("jobs[].end_ps", "ps", "Its last completion.", [](const Job& job) { return job.end; });
  add("jobs[].iops", "requests/s", "Its requests over its own time, from begin_ps to end_ps.",
      [](const Job& job) { return job.per_second(job.requests); });
  add("jobs[].bytes_per_s", "bytes/s", "Its bytes over the same time.",
      [](const Job& job) { return job.per_second(job.bytes); });
  add("jobs[].lat_ps.mean", "ps", "Mean latency of its requests, all operations together.",
      [](const Job& job) { return job.latency.mean(); });
  add("jobs[].lat_ps.p50", "ps", "Latency that 50 % of them do not exceed.",
      [](const Job& job) { return job.latency.percentile(50); });
  add("jobs[].lat_ps.p99", "ps", "Latency that 99 % of them do not exceed.",
      [](const Job& job) { return job.latency.percentile(99); });
  add("jobs[].lat_ps.p99_9", "ps", "Latency that 99.9 % of them do not exceed.",
      [](const Job& job) { return job.latency.percentile(99.9); });
  add("jobs[].lat_ps.max", "ps", "Greatest latency.", [](const Job& job) { return job.latency.max(); });
}

}  // namespace wordline::results
