// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/workload/source.h"

namespace wordline::platform {

struct WorkloadCheckOptions {
  std::vector<std::string> workloads;
  std::uint64_t capacity_bytes = std::uint64_t{1} << 40U;  // capacity bytes of the drive
  std::uint64_t seed = 1;
  workload::TraceOptions trace;
  workload::BeyondEnd beyond_end = workload::BeyondEnd::kWrap;
};

/// `wordline workload check`: what each workload will do, or why it is refused. Returns the exit code: 1 when one is.
int workload_check(const WorkloadCheckOptions& options);

struct WorkloadStatsOptions {
  std::string workload;
  std::uint64_t requests = 0;        // the first of them; 0: all
  std::uint64_t capacity_bytes = 0;  // capacity bytes of the drive; 0: larger than any address
  std::uint64_t seed = 1;
  workload::TraceOptions trace;
  workload::BeyondEnd beyond_end = workload::BeyondEnd::kWrap;
  bool one_device = false;
  std::string json;  // file for the same as JSON; empty: none
};

/// `wordline workload stats`: what a workload is like, without a drive that runs it. Returns the exit code.
int workload_stats(const WorkloadStatsOptions& options);

}  // namespace wordline::platform
