// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/workload_statistics.h"

#include <algorithm>

namespace wordline::workload {

void WorkloadStatistics::take(const Request& request) {
  trims_ += request.op == Op::kTrim ? 1 : 0;
  flushes_ += request.op == Op::kFlush ? 1 : 0;
  if ((request.op != Op::kRead && request.op != Op::kWrite) || request.nlb == 0) return;
  devices_.set(request.device);
  const std::uint64_t device = options_.one_device ? 0 : std::uint64_t{request.device} << kDeviceShift;
  const Access access{request.op == Op::kWrite, device + request.lba.value(), request.nlb, request.arrival};
  sizes_.take(access);
  if (options_.arrivals) arrivals_.take(access);
  sequences_.take(access);
  pages_.take(access);
  partial_pages_.take(access);
}

std::vector<Statistic> WorkloadStatistics::list() const {
  StatisticList list;
  sizes_.report(list);
  if (trims_ != 0) list.add("trims", static_cast<double>(trims_), "requests", "deallocations; in no other statistic");
  if (flushes_ != 0) list.add("flushes", static_cast<double>(flushes_), "requests", "in no other statistic");
  list.add("devices", static_cast<double>(devices_.count()), "", "devices, each with its own addresses");
  if (options_.arrivals) arrivals_.report(list);
  pages_.report(list, options_.arrivals);
  partial_pages_.report(list);
  sequences_.report(list);
  return list.take();
}

namespace {

/// A source's requests as a host would get them from a drive that takes no time.
class Walk {
 public:
  explicit Walk(Source& source) : source_(source), over_(source.jobs(), false) {}

  bool next(Request& request) {
    while (true) {
      for (; job_ < over_.size(); ++job_, place_ = 0) {
        const unsigned depth = std::max(1U, source_.depth(job_));
        while (!over_[job_] && place_++ < depth) {
          if (source_.next(job_, now_, request)) {
            if (!source_.open_loop()) source_.completed(request, now_, now_);
            moved_ = true;
            return true;
          }
          const Picoseconds resume = source_.resume(job_);
          over_[job_] = resume == Source::kNever;
          moved_ = moved_ || over_[job_];
          later_ = std::min(later_, resume);
          break;
        }
      }
      if (std::find(over_.begin(), over_.end(), false) == over_.end()) return false;
      if (!moved_) {
        if (later_ >= Source::kOnCompletion) return false;
        now_ = later_;
      }
      job_ = place_ = 0;
      moved_ = false;
      later_ = Source::kNever;
    }
  }

 private:
  Source& source_;
  std::vector<bool> over_;
  Picoseconds now_{};
  unsigned job_ = 0, place_ = 0;
  bool moved_ = false;  // moved in this round over all jobs
  Picoseconds later_ = Source::kNever;
};

}  // namespace

WorkloadStatistics statistics_of(Source& source, std::uint64_t most, bool one_device) {
  WorkloadStatistics statistics({source.open_loop(), one_device});
  if (most == 0 && !source.ends()) {
    throw WorkloadError({source.describe() +
                         ": error: ends by time alone, and a drive is what says how many requests that is; give their "
                         "number (--requests)"});
  }
  Walk walk(source);
  Request request;
  for (std::uint64_t taken = 0; (most == 0 || taken < most) && walk.next(request); ++taken) statistics.take(request);
  return statistics;
}

}  // namespace wordline::workload
