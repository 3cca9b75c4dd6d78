// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/crash_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "tlm/platform/child_run.h"
#include "tlm/platform/crash_shrink.h"
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kWavesPs = 500'000'000;  // what is recorded of a run that has failed

/// Instants from which power is cut, up to `until_ps`, of programs and erases in a file of `run --array-writes`.
std::set<std::uint64_t> instants_of(const fs::path& file, std::uint64_t until_ps) {
  std::set<std::uint64_t> instants;
  std::ifstream in(file);
  for (std::uint64_t begin = 0, end = 0; in >> begin >> end;)
    for (const std::uint64_t at : {begin, end - 1, end})
      if (at != 0 && at <= until_ps) instants.insert(at);
  return instants;
}

}  // namespace

/// A file that goes with the last who needs it.
struct CrashCuts::Image {
  fs::path file;
  bool keep = false;
  Image(fs::path path, bool keeps) : file(std::move(path)), keep(keeps) {}
  ~Image() {
    std::error_code ignored;
    if (!keep) fs::remove(file, ignored);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
};

struct CrashCuts::Task {
  std::uint64_t number = 0;
  std::vector<std::uint64_t> path;  // instants of the cuts so far, in ps
  bool cuts = false;                // at the last of them; else it ends, and reads all
  std::shared_ptr<Image> from;      // null: the drive as it begins
  std::shared_ptr<Image> leaves;    // of one that cuts
};

CrashCuts::CrashCuts(const CrashTestOptions& options, fs::path folder)
    : options_(options), folder_(std::move(folder)) {}
CrashCuts::~CrashCuts() = default;

fs::path CrashCuts::files_of(const Task& task) const { return folder_ / std::to_string(task.number); }

std::vector<std::string> CrashCuts::arguments_of(const Task& task, const fs::path& out,
                                                 const std::vector<std::string>& more) const {
  std::vector<std::string> sets = options_.sets;
  const std::size_t mounts = task.path.size() - (task.cuts ? 1 : 0);
  sets.push_back(fmt::format("run.seed={}", options_.seed * 1000 + mounts));
  if (task.from != nullptr)
    sets.insert(sets.end(), {"precondition.flash=" + task.from->file.string(), "precondition.fill=none",
                             "precondition.overwrites=0", "precondition.file="});
  sets.insert(sets.end(), more.begin(), more.end());
  std::vector<std::string> arguments = run_arguments(options_.config, options_.workload, sets, out);
  if (task.cuts) {
    arguments.insert(arguments.end(),
                     {"--cut-power", fmt::format("{}ps", task.path.back()), "--image", task.leaves->file.string()});
    return arguments;
  }
  arguments.emplace_back("--verify-all");
  arguments.insert(arguments.end(), {"--array-writes", (out / "writes").string()});
  return arguments;
}

/// The last instant first, since the last task is the next one.
void CrashCuts::push_cuts(const Task& recorded, std::uint64_t until_ps) {
  const std::set<std::uint64_t> instants = instants_of(files_of(recorded) / "writes", until_ps);
  for (auto at = instants.rbegin(); at != instants.rend(); ++at) {
    auto task = std::make_shared<Task>(recorded);
    task->number = ++numbers_;
    task->path.push_back(*at);
    task->cuts = true;
    task->leaves = std::make_shared<Image>(folder_ / fmt::format("{}.flash", task->number), !options_.out.empty());
    tasks_.push_back(std::move(task));
  }
}

void CrashCuts::follow(const Task& task) {
  const std::size_t depth = task.path.size();
  if (task.cuts) {
    cuts_.resize(std::max(cuts_.size(), depth));
    ++cuts_[depth - 1];
    auto next = std::make_shared<Task>(task);
    next->number = ++numbers_;
    next->cuts = depth < options_.at.size();
    next->from = task.leaves;
    next->leaves = nullptr;
    if (next->cuts) {
      next->path.push_back(options_.at[depth]);
      next->leaves = std::make_shared<Image>(folder_ / fmt::format("{}.flash", next->number), !options_.out.empty());
    }
    tasks_.push_back(std::move(next));
  } else {
    std::uint64_t until_ps = UINT64_MAX;
    if (depth != 0) {
      const json result = json::parse(read_file(files_of(task) / "result.json"));
      until_ps = result.at("recovery").at("mount_time").get<std::uint64_t>();
      slowest_ = std::max(slowest_, static_cast<double>(until_ps) * 1e-12);
    }
    if (options_.every && depth <= options_.nested) push_cuts(task, until_ps);
  }
  std::error_code ignored;
  if (options_.out.empty()) fs::remove_all(files_of(task), ignored);
}

void CrashCuts::fails(const Task& task, int exit_code) const {
  const std::string text = read_file(folder_ / fmt::format("{}.log", task.number));
  std::cerr << fmt::format("wordline: {}: {}\n  again: {}\n",
                           task.path.empty() ? "the run without a cut"
                           : task.cuts       ? fmt::format("cut {}", task.path.size())
                                             : fmt::format("after cut {}", task.path.size()),
                           text.empty() ? fmt::format("the run ended with {}", exit_code) : text,
                           line_of_cuts(options_, options_.seed, task.path));
  if (!options_.out.empty()) leave_waves(task);
}

/// The run that failed, once more, with the waveform of what came before its cut, or of the mount.
void CrashCuts::leave_waves(const Task& task) const {
  const fs::path out = folder_ / "failure";
  fs::create_directories(out);
  const std::uint64_t to = task.cuts ? task.path.back() : kWavesPs;
  const std::vector<std::string> waves{"observe.waves=true",
                                       fmt::format("observe.waves_from={}ps", to > kWavesPs ? to - kWavesPs : 0),
                                       fmt::format("observe.waves_to={}ps", to)};
  (void)ChildRuns::run(arguments_of(task, out, waves), folder_ / "failure.log");
  if (fs::exists(out / "waves.fst")) std::cerr << fmt::format("  see it: wordline view {}\n", out.string());
}

int CrashCuts::run() {
  auto first = std::make_shared<Task>();
  if (!options_.at.empty()) {
    first->path = {options_.at.front()};
    first->cuts = true;
    first->leaves = std::make_shared<Image>(folder_ / "0.flash", !options_.out.empty());
  }
  tasks_.push_back(std::move(first));
  const unsigned processors = options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
  ChildRuns children;
  std::map<std::size_t, std::shared_ptr<Task>> running;
  int code = 0;
  while (children.running() != 0 || (!tasks_.empty() && code == 0 && StopSignal::received() == 0)) {
    while (children.running() < processors && !tasks_.empty() && code == 0 && StopSignal::received() == 0) {
      const std::shared_ptr<Task> task = tasks_.back();
      tasks_.pop_back();
      fs::create_directories(files_of(*task));
      children.start(task->number, arguments_of(*task, files_of(*task), {}),
                     folder_ / fmt::format("{}.log", task->number));
      running.emplace(task->number, task);
    }
    if (children.running() == 0) break;
    const ChildRuns::Ended ended = children.next();
    const std::shared_ptr<Task> task = running.at(ended.number);
    running.erase(ended.number);
    if (StopSignal::received() != 0 || code != 0) continue;
    if (ended.exit_code != 0) {
      fails(*task, ended.exit_code);
      code = 1;
      continue;
    }
    follow(*task);
    std::error_code ignored;
    if (options_.out.empty()) fs::remove(folder_ / fmt::format("{}.log", task->number), ignored);
  }
  if (StopSignal::received() != 0) return StopSignal::exit_code();
  std::string text;
  for (std::size_t depth = 0; depth != cuts_.size(); ++depth)
    text += depth == 0 ? fmt::format("{} cuts of the drive", cuts_[0])
                       : fmt::format(", {} of the mounts after {}", cuts_[depth], depth == 1 ? "them" : "those");
  std::cout << fmt::format("{}\n  last mounts took up to {:.3f} ms\n{}", text, slowest_ * 1e3,
                           code == 0 ? "  every promise was kept\n" : "");
  return code;
}

}  // namespace wordline::platform
