// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wordline::platform {

struct ProfileOptions {
  std::vector<std::string> profiles;  // TOML files; `fit` takes one
  double footprint = 1.0;             // scale of the pages and of the requests
  std::uint64_t seed = 1;
  bool markdown = false;  // targets: the table of docs/workloads.md
  bool write = false;     // fit: into the file, instead of to standard output
};

/// `wordline workload targets`: what was published of a workload beside what its profile makes of it. Returns the exit
/// code: 1 when a target that is not assumed is missed.
int workload_targets(const ProfileOptions& options);

/// `wordline workload fit`: varies the parameters that the profile's [fit] names until their statistics are met. Returns
/// the exit code.
int workload_fit(const ProfileOptions& options);

}  // namespace wordline::platform
