// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/workload_statistics.h"

#include <algorithm>

namespace wordline::workload {

void WorkloadStatistics::take(const Request& request) {
  trims_ += request.op == Op::kTrim ? 1 : 0;
  flushes_ += request.op == Op::kFlush ? 1 : 0;
  if ((request.op != Op::kRead && request.op != Op::kWrite) || request.blocks == 0) return;
  devices_.set(request.device);
  const std::uint64_t device = options_.one_device ? 0 : std::uint64_t{request.device} << kDeviceShift;
  const Access access{request.op == Op::kWrite, device + request.lba.value(), request.blocks, request.arrival};
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

WorkloadStatistics statistics_of(Source& source, std::uint64_t most, bool one_device) {
  WorkloadStatistics statistics({source.open_loop(), one_device});
  if (most == 0 && !source.open_loop() && source.total_requests() == 0) {
    throw WorkloadError({source.describe() + ": error: says not how many requests it has; give their number"});
  }
  std::uint64_t taken = 0;
  std::vector<bool> ended(source.jobs(), false);
  Request request;
  while (std::find(ended.begin(), ended.end(), false) != ended.end()) {
    for (unsigned job = 0; job < source.jobs(); ++job) {
      for (unsigned place = 0; place < std::max(1U, source.depth(job)) && !ended[job]; ++place) {
        if (most != 0 && taken == most) return statistics;
        if (source.next(job, Picoseconds(0), request)) {
          statistics.take(request);
          ++taken;
        } else {
          ended[job] = true;
        }
      }
    }
  }
  return statistics;
}

}  // namespace wordline::workload
