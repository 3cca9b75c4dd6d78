// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/crash_test_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "models/checks/load.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/crash_cuts.h"
#include "tlm/platform/crash_life.h"
#include "tlm/platform/crash_shrink.h"
#include "tlm/platform/power_cut.h"
#include "tlm/platform/stop_signal.h"
#include "tlm/platform/terminal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// How long the workload runs on erased flash.
std::uint64_t length_of(const CrashTestOptions& options, const fs::path& folder) {
  const std::string out = (folder / "whole").string(), log = (folder / "whole.log").string();
  const int code = ChildRuns::run(run_arguments(options.config, options.workload, options.sets, out), log);
  if (code != 0) throw std::runtime_error(fmt::format("the run without a cut has failed: {}", read_file(log)));
  return json::parse(read_file(out + "/result.json"))["simulated_ps"].get<std::uint64_t>();
}

std::string replay_line(const CrashTestOptions& options, std::uint64_t seed, std::uint64_t cuts) {
  std::string line =
      fmt::format("wordline crash-test {} -w {} --cuts {} --life {} --nested {} --seed {}", options.config,
                  options.workload, cuts, std::max<std::uint64_t>(cuts, options.life), options.nested, seed);
  if (options.clean != 0) line += fmt::format(" --clean {}", options.clean);
  for (const std::string& set : options.sets) line += " --set " + set;
  return as_called(line);
}

void add(CrashLife::Counts& sum, const CrashLife::Counts& of) {
  sum.cuts += of.cuts;
  sum.in_mounts += of.in_mounts;
  sum.interrupted += of.interrupted;
  sum.torn += of.torn;
  sum.shutdowns += of.shutdowns;
  sum.in_shutdowns += of.in_shutdowns;
  sum.clean_mounts += of.clean_mounts;
}

/// Says which of its cuts suffice.
void shrink(const CrashTestOptions& options, const CrashLife& life, const fs::path& folder) {
  const std::vector<std::uint64_t> all = life.instants();
  if (all.empty()) return;
  const std::vector<std::uint64_t> few = fewest_cuts(options, life.seed(), all, folder);
  if (few.empty() || StopSignal::received() != 0) return;
  if (few.size() != all.size())
    std::cerr << fmt::format("  shorter, {} of {} cuts: {}\n", few.size(), all.size(),
                             line_of_cuts(options, life.seed(), few));
  if (!options.out.empty()) std::cerr << repeat_cuts(options, life.seed(), few, folder / "shortest");
}

}  // namespace

int crash_test_command(const CrashTestOptions& given) {
  const config::Loaded loaded = config::load(given.config, given.sets);
  check_can_be_cut(loaded.config);
  if (loaded.config.ftl.recovery != config::Recovery::kScan) {
    throw config::ConfigError(
        "crash-test: error: ftl.recovery = none keeps no promise; add --set ftl.recovery=scan --set "
        "ftl.power_safe=false, or --set power.hold_up=ENERGY in place of the second");
  }
  if (given.clean != 0 && (given.every || !given.at.empty()))
    throw config::ConfigError("crash-test: error: --clean chooses among random cuts; leave out --every and --at");
  if (given.clean != 0 && loaded.config.host.model != config::HostModel::kNvme)
    throw config::ConfigError(
        "crash-test: error: --clean needs host.model = nvme: the other interfaces know no shutdown; add --set "
        "host.model=nvme, or leave out --clean");
  const StopSignal signals;
  const RunFolder folder(given.out);
  if (given.every || !given.at.empty()) return CrashCuts(given, folder.path()).run();
  const std::uint64_t span = std::max<std::uint64_t>(1, length_of(given, folder.path()));
  const unsigned processors = given.jobs != 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());

  ChildRuns children;
  std::map<std::size_t, CrashLife> lives;
  std::uint64_t planned = 0, slowest = 0;
  CrashLife::Counts sum;
  std::size_t begun = 0;
  const CrashLife* failed = nullptr;
  while (children.running() != 0 || (planned < given.cuts && failed == nullptr && StopSignal::received() == 0)) {
    while (children.running() < processors && planned < given.cuts && failed == nullptr &&
           StopSignal::received() == 0) {
      const std::uint64_t seed = given.seed + begun, share = std::min<std::uint64_t>(given.life, given.cuts - planned);
      CrashLife& life =
          lives.try_emplace(begun, given, seed, share, folder.path() / fmt::format("seed{}", seed), span).first->second;
      planned += share;
      const std::vector<std::string> arguments = life.next_run();
      children.start(begun++, arguments, life.log());
    }
    if (children.running() == 0) break;
    const ChildRuns::Ended ended = children.next();
    if (StopSignal::received() != 0) continue;
    CrashLife& life = lives.at(ended.number);
    const std::string problem = life.ended(ended.exit_code);
    if (!problem.empty()) {
      if (failed == nullptr) failed = &life;
      std::cerr << fmt::format("wordline: cut {} of the drive with seed {}, {}: {}\n  again: {}\n", life.runs() + 1,
                               life.seed(), life.what(), problem, replay_line(given, life.seed(), life.cuts_to_here()));
    } else if (!life.done() && failed == nullptr) {
      const std::vector<std::string> arguments = life.next_run();
      children.start(ended.number, arguments, life.log());
      continue;
    }
    add(sum, life.counts());
    slowest = std::max(slowest, life.mount_ps());
  }
  if (StopSignal::received() != 0) return StopSignal::exit_code();
  if (failed != nullptr) shrink(given, *failed, folder.path());
  std::cout << fmt::format(
      "{} cuts of {} drives, {} of them in a mount: {} operations of dies half done, {} logical pages torn\n"
      "  last mounts took up to {:.3f} ms\n{}",
      sum.cuts, lives.size(), sum.in_mounts, sum.interrupted, sum.torn, static_cast<double>(slowest) * 1e-9,
      failed == nullptr ? "  every promise was kept\n" : "");
  if (given.clean != 0)
    std::cout << fmt::format("  {} shutdowns, {} cuts in one; {} mounts from a checkpoint\n", sum.shutdowns,
                             sum.in_shutdowns, sum.clean_mounts);
  return failed == nullptr ? 0 : 1;
}

}  // namespace wordline::platform
