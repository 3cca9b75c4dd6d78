// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/what_if.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "tlm/platform/child_run.h"
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> arguments_of(RunOptions options, const config::Improvement& improvement,
                                      const std::vector<std::string>& sets, const std::string& states,
                                      const fs::path& out) {
  options.sets.insert(options.sets.end(), sets.begin(), sets.end());
  if (improvement.faster_host) options.speedup *= 2;
  if (improvement.deeper) options.deeper *= 2;
  options.states = states;
  return repeat_arguments(options, out);
}

struct Candidate {
  const config::Improvement* improvement;
  config::Way way;
};

std::string settings_text(const Candidate& candidate) {
  if (candidate.improvement->deeper) return "--deeper 2";
  if (candidate.improvement->faster_host) return "--speedup 2";
  return fmt::format("{}", fmt::join(candidate.way.sets, " "));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

results::WhatIf what_if(const RunOptions& options, const std::string& result,
                        const std::vector<config::Improvement>& improvements, const std::string& states) {
  results::WhatIf found;
  const RunFolder folder("");
  std::vector<Candidate> candidates;
  for (const config::Improvement& improvement : improvements) {
    config::Way way = config::valid_way(improvement, options.config, options.sets);
    if (way.why_not.empty()) {
      candidates.push_back({&improvement, std::move(way)});
    } else {
      found.not_tried.push_back({improvement.change, std::move(way.why_not)});
    }
  }
  const auto out = [&](std::size_t i) { return folder.path() / std::to_string(i); };
  const auto log = [&](std::size_t i) { return folder.path() / fmt::format("{}.log", i); };

  const results::RunNumbers base = results::run_numbers(result);
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  const bool terminal = isatty(STDERR_FILENO) != 0 && !options.quiet;
  ChildRuns runs;
  std::map<std::size_t, int> exit_codes;
  std::size_t next = 0;
  while (runs.running() != 0 || (next < candidates.size() && StopSignal::received() == 0)) {
    while (runs.running() < processors && next < candidates.size() && StopSignal::received() == 0) {
      const Candidate& candidate = candidates[next];
      runs.start(next, arguments_of(options, *candidate.improvement, candidate.way.sets, states, out(next)), log(next));
      ++next;
    }
    if (runs.running() == 0) break;
    const ChildRuns::Ended ended = runs.next();
    exit_codes[ended.number] = ended.exit_code;
    // Not by the stream, which shows control characters.
    if (terminal) fmt::print(stderr, "\r{} of {} what-ifs", exit_codes.size(), candidates.size());
  }
  if (terminal) std::cerr << '\n';
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    const auto ended = exit_codes.find(i);
    if (ended == exit_codes.end() || ended->second != 0) {
      const std::string why = ended == exit_codes.end() || StopSignal::received() != 0
                                  ? "interrupted"
                                  : "its run fails: " + first_line(read_file(log(i)));
      found.not_tried.push_back({candidate.improvement->change, why});
      continue;
    }
    const results::RunNumbers numbers = results::run_numbers(read_file(out(i) / "result.json"));
    results::WhatIfRow row;
    row.resource = candidate.improvement->resource;
    row.change = candidate.improvement->change;
    row.settings = settings_text(candidate);
    row.note = candidate.way.note;
    row.iops = results::iops_gain(base, numbers);
    row.latency = results::latency_change(base, numbers);
    row.read_p99 = results::read_p99_change(base, numbers);
    found.rows.push_back(std::move(row));
  }
  results::sort_by_gain(found);
  return found;
}

}  // namespace wordline::platform
