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
#include <utility>

#include "models/checks/load.h"
#include "models/units/keyed_random.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/crash_cuts.h"
#include "tlm/platform/power_cut.h"
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// One drive, from erased flash on: a run that ends in a cut, the next one that begins with what it has left.
class Life {
 public:
  Life(const CrashTestOptions& options, std::uint64_t seed, std::uint64_t cuts, fs::path folder, std::uint64_t span_ps)
      : options_(options), seed_(seed), cuts_(cuts), folder_(std::move(folder)), span_ps_(span_ps) {
    fs::create_directories(folder_);
  }

  [[nodiscard]] std::vector<std::string> next_run() {
    std::vector<std::string> sets = options_.sets;
    sets.push_back(fmt::format("run.seed={}", seed_ * 1000 + runs_));
    if (runs_ != 0)
      sets.insert(sets.end(), {"precondition.flash=" + image(runs_ - 1), "precondition.fill=none",
                               "precondition.overwrites=0", "precondition.file="});
    std::vector<std::string> arguments =
        run_arguments(options_.config, options_.workload, sets, folder_ / std::to_string(runs_));
    if (is_last()) {
      arguments.emplace_back("--verify-all");
      return arguments;
    }
    arguments.insert(arguments.end(), {"--image", image(runs_)});
    if (!again_) choose();
    if (shuts_down_) arguments.emplace_back("--shutdown");
    if (at_ps_ != 0) arguments.insert(arguments.end(), {"--cut-power", fmt::format("{}ps", at_ps_)});
    return arguments;
  }
  [[nodiscard]] fs::path log() const { return folder_ / fmt::format("{}.log", runs_); }

  /// Empty: it did what it should.
  [[nodiscard]] std::string ended(int exit_code) {
    if (exit_code != 0) {
      const std::string text = read_file(log());
      return text.empty() ? fmt::format("the run ended with {}", exit_code) : text;
    }
    if (!is_last()) {
      if (shuts_down_ && at_ps_ == 0 && draw() % 2 == 0) {  // once more, and power fails in the shutdown
        const json result = json::parse(read_file(folder_ / std::to_string(runs_) / "result.json"));
        const auto end = result.at("simulated_ps").get<std::uint64_t>();
        at_ps_ = end - draw() % result.at("recovery").at("shutdown_time").get<std::uint64_t>();
        again_ = true;
        return {};
      }
      const json cut = json::parse(read_file(folder_ / std::to_string(runs_) / "power_cut.json"));
      interrupted += cut["interrupted_operations"].get<std::uint64_t>();
      torn += cut["torn_lpages"].get<std::uint64_t>();
      if (cut.contains("mounted_at")) {
        const bool clean = cut["clean_mount"].get<bool>();
        (clean ? clean_ps_ : mount_ps_) = static_cast<std::uint64_t>(cut["mounted_at"].get<double>() * 1e12);
        clean_mounts += clean ? 1 : 0;
        sealed_ = false;
      } else if (runs_ != 0) {
        ++cuts_in_mounts;
      }
      if (cut["shut_down"].get<bool>()) {
        sealed_ = true;
        ++shutdowns;
      }
      cuts_in_shutdowns += again_ ? 1 : 0;
      again_ = false;
      ++cuts_made;
    } else {
      const json result = json::parse(read_file(folder_ / std::to_string(runs_) / "result.json"));
      mount_ps_ = result.at("recovery").at("mount_time").get<std::uint64_t>();
      clean_mounts += result.at("recovery").value("clean_mounts", 0);
    }
    std::error_code ignored;
    if (options_.out.empty() && runs_ > 1) fs::remove(image(runs_ - 2), ignored);
    if (options_.out.empty()) fs::remove_all(folder_ / std::to_string(runs_), ignored);
    done_ = is_last();
    ++runs_;
    return {};
  }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  /// So many cuts of a life repeat it up to the run that is under way.
  [[nodiscard]] std::uint64_t cuts_to_here() const { return is_last() ? cuts_ : runs_ + 1; }
  [[nodiscard]] std::string what() const {
    return is_last() ? "after the last cut" : fmt::format("at {:.6f} ms", static_cast<double>(at_ps_) * 1e-9);
  }
  [[nodiscard]] std::uint64_t mount_ps() const { return mount_ps_; }

  std::uint64_t cuts_made = 0, cuts_in_mounts = 0, interrupted = 0, torn = 0;
  std::uint64_t shutdowns = 0, cuts_in_shutdowns = 0, clean_mounts = 0;

