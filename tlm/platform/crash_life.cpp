// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/crash_life.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/units/keyed_random.h"
#include "tlm/platform/child_run.h"

namespace wordline::platform {

namespace fs = std::filesystem;
using nlohmann::json;

CrashLife::CrashLife(const CrashTestOptions& options, std::uint64_t seed, std::uint64_t cuts, fs::path folder,
                     std::uint64_t span_ps)
    : options_(options), seed_(seed), cuts_(cuts), folder_(std::move(folder)), span_ps_(span_ps) {
  fs::create_directories(folder_);
}

std::vector<std::string> CrashLife::next_run() {
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

fs::path CrashLife::log() const { return folder_ / fmt::format("{}.log", runs_); }

std::string CrashLife::ended(int exit_code) {
  const fs::path files = folder_ / std::to_string(runs_);
  if (exit_code != 0) {
    const std::string text = read_file(log());
    return text.empty() ? fmt::format("the run ended with {}", exit_code) : text;
  }
  if (!is_last()) {
    if (shuts_down_ && at_ps_ == 0 && draw() % 2 == 0) {  // once more, and power fails in the shutdown
      const json result = json::parse(read_file(files / "result.json"));
      const auto end = result.at("simulated_ps").get<std::uint64_t>();
      at_ps_ = end - draw() % result.at("recovery").at("shutdown_time").get<std::uint64_t>();
      again_ = true;
      return {};
    }
    count_cut();
  } else {
    const json result = json::parse(read_file(files / "result.json"));
    mount_ps_ = result.at("recovery").at("mount_time").get<std::uint64_t>();
    counts_.clean_mounts += result.at("recovery").value("clean_mounts", 0);
  }
  std::error_code ignored;
  if (options_.out.empty() && runs_ > 1) fs::remove(image(runs_ - 2), ignored);
  if (options_.out.empty()) fs::remove_all(files, ignored);
  done_ = is_last();
  ++runs_;
  return {};
}

void CrashLife::count_cut() {
  const json cut = json::parse(read_file(folder_ / std::to_string(runs_) / "power_cut.json"));
  counts_.interrupted += cut["interrupted_operations"].get<std::uint64_t>();
  counts_.torn += cut["torn_lpages"].get<std::uint64_t>();
  if (cut.contains("mounted_at")) {
    const bool clean = cut["clean_mount"].get<bool>();
    (clean ? clean_ps_ : mount_ps_) = static_cast<std::uint64_t>(cut["mounted_at"].get<double>() * 1e12);
    counts_.clean_mounts += clean ? 1 : 0;
    sealed_ = false;
  } else if (runs_ != 0) {
    ++counts_.in_mounts;
  }
  if (cut["shut_down"].get<bool>()) {
    sealed_ = true;
    ++counts_.shutdowns;
  }
  counts_.in_shutdowns += again_ ? 1 : 0;
  again_ = false;
  ++counts_.cuts;
  cut_at_.push_back(shuts_down_ ? 0 : at_ps_);
}

std::string CrashLife::what() const {
  return is_last() ? "after the last cut" : fmt::format("at {:.6f} ms", static_cast<double>(at_ps_) * 1e-9);
}

std::vector<std::uint64_t> CrashLife::instants() const {
  std::vector<std::uint64_t> instants = cut_at_;
  if (!is_last()) instants.push_back(shuts_down_ ? 0 : at_ps_);
  if (std::find(instants.begin(), instants.end(), 0) != instants.end()) instants.clear();
  return instants;
}

/// When power fails. A cut in the mount is followed by another one, or by a run that is cut later.
void CrashLife::choose() {
  const std::uint64_t mount = sealed_ ? (clean_ps_ != 0 ? clean_ps_ : mount_ps_ / 32) : mount_ps_;
  in_mount_ = runs_ != 0 && mount != 0 && nested_ < options_.nested && draw() % 2 == 0;
  nested_ = in_mount_ ? nested_ + 1 : 0;
  shuts_down_ = !in_mount_ && options_.clean != 0 && draw() % 100 < options_.clean;
  at_ps_ = shuts_down_ ? 0 : in_mount_ ? 1 + draw() % mount : 1 + mount + draw() % span_ps_;
}

std::string CrashLife::image(std::uint64_t run) const { return (folder_ / fmt::format("{}.flash", run)).string(); }

std::uint64_t CrashLife::draw() { return keyed_hash(seed_, 0x6375745f74, ++draws_); }

}  // namespace wordline::platform
