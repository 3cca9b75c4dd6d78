// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wordline::platform {

struct CrashTestOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string workload;
  std::uint64_t cuts = 100;
  std::uint32_t nested = 1;  // cuts of the mounts that follow a cut, at most
  std::uint64_t seed = 1;
  bool every = false;             // wherever a program or an erase of a die begins or ends, not at random
  std::vector<std::uint64_t> at;  // instants of one drive's cuts; empty: not chosen
  std::uint32_t clean = 0;        // percent of the runs that end with a shutdown; half of these are cut in it
  std::uint32_t life = 50;        // cuts of one drive, at most; then another begins
  unsigned jobs = 0;              // drives at a time; 0: as many as processors
  std::string out;                // folder that keeps the images and logs; empty: none
};

/// `wordline crash-test`: runs the workload, cuts power at a random instant, has the firmware mount what is left, goes
/// on, and cuts again, or shuts the drive down before; each life of a drive ends with a run that reads all of it. Every
/// run is a process of its own and checks what was promised. With `every` or `at` the instants are chosen
/// (crash_cuts.h). Returns the exit code: 1 when a promise was broken or a drive did not come back.
int crash_test_command(const CrashTestOptions& given);

}  // namespace wordline::platform
