// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/view_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/checks/load.h"
#include "models/results/wait_causes.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/platform/run_waves.h"

namespace wordline::platform {
namespace {

using nlohmann::json;

// The part of a request's latency that is shown before and after it.
constexpr std::int64_t kMargin = 20;
// A request that read no flash may have waited for any die: all are shown, where there are no more.
constexpr std::uint32_t kMostDies = 8;
// Stages shorter than this share are left out of what is printed.
constexpr double kSmall = 0.005;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return text;
}

/// Whether the waveform has the request: of a waveform of windows its end counts, because a window reaches back as far
/// as it was asked to.
bool is_recorded(const config::Observe& observe, const std::string& view, Picoseconds submitted, Picoseconds end) {
  if (const std::vector<observe::WaveStretch> stretches = observe::stretches_of(view); !stretches.empty()) {
    return std::any_of(stretches.begin(), stretches.end(),
                       [end](const auto& stretch) { return stretch.from <= end && end <= stretch.to; });
  }
  return observe.waves_from <= submitted && (observe.waves_to == Picoseconds(0) || end <= observe.waves_to);
}

std::string microseconds(Picoseconds time) {
  return fmt::format("{:.3f} us", static_cast<double>(time.count()) * 1e-6);
}

/// One of the slowest requests of a run, as result.json has it.
struct SlowRequest {
  std::string op;
  std::uint64_t lba = 0, bytes = 0;
  Picoseconds submitted{}, latency{};
  std::int64_t die = -1;
  std::vector<std::pair<std::string, Picoseconds>> stages;  // the longest first
  std::vector<std::pair<std::string, Picoseconds>> behind;  // what it waited behind, the longest first
};

/// The members of an object of times, the longest first.
std::vector<std::pair<std::string, Picoseconds>> longest_first(const json& times) {
  std::vector<std::pair<std::string, Picoseconds>> list;
  for (const auto& [name, time] : times.items()) list.emplace_back(name, Picoseconds(time.get<std::int64_t>()));
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

/// As `options` name it.
SlowRequest slow_request(const ViewOptions& options) {
  const std::string path = options.folder + "/result.json";
  const std::size_t number = options.slowest;
  const std::string& op = options.op;
  SlowRequest request;
  try {
    const json result = json::parse(content_of(path));
    if (!op.empty() && !result.contains("slowest_of")) {
      throw std::runtime_error(fmt::format(
          "{}: --op {}: an older version has left it, without the slowest requests of each operation; run it again",
          path, op));
    }
    if (!op.empty() && !result.at("slowest_of").contains(op)) {
      throw std::runtime_error(fmt::format("{}: --op {}: the run had no request of this operation", path, op));
    }
    json slowest = op.empty() ? result.at("slowest") : result.at("slowest_of").at(op).at("requests");
    if (!options.within.empty()) {
      const observe::WaveStretch within = parse_stretch(options.within, "--within");
      const auto outside = [&within](const json& entry) {
        const Picoseconds submitted(entry.at("submitted_ps").get<std::int64_t>());
        return submitted < within.from || submitted > within.to;
      };
      slowest.erase(std::remove_if(slowest.begin(), slowest.end(), outside), slowest.end());
    }
    if (number > slowest.size()) {
      throw std::runtime_error(fmt::format("{}: --slowest {}{}: it has {} slow requests{}{}", path, number,
                                           op.empty() ? "" : " --op " + op, slowest.size(),
                                           op.empty() ? "" : " of this operation",
                                           options.within.empty() ? "" : " within " + options.within));
    }
    const json& entry = slowest.at(number - 1);
    request.op = op.empty() ? entry.at("op").get<std::string>() : op;
    request.lba = entry.at("lba").get<std::uint64_t>();
    request.bytes = entry.at("bytes").get<std::uint64_t>();
    request.submitted = Picoseconds(entry.at("submitted_ps").get<std::int64_t>());
    request.latency = Picoseconds(entry.at("latency_ps").get<std::int64_t>());
    request.die = entry.at("die").get<std::int64_t>();
    request.stages = longest_first(entry.at("stage_ps"));
    if (entry.contains("behind_ps")) request.behind = longest_first(entry.at("behind_ps"));
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("{}: not the result of a run: {}", path, error.what()));
  }
  return request;
}

std::string description(const SlowRequest& request, std::size_t number, const std::string& where) {
  const auto share_of = [&](Picoseconds time) {
    return static_cast<double>(time.count()) / static_cast<double>(request.latency.count());
  };
  std::string text =
      fmt::format("slowest {}: {} of {} bytes at LBA {}, submitted at {}, {}{}\n", number, request.op, request.bytes,
                  request.lba, microseconds(request.submitted), microseconds(request.latency), where);
  for (const auto& [stage, time] : request.stages) {
    const double share = share_of(time);
    if (share >= kSmall) text += fmt::format("  {:<14} {:>14}  {:5.1f} %\n", stage, microseconds(time), share * 100);
  }
  if (request.behind.empty() || share_of(request.behind.front().second) < kSmall) return text;
  text += "It waited behind\n";
  for (const auto& [cause, time] : request.behind) {
    const double share = share_of(time);
    if (share < kSmall) break;
    text += fmt::format("  {:<14} {:>14}  {:5.1f} %  {}\n", cause, microseconds(time), share * 100,
                        results::wait_cause_text(cause));
  }
  return text;
}

/// What the view of a slow request shows.
struct Shown {
  std::string where;                 // for the description
  std::vector<std::string> scopes;   // empty: all
  std::vector<std::string> signals;  // empty: all
};

Shown shown_of(const SlowRequest& request, const config::Config& config) {
  const std::uint32_t channels = config.channels.count;
  Shown shown;
  if (request.die >= 0) {
    // Numbered as in utilisation.dies.
    const std::string channel = fmt::format("ssd.channel{}", request.die % channels);
    const std::string die = fmt::format("{}.die{}", channel, request.die / channels);
    shown.where = ", its last flash read at " + die;
    shown.scopes = {"ssd.host", "ssd.cpu", channel + ".bus", die, channel + ".ecc", channel + ".retry"};
  } else if (config.dies() <= kMostDies) {
    shown.scopes = {"ssd.host", "ssd.cpu", "ssd.firmware"};
    for (std::uint32_t die = 0; die < config.dies(); ++die) {
      if (die < channels) shown.scopes.push_back(fmt::format("ssd.channel{}.bus", die));
      shown.scopes.push_back(fmt::format("ssd.channel{}.die{}", die % channels, die / channels));
    }
    shown.signals = {"request", "command", "moves", "write_buffer_level", "free_superblocks", "transaction", "state"};
  }
  return shown;
}

/// Writes the view of a slow request beside that of the run; returns its name.
std::string write_slowest(const ViewOptions& options) {
  const std::string& folder = options.folder;
  const SlowRequest request = slow_request(options);
  const config::Config config = config::load(folder + "/config.toml", {}).config;
  const Picoseconds end = request.submitted + request.latency;
  const Shown shown = shown_of(request, config);
  std::cout << description(request, options.slowest, shown.where);
  const Picoseconds margin(request.latency.count() / kMargin + 1);
  const Picoseconds from = std::max(request.submitted - margin, Picoseconds(0));
  const std::string window =
      fmt::format("--set observe.waves=true --set observe.waves_from={}ps --set observe.waves_to={}ps", from.count(),
                  (end + margin).count());
  if (!config.observe.waves || !std::filesystem::exists(folder + "/waves.gtkw")) {
    throw std::runtime_error(fmt::format("{} has no waveform: run the same with {}", folder, window));
  }
  const std::string view = content_of(folder + "/waves.gtkw");
  if (!is_recorded(config.observe, view, request.submitted, end)) {
    throw std::runtime_error(
        fmt::format("{}: the waveform was not recorded at that time: run the same with {}", folder, window));
  }
  const std::string name =
      fmt::format("slowest{}{}{}.gtkw", options.op.empty() ? "" : "_", options.op, options.slowest);
  std::string text =
      observe::gtkw_focus(shown.signals.empty() ? view : observe::gtkw_only(view, shown.signals),
                          {from, request.latency + 2 * margin, end}, {request.submitted, end}, shown.scopes);
  const std::string saved = "[savefile] \"waves.gtkw\"";
  if (const auto at = text.find(saved); at != std::string::npos) {
    text.replace(at, saved.size(), fmt::format("[savefile] \"{}\"", name));
  }
  std::ofstream file(folder + "/" + name, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}/{}: cannot be written: {}", folder, name, std::strerror(errno)));
  return name;
}

void expect_file(const std::string& path, const std::string& how) {
  if (!std::filesystem::exists(path)) throw std::runtime_error(fmt::format("{} is not there: {}", path, how));
}

/// No program for it is installed with this one, and a page may not read a file by itself.
int view_timeline(const std::string& folder) {
  const std::string path = folder + "/timeline.json";
  expect_file(path, fmt::format("run with --set observe.timeline=true --out {}", folder));
  std::cout << fmt::format(
      "{}: open it at https://ui.perfetto.dev (the page reads it in the browser and sends it "
      "nowhere), or in chrome://tracing\n",
      path);
  return 0;
}

int view_report(const std::string& folder, bool print_only) {
  const std::string path = folder + "/report.html";
  expect_file(path, fmt::format("wordline report {} writes it", folder));
  if (print_only) {
    std::cout << fmt::format("xdg-open {}\n", path);
    return 0;
  }
  std::cout.flush();
  execlp("xdg-open", "xdg-open", path.c_str(), static_cast<char*>(nullptr));
  throw std::runtime_error(fmt::format("cannot start xdg-open: {}; open {} in a browser", std::strerror(errno), path));
}

}  // namespace