 private:
  /// When power fails. A cut in the mount is followed by another one, or by a run that is cut later.
  void choose() {
    const std::uint64_t mount = sealed_ ? (clean_ps_ != 0 ? clean_ps_ : mount_ps_ / 32) : mount_ps_;
    in_mount_ = runs_ != 0 && mount != 0 && nested_ < options_.nested && draw() % 2 == 0;
    nested_ = in_mount_ ? nested_ + 1 : 0;
    shuts_down_ = !in_mount_ && options_.clean != 0 && draw() % 100 < options_.clean;
    at_ps_ = shuts_down_ ? 0 : in_mount_ ? 1 + draw() % mount : 1 + mount + draw() % span_ps_;
  }
  [[nodiscard]] bool is_last() const { return runs_ == cuts_; }
  [[nodiscard]] std::string image(std::uint64_t run) const { return (folder_ / fmt::format("{}.flash", run)).string(); }
  std::uint64_t draw() { return keyed_hash(seed_, 0x6375745f74, ++draws_); }

  const CrashTestOptions& options_;
  const std::uint64_t seed_, cuts_;
  const fs::path folder_;
  const std::uint64_t span_ps_;
  std::uint64_t runs_ = 0, draws_ = 0, mount_ps_ = 0, at_ps_ = 0;
  std::uint32_t nested_ = 0;
  std::uint64_t clean_ps_ = 0;  // as mount_ps_, of one from a checkpoint
  bool in_mount_ = false, done_ = false;
  bool shuts_down_ = false;  // the run ends with a shutdown, if no cut comes before
  bool again_ = false;       // ... and is repeated, with a cut in it
  bool sealed_ = false;      // the last run has shut the drive down, and no mount has ended since
};

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
  return line;
}

}  // namespace

int crash_test_command(const CrashTestOptions& given) {
  const config::Loaded loaded = config::load(given.config, given.sets);
  check_can_be_cut(loaded.config);
  if (loaded.config.ftl.recovery != config::Recovery::kScan) {
    throw config::ConfigError(
        "crash-test: error: ftl.recovery = none keeps no promise; add --set ftl.recovery=scan --set "
        "ftl.power_safe=false");
  }
  if (given.clean != 0 && (given.every || !given.at.empty()))
    throw config::ConfigError("crash-test: error: --clean chooses among random cuts; leave out --every and --at");
  const StopSignal signals;
  const RunFolder folder(given.out);
  if (given.every || !given.at.empty()) return CrashCuts(given, folder.path()).run();
  const std::uint64_t span = std::max<std::uint64_t>(1, length_of(given, folder.path()));
  const unsigned processors = given.jobs != 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());

  ChildRuns children;
  std::map<std::size_t, Life> lives;
  std::uint64_t planned = 0, cuts = 0, in_mounts = 0, interrupted = 0, torn = 0, slowest = 0;
  std::uint64_t shutdowns = 0, in_shutdowns = 0, clean = 0;
  std::size_t begun = 0;
  int code = 0;
  while (children.running() != 0 || (planned < given.cuts && code == 0 && StopSignal::received() == 0)) {
    while (children.running() < processors && planned < given.cuts && code == 0 && StopSignal::received() == 0) {
      const std::uint64_t seed = given.seed + begun, share = std::min<std::uint64_t>(given.life, given.cuts - planned);
      Life& life =
          lives.try_emplace(begun, given, seed, share, folder.path() / fmt::format("seed{}", seed), span).first->second;
      planned += share;
      const std::vector<std::string> arguments = life.next_run();
      children.start(begun++, arguments, life.log());
    }
    if (children.running() == 0) break;
    const ChildRuns::Ended ended = children.next();
    if (StopSignal::received() != 0) continue;
    Life& life = lives.at(ended.number);
    const std::string problem = life.ended(ended.exit_code);
    if (!problem.empty()) {
      code = 1;
      std::cerr << fmt::format("wordline: cut {} of the drive with seed {}, {}: {}\n  again: {}\n", life.runs() + 1,
                               life.seed(), life.what(), problem, replay_line(given, life.seed(), life.cuts_to_here()));
    } else if (!life.done() && code == 0) {
      const std::vector<std::string> arguments = life.next_run();
      children.start(ended.number, arguments, life.log());
      continue;
    }
    cuts += life.cuts_made;
    in_mounts += life.cuts_in_mounts;
    interrupted += life.interrupted;
    torn += life.torn;
    shutdowns += life.shutdowns;
    in_shutdowns += life.cuts_in_shutdowns;
    clean += life.clean_mounts;
    slowest = std::max(slowest, life.mount_ps());
  }
  if (StopSignal::received() != 0) return StopSignal::exit_code();
  std::cout << fmt::format(
      "{} cuts of {} drives, {} of them in a mount: {} operations of dies half done, {} logical pages torn\n"
      "  last mounts took up to {:.3f} ms\n{}",
      cuts, lives.size(), in_mounts, interrupted, torn, static_cast<double>(slowest) * 1e-9,
      code == 0 ? "  every promise was kept\n" : "");
  if (given.clean != 0)
    std::cout << fmt::format("  {} shutdowns, {} cuts in one; {} mounts from a checkpoint\n", shutdowns, in_shutdowns,
                             clean);
  return code;
}

}  // namespace wordline::platform
