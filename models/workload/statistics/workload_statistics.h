// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "models/workload/source.h"
#include "models/workload/statistics/arrival_statistics.h"
#include "models/workload/statistics/pages.h"
#include "models/workload/statistics/partial_pages.h"
#include "models/workload/statistics/request_sizes.h"
#include "models/workload/statistics/sequences.h"
#include "models/workload/statistics/statistic.h"

namespace wordline::workload {

/// What a workload is like, request by request in one pass: sizes, footprint, skew, reuse, sequences, arrivals. The
/// statistics are those that papers publish of their traces, so that a generated workload can be compared with them;
/// docs/workloads.md defines each. Memory grows with the footprint (about 100 bytes for each page of 4 KiB), not with
/// the number of requests.
///
/// Reads and writes only: deallocation and FLUSH are counted and otherwise left out.
class WorkloadStatistics {
 public:
  struct Options {
    bool arrivals = true;     // the times of requests are those of the workload, not of a drive that runs it
    bool one_device = false;  // several devices share one address space, as they do on a drive
  };
  WorkloadStatistics() = default;
  explicit WorkloadStatistics(Options options) : options_(options) {}

  /// Requests in their order; arrivals never go back. A request of no LBAs is left out.
  void take(const Request& request);

  /// Every statistic that the requests so far define. Takes time in the order of the footprint.
  [[nodiscard]] std::vector<Statistic> list() const;
  [[nodiscard]] std::vector<SizeShare> modes(Part part, std::size_t most) const { return sizes_.modes(part, most); }

 private:
  Options options_;
  std::bitset<UINT16_MAX + 1> devices_;
  std::uint64_t trims_ = 0, flushes_ = 0;
  RequestSizes sizes_;
  ArrivalStatistics arrivals_;
  Sequences sequences_;
  Pages pages_;
  PartialPages partial_pages_;
};

/// Statistics of the first `most` requests of a workload, 0: of all. Jobs that keep a queue depth take turns, each with
/// as many requests as it keeps in flight. Throws WorkloadError when a workload that does not end is to be read whole.
[[nodiscard]] WorkloadStatistics statistics_of(Source& source, std::uint64_t most, bool one_device);

}  // namespace wordline::workload
