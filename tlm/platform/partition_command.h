// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::platform {

struct PartitionOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string workload;
  std::string placements;  // a file, "all", or empty: a sensible set
  std::string json;        // file for the table, empty: none
  std::string out;         // folder that keeps every run, empty: none
  unsigned jobs = 0;       // runs at a time, 0: as many as processors
};

/// Runs the workload once for each placement, each in a process of its own, since SystemC elaborates once per process.
/// The results do not depend on how many run at a time. Returns the exit code.
int partition_command(const PartitionOptions& options);

}  // namespace wordline::platform
