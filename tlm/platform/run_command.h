// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/workload/source.h"

namespace wordline::platform {

/// Files about the requests of a run, beside result.json; empty: none.
struct RequestFiles {
  std::string fio_json;   // results as fio writes them
  bool fio_bins = false;  // fio's json+: with the buckets of all latencies
  std::string log;        // every request
};

struct RunOptions {
  std::vector<std::string> command;  // command as typed, the program first; for result.json
  std::string config;
  std::vector<std::string> sets;
  std::string workload;
  double speedup = 1.0;
  std::uint32_t deeper = 1;    // requests in flight, times
  std::uint64_t requests = 0;  // profiles: 0 is their own number
  double footprint = 1.0;      // profiles
  workload::TraceOptions trace;
  workload::BeyondEnd beyond_end = workload::BeyondEnd::kWrap;
  std::vector<std::string> record;         // windows, "1ms..2ms": their waveform, and nothing else
  std::string out;                         // empty: no files
  std::string firmware;                    // ELF for cpu.model = iss; empty: the one built with the program
  RequestFiles requests_in;                // files about requests
  std::string states;                      // folder where states that are made are kept for other runs; empty: none
  std::string snapshot;                    // file for the state of the drive at the end; empty: none
  std::string cut_power;                   // simulated time at which power fails; empty: it does not
  std::string image;                       // file for what that leaves on flash; empty: none
  std::vector<std::string> record_blocks;  // "SLOT=FILE": what goes into a block, for benches
  std::string writes;                      // file for when programs and erases of dies begin and end; empty: none
  bool what_if = false;                    // and then with each resource improved
  bool quiet = false;
  bool verify_all = false;
  bool shut_down = false;  // the run ends with a normal shutdown of the drive
  int gdb_port = -1;       // cpu.model = iss: wait for gdb here; 0: any free port; -1: no gdb
  bool profile = false;    // cpu.model = iss: to profile.txt, profile.folded and profile_utilisation.csv
};

/// Arguments of `wordline run --quiet` for the same run, with what it leaves in `out`: the options that say what runs.
[[nodiscard]] std::vector<std::string> repeat_arguments(const RunOptions& options, const std::filesystem::path& out);

/// `wordline run`. Returns the exit code: 1 when a read was wrong or the model reported an error.
int run_command(const RunOptions& given);

}  // namespace wordline::platform