int view_command(const ViewOptions& options) {
  if (options.what != "waves" && options.what != "timeline" && options.what != "report") {
    throw std::runtime_error(fmt::format("view {}: expected waves, timeline or report", options.what));
  }
  if (options.what != "waves" && options.slowest != 0) {
    throw std::runtime_error(fmt::format("view {}: --slowest is for waves", options.what));
  }
  if (!options.op.empty() && options.slowest == 0) {
    throw std::runtime_error(fmt::format("view --op {}: goes with --slowest", options.op));
  }
  if (!options.within.empty() && options.slowest == 0) {
    throw std::runtime_error(fmt::format("view --within {}: goes with --slowest", options.within));
  }
  if (options.what == "timeline") return view_timeline(options.folder);
  if (options.what == "report") return view_report(options.folder, options.print_only);
  const std::string name = options.slowest == 0 ? "waves.gtkw" : write_slowest(options);
  const std::string view = options.folder + "/" + name;
  const std::string dump = options.folder + "/waves.fst";
  if (!std::filesystem::exists(dump)) {
    throw std::runtime_error(
        fmt::format("{} is not there: run with --set observe.waves=true --out {}", dump, options.folder));
  }
  if (options.print_only) {
    std::cout << fmt::format("gtkwave -f {} -a {}\n", dump, view);
    return 0;
  }
  const auto set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (!set("DISPLAY") && !set("WAYLAND_DISPLAY")) {  // GTKWave would print its options and end as if all were well
    throw std::runtime_error(fmt::format(
        "there is no display for GTKWave (DISPLAY is not set); where there is one: gtkwave -f {} -a {}", dump, view));
  }
  std::cout.flush();
  execlp("gtkwave", "gtkwave", "-f", dump.c_str(), "-a", view.c_str(), static_cast<char*>(nullptr));
  throw std::runtime_error(fmt::format("cannot start gtkwave: {} (./scripts/setup installs it)", std::strerror(errno)));
}

}  // namespace wordline::platform
