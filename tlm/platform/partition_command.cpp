// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/partition_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "models/checks/load.h"
#include "models/partition/partition.h"
#include "models/results/report.h"
#include "models/workload/source.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::vector<std::string> settings_of(const PartitionOptions& options, const engines::Placement& placement) {
  std::vector<std::string> sets = options.sets;
  const std::vector<std::string> own = placement.settings();
  sets.insert(sets.end(), own.begin(), own.end());
  return sets;
}

/// Placements differ, but the mean of those done is a fair guess of those left.
std::string progress_text(std::size_t done, std::size_t all, Clock::duration elapsed) {
  std::string text = fmt::format("{} of {} placements", done, all);
  const double seconds = std::chrono::duration<double>(elapsed).count() / static_cast<double>(done);
  const double left = seconds * static_cast<double>(all - done);
  if (all > done)
    text += left < 90 ? fmt::format(", {:.0f} s left", left) : fmt::format(", {:.0f} min left", left / 60);
  return text;
}

}  // namespace

int partition_command(const PartitionOptions& options) {
  const std::vector<engines::Placement> placements =
      options.placements.empty() ? engines::default_placements()
      : options.placements == "all"
          ? engines::all_placements()
          : engines::read_placements(options.placements,
                                     engines::placement_of(config::load(options.config, options.sets).config));
  // Every placement is checked before the first one runs.
  std::vector<config::Config> configs;
  for (const engines::Placement& placement : placements) {
    try {
      configs.push_back(config::load(options.config, settings_of(options, placement)).config);
    } catch (const config::ConfigError& error) {
      throw config::ConfigError(fmt::format("placement \"{}\":\n{}", placement.name, error.what()));
    }
  }
  if (!fs::exists(options.workload)) {
    throw workload::WorkloadError(
        {fmt::format("{}: error: no such file, expected a fio job file or a trace", options.workload)});
  }
  const RunFolder folder(options.out);
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  const auto run_folder = [&folder](std::size_t i) { return folder.path() / fmt::format("placement{}", i + 1); };
  const auto log_file = [&folder](std::size_t i) { return folder.path() / fmt::format("placement{}.log", i + 1); };

  const StopSignal signals;
  ChildRuns runs;
  std::vector<int> exit_codes(placements.size(), 0);
  std::size_t next = 0, done = 0;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto begin = Clock::now();
  bool failed = false;
  while (runs.running() != 0 || (next < placements.size() && !failed)) {
    while (runs.running() < jobs && next < placements.size() && !failed) {
      const std::vector<std::string> arguments =
          run_arguments(options.config, options.workload, settings_of(options, placements[next]), run_folder(next));
      runs.start(next, arguments, log_file(next));
      ++next;
    }
    const ChildRuns::Ended ended = runs.next();
    exit_codes[ended.number] = ended.exit_code;
    failed = failed || ended.exit_code != 0;
    // Not by std::cerr, which shows control characters (PlainOutput).
    if (terminal) fmt::print(stderr, "\r{:<44}", progress_text(++done, placements.size(), Clock::now() - begin));
  }
  if (terminal) fmt::print(stderr, "\n");
  if (StopSignal::received() != 0) {
    std::cerr << fmt::format("wordline: interrupted, {} of {} placements not run to their end\n",
                             std::count_if(exit_codes.begin(), exit_codes.end(), [](int code) { return code != 0; }) +
                                 static_cast<std::ptrdiff_t>(placements.size() - next),
                             placements.size());
    return StopSignal::exit_code();
  }
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (exit_codes[i] == 0) continue;
    std::cerr << "placement \"" << placements[i].name << "\" failed:\n" << read_file(log_file(i));
    return exit_codes[i];
  }

  std::vector<engines::PartitionRow> rows;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    rows.push_back(engines::partition_row(placements[i], configs[i], read_file(run_folder(i) / "result.json")));
  }
  engines::find_alike(rows);
  if (!options.json.empty()) {
    results::write_file(options.json,
                        engines::partition_json(rows, {{"version", WORDLINE_VERSION},
                                                       {"config", options.config},
                                                       {"workload", fs::path(options.workload).filename().string()}}));
  }
  std::cout << engines::partition_text(rows);
  return 0;
}

}  // namespace wordline::platform
