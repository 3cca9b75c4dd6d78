// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/crash_shrink.h"

#include <fmt/format.h>

#include "tlm/platform/child_run.h"
#include "tlm/platform/stop_signal.h"
#include "tlm/platform/terminal.h"

namespace wordline::platform {

namespace fs = std::filesystem;

namespace {

/// What breaks a promise says so; what fails otherwise, such as a cut behind the end of a run, does not.
bool breaks(const CrashTestOptions& options, std::uint64_t seed, const std::vector<std::uint64_t>& instants,
            const fs::path& log, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"wordline", "crash-test",         options.config, "--workload", options.workload,
                                     "--seed",   std::to_string(seed), "--jobs",       "1"};
  for (const std::uint64_t at : instants) arguments.insert(arguments.end(), {"--at", std::to_string(at)});
  for (const std::string& set : options.sets) arguments.insert(arguments.end(), {"--set", set});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return ChildRuns::run(arguments, log) == 1 && StopSignal::received() == 0;
}

}  // namespace

std::string line_of_cuts(const CrashTestOptions& options, std::uint64_t seed,
                         const std::vector<std::uint64_t>& instants) {
  std::string line = fmt::format("wordline crash-test {} -w {} --seed {}", options.config, options.workload, seed);
  for (const std::uint64_t at : instants) line += fmt::format(" --at {}", at);
  for (const std::string& set : options.sets) line += " --set " + set;
  return as_called(line);
}

std::vector<std::uint64_t> fewest_cuts(const CrashTestOptions& options, std::uint64_t seed,
                                       std::vector<std::uint64_t> instants, const fs::path& folder) {
  const fs::path log = folder / "shrink.log";
  if (!breaks(options, seed, instants, log)) return {};
  // Another drive after each: a cut that was needed before may be no more.
  for (std::size_t needed = 0, i = 0; needed != instants.size() && instants.size() > 1;) {
    i %= instants.size();
    std::vector<std::uint64_t> fewer = instants;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (breaks(options, seed, fewer, log)) {
      instants = std::move(fewer);
      needed = 0;
    } else {
      ++needed;
      ++i;
    }
  }
  return instants;
}

std::string repeat_cuts(const CrashTestOptions& options, std::uint64_t seed, const std::vector<std::uint64_t>& instants,
                        const fs::path& out) {
  const fs::path log = out.string() + ".log";
  (void)breaks(options, seed, instants, log, {"--out", out.string()});
  const std::string text = read_file(log);
  const std::size_t at = text.find("  see it: ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) + 1 - at);
}

}  // namespace wordline::platform
