// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "models/results/number_text.h"
#include "models/results/report.h"
#include "models/workload/request.h"

namespace wordline::results {
namespace {

using workload::kOpCount;
using workload::Op;

/// Requests beyond a percentile: of fewer it is one of the few slowest, whichever they were.
constexpr std::uint64_t kRough = 10;

/// A fixed number of decimals, thousands grouped.
std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const auto point = std::min(text.find('.'), text.size());
  for (auto at = static_cast<std::ptrdiff_t>(point) - 3; at > (text[0] == '-' ? 1 : 0); at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

/// Four significant digits in the unit that suits.
std::string natural(double value, const char* const* units, std::size_t count, double step = 1000) {
  std::size_t i = 0;
  while (i + 1 < count && std::fabs(value) >= step * 0.99995) {
    value /= step;
    ++i;
  }
  const double size = std::fabs(value);
  const int decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
  return fmt::format("{} {}", fixed(value, decimals), units[i]);
}

std::string time_text(Picoseconds t) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  return t.count() == 0 ? "0" : natural(static_cast<double>(t.count()) / 1e3, kUnits, 4);
}

std::string energy_text(double pj) {
  static constexpr const char* kUnits[] = {"pJ", "nJ", "uJ", "mJ", "J", "kJ"};
  return pj == 0 ? "0" : natural(pj, kUnits, 6);
}

std::string percent(double share) { return fmt::format("{:>5} %", fixed(100 * share, 1)); }

/// The operations that the workload had, from the first `most`.
std::vector<std::string> operations(const Registry& registry, std::size_t most = kOpCount) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < most; ++i) {
    const std::string name = workload::op_name(static_cast<Op>(i));
    if (registry.get<std::uint64_t>(fmt::format("ios.{}.count", name)) != 0) names.push_back(name);
  }
  return names;
}

/// Columns of latencies of one operation, each of 11. True: one of them says little.
bool add_columns(const Registry& registry, const std::string& op, const std::vector<std::string>& columns,
                 std::string& out) {
  bool rough = false;
  for (const std::string& which : columns) {
    const bool is_rough =
        which[0] == 'p' && registry.get<std::uint64_t>(fmt::format("{}.beyond.{}", op, which)) < kRough;
    rough = rough || is_rough;
    out += fmt::format(
        "{:>11}", time_text(registry.get<Picoseconds>(fmt::format("{}.lat_ps.{}", op, which))) + (is_rough ? "*" : ""));
  }
  return rough;
}

void add_latencies(const Registry& registry, std::size_t width, std::string& out) {
  constexpr std::size_t kAll = 6 + 12 + 12 + 10 + 7 * 11;
  std::vector<std::string> columns{"mean", "p50", "p95", "p99", "p99_9", "p99_99", "max"}, more;
  if (width < kAll) {
    more.assign(columns.begin() + 3, columns.end());
    columns.resize(3);
  }
  const auto add_heads = [&out](const std::vector<std::string>& names) {
    for (std::string name : names) {
      std::replace(name.begin(), name.end(), '_', '.');
      out += fmt::format("{:>11}", name);
    }
    out += "\n";
  };
  out += fmt::format("{:6}{:>12}{:>12}{:>10}", "", "requests", "IOPS", "MB/s");
  add_heads(columns);
  bool rough = false;
  for (const std::string& name : operations(registry)) {
    const std::string op = "ios." + name;
    const auto iops = registry.get<double>(op + ".iops");
    out += fmt::format("{:6}{:>12}{:>12}{:>10}", name, grouped(registry.get<std::uint64_t>(op + ".count")),
                       fixed(iops, iops < 1000 ? 1 : 0), fixed(registry.get<double>(op + ".bytes_per_s") / 1e6, 1));
    rough = add_columns(registry, op, columns, out) || rough;
    out += "\n";
  }
  if (!more.empty()) {
    out += fmt::format("{:6}", "");
    add_heads(more);
    for (const std::string& name : operations(registry)) {
      out += fmt::format("{:6}", name);
      rough = add_columns(registry, "ios." + name, more, out) || rough;
      out += "\n";
    }
  }
  if (rough) out += fmt::format("* fewer than {} requests are slower: another run has another value\n", kRough);
}

/// A row for each job, over its own time, where they do not all run at once: the rates above then say little.
void add_jobs(const Registry& registry, std::string& out) {
  using Times = std::vector<Picoseconds>;
  constexpr double kAtOnce = 0.95;  // share of the measurement in which all jobs ran
  constexpr std::size_t kShown = 16;
  const auto names = registry.get<std::vector<std::string>>("jobs[].name");
  const auto requests = registry.get<std::vector<std::uint64_t>>("jobs[].requests");
  const auto begin = registry.get<Times>("jobs[].begin_ps");
  const auto end = registry.get<Times>("jobs[].end_ps");
  Picoseconds from{}, to{INT64_MAX};
  std::size_t at_work = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (requests[i] == 0) continue;
    ++at_work;
    from = std::max(from, begin[i]);
    to = std::min(to, end[i]);
  }
  const auto window = static_cast<double>(registry.get<Picoseconds>("window.length_ps").count());
  if (at_work < 2 || static_cast<double>((to - from).count()) >= kAtOnce * window) return;
  const auto iops = registry.get<std::vector<double>>("jobs[].iops");
  const auto bytes = registry.get<std::vector<double>>("jobs[].bytes_per_s");
  out += "Jobs did not all run at once; each over its own time\n";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (requests[i] == 0) continue;
    if (++shown > kShown) {
      out += fmt::format("  and {} more, see jobs in result.json\n", at_work - kShown);
      return;
    }
    out += fmt::format("  {:24}{:>12}{:>12}{:>10}", names[i].substr(0, 23), grouped(requests[i]),
                       fixed(iops[i], iops[i] < 1000 ? 1 : 0), fixed(bytes[i] / 1e6, 1));
    for (const char* which : {"mean", "p50", "p99", "p99_9", "max"}) {
      out += fmt::format("{:>11}", time_text(registry.get<Times>(fmt::format("jobs[].lat_ps.{}", which))[i]));
    }
    out += "\n";
  }
}

/// A row for each queue pair of the host, where there are several.
void add_queues(const Registry& registry, std::string& out) {
  using Counts = std::vector<std::uint64_t>;
  constexpr std::size_t kShown = 16;
  if (!registry.contains("queues[].commands")) return;
  const auto commands = registry.get<Counts>("queues[].commands");
  const auto iops = registry.get<std::vector<double>>("queues[].iops");
  const auto mean = registry.get<std::vector<Picoseconds>>("queues[].lat_ps.mean");
  const auto p99 = registry.get<std::vector<Picoseconds>>("queues[].lat_ps.p99");
  const auto depth = registry.get<std::vector<double>>("queues[].depth");
  const auto fetched = registry.get<Counts>("queues[].fetched");
  const auto queue = registry.get<Counts>("queues[].completion_queue");
  const auto interrupts = registry.get<Counts>("queues[].interrupts");
  out += "Queue pair    commands        IOPS       mean        p99     depth     fetched  interrupts of its CQ\n";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i == kShown) {
      out += fmt::format("  and {} more, see queues in result.json\n", commands.size() - kShown);
      return;
    }
    out += fmt::format("  {:<8}{:>12}{:>12}{:>11}{:>11}{:>10}{:>12}{:>12} of {}\n", i + 1, grouped(commands[i]),
                       fixed(iops[i], iops[i] < 1000 ? 1 : 0), time_text(mean[i]), time_text(p99[i]),
                       fixed(depth[i], 2), grouped(fetched[i]), grouped(interrupts[i]), queue[i]);
  }
}

/// A row for each placement handle, where writes may name one.
void add_placement(const Registry& registry, std::string& out) {
  using Counts = std::vector<std::uint64_t>;
  if (!registry.contains("placement[].host_sectors")) return;
  const auto host = registry.get<Counts>("placement[].host_sectors");
  const auto copied = registry.get<Counts>("placement[].copied_sectors");
  const auto erased = registry.get<Counts>("placement[].erased");
  const auto valid = registry.get<std::vector<double>>("placement[].valid_share");
  out += "Handle       host sectors      copied    superblocks erased   valid when collected\n";
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::string name = i + 1 == host.size() ? "shared" : std::to_string(i);
    out += fmt::format("  {:<9}{:>14}{:>12}{:>22}{:>21} %\n", name, grouped(host[i]), grouped(copied[i]),
                       grouped(erased[i]), fixed(valid[i] * 100, 1));
  }
}

std::string value_text(const Statistic& statistic, const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return fmt::format("- ({})", statistic.null_reason());
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return grouped(*count);
  if (const auto* ratio = std::get_if<double>(&value)) return fixed(*ratio, 3);
  if (const auto* time = std::get_if<Picoseconds>(&value)) return time_text(*time);
  if (const auto* energy = std::get_if<Picojoules>(&value)) return energy_text(energy->count());
  throw std::logic_error(fmt::format("statistic {}: the summary has no line for a list", statistic.path()));
}

/// The statistics of a section that are in_summary(), line by line: counts with their label behind, joined by commas,
/// everything else with its label in front, behind a semicolon.
std::vector<std::string> lines_of(const Registry& registry, const std::string& section) {
  std::map<unsigned, std::string> lines;
  for (const Statistic* statistic : registry.in_section(section)) {
    if (statistic->summary_line() == 0) continue;
    const Value value = statistic->read();
    if (statistic->hidden_in_summary_if_zero() && is_zero(value)) continue;
    const bool is_count = std::holds_alternative<std::uint64_t>(value);
    std::string& line = lines[statistic->summary_line()];
    if (!line.empty()) line += is_count ? ", " : "; ";
    const std::string text = value_text(*statistic, value);
    line += is_count ? fmt::format("{} {}", text, statistic->label()) : fmt::format("{} {}", statistic->label(), text);
  }
  std::vector<std::string> texts;
  for (auto& [number, text] : lines) texts.push_back(std::move(text));
  return texts;
}

void add_section(const Registry& registry, const Section& section, std::string& out) {
  const char* title = section.summary_title;
  for (const std::string& line : lines_of(registry, section.key)) {
    out += fmt::format("{:7}{}\n", title, line);
    title = "";
  }
}

/// The consumers with their sum, from the unrounded values.
void add_energy(const Registry& registry, const Section& section, std::string& out) {
  double total = 0;
  std::string parts;
  for (const Statistic* statistic : registry.in_section(section.key)) {
    if (statistic->summary_line() == 0) continue;
    const auto energy = std::get<Picojoules>(statistic->read());
    total += energy.count();
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", statistic->label(), energy_text(energy.count()));
  }
  if (!parts.empty()) out += fmt::format("{:7}{} ({})\n", section.summary_title, energy_text(total), parts);
}

/// One block of lines for all sections that have some; the check comes last in the summary.
void add_counts(const Registry& registry, std::string& out) {
  for (const Section& section : sections()) {
    const std::string key = section.key;
    if (key == "energy_pj") {
      add_energy(registry, section, out);
    } else if (key != "check") {
      add_section(registry, section, out);
    }
  }
}

void add_bar(const std::string& name, double share, const std::string& aside, std::string& out) {
  constexpr long kWidth = 40;
  const std::string filled(static_cast<std::size_t>(std::clamp(std::lround(share * kWidth), 0L, kWidth)), '#');
  out += fmt::format("  {:14}[{:.<{}}] {}{}\n", name, filled, kWidth, percent(share), aside);
}

/// Pools, and servers that are there by choice (engines, retry controllers), only when there is something to say.
bool is_shown(const GroupShares& group) {
  const bool always = group.key == "link" || group.key == "cores" || group.key == "dram" || group.key == "channels" ||
                      group.key == "dies" || group.key == "decoders";
  return always || group.greatest() >= 0.0005;
}

void add_group(const GroupShares& group, std::string& out) {
  if (group.key == "link" || group.shares.size() == 1) {
    add_bar(group.key, group.greatest(), "", out);
  } else if (group.key == "cores") {
    for (std::size_t i = 0; i < group.shares.size(); ++i) add_bar(fmt::format("core {}", i), group.shares[i], "", out);
  } else {
    const auto [least, most] = std::minmax_element(group.shares.begin(), group.shares.end());
    add_bar(group.key, group.mean(),
            fmt::format(" mean of {}, min{}, max{}", group.shares.size(), percent(*least), percent(*most)), out);
  }
}

void add_utilisation(const Registry& registry, const std::vector<GroupShares>& shares, std::string& out) {
  out += fmt::format("Busy, of the {} measured\n", time_text(registry.get<Picoseconds>("window.length_ps")));
  std::string waited;
  for (const GroupShares& group : shares) {
    if (!is_shown(group)) continue;
    if (group.kind == ResourceKind::kServer) {
      add_group(group, out);
    } else {
      add_bar(group.key, group.greatest(), "", waited);
    }
  }
  if (!waited.empty()) out += "Waited for\n" + waited;
  out += registry.get<std::string>("bottleneck.sentence") + "\n";
}

/// The stages of one operation.
struct StageColumn {
  std::vector<Picoseconds> waiting, service;
  double latency = 0;
  std::int64_t sum = 0;  // sum of the stages printed so far
  [[nodiscard]] Picoseconds mean(std::size_t stage) const { return waiting[stage] + service[stage]; }
};

void add_stages(const Registry& registry, std::string& out) {
  const std::vector<std::string> ops = operations(registry, 2);  // reads and writes; the others pass no flash
  if (ops.empty()) return;
  const auto names = registry.get<std::vector<std::string>>(fmt::format("stages.{}.mean[].stage", ops.front()));
  if (names.empty()) return;
  using Times = std::vector<Picoseconds>;
  std::vector<StageColumn> columns;
  for (const std::string& op : ops) {
    const auto latency = registry.get<Picoseconds>(fmt::format("ios.{}.lat_ps.mean", op));
    columns.push_back({registry.get<Times>(fmt::format("stages.{}.mean[].waiting_ps", op)),
                       registry.get<Times>(fmt::format("stages.{}.mean[].service_ps", op)),
                       static_cast<double>(latency.count())});
  }
  std::size_t width = 5;
  for (const auto& name : names) width = std::max(width, name.size());
  out += fmt::format("Where the time goes, mean per request in us\n  {:{}}", "", width + 6);
  for (const auto& op : ops) out += fmt::format("{:>13}{:9}", op, "");
  out += "\n";
  for (std::size_t stage = 0; stage < names.size(); ++stage) {
    const auto any = [&](const auto& test) { return std::any_of(columns.begin(), columns.end(), test); };
    if (!any([&](const StageColumn& column) { return column.mean(stage).count() != 0; })) continue;
    const bool is_wait = any([&](const StageColumn& column) { return column.waiting[stage].count() != 0; });
    out += fmt::format("  {:{}}{:6}", names[stage], width, is_wait ? "  wait" : "");
    for (StageColumn& column : columns) {
      // The running sum is rounded to nanoseconds, so the printed column adds up too.
      const std::int64_t before = (column.sum + 500) / 1000;
      column.sum += column.mean(stage).count();
      const std::int64_t ns = (column.sum + 500) / 1000 - before;
      const double share = column.latency > 0 ? static_cast<double>(column.mean(stage).count()) / column.latency : 0.0;
      out += fmt::format("{:>13}{:>9}", fixed(static_cast<double>(ns) / 1e3, 3), percent(share));
    }
    out += "\n";
  }
  out += fmt::format("  {:{}}", "total", width + 6);
  for (const StageColumn& column : columns) {
    out += fmt::format("{:>13}{:>9}", fixed(static_cast<double>((column.sum + 500) / 1000) / 1e3, 3), percent(1.0));
  }
  out += "\n";
}

void add_check(const Registry& registry, std::string& out) {
  if (registry.get<std::uint64_t>("check.mismatches") != 0) out += "DATA CHECK FAILED: ";
  for (const std::string& line : lines_of(registry, "check")) out += line + "\n";
}

/// Without the blanks that aligned columns leave at line ends.
std::string without_trailing_blanks(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += c;
  }
  return out;
}

}  // namespace

std::string summary(const Registry& registry, const std::vector<GroupShares>& shares,
                    const std::vector<std::string>& notices, const std::string& experiment, std::size_t width) {
  std::string out =
      fmt::format("Workload   {}\nSimulated  {}, seed {}\n\n", registry.get<std::string>("wordline.workload"),
                  time_text(registry.get<Picoseconds>("simulated_ps")), registry.get<std::uint64_t>("wordline.seed"));
  add_latencies(registry, width, out);
  add_jobs(registry, out);
  add_queues(registry, out);
  add_placement(registry, out);
  out += registry.get<std::string>("steady.sentence") + "\n";
  out += "\n";
  add_counts(registry, out);
  out += "\n";
  add_utilisation(registry, shares, out);
  out += "\n";
  if (!experiment.empty()) out += experiment + "\n";
  add_stages(registry, out);
  out += "\n";
  add_check(registry, out);
  for (const auto& notice : notices) out += fmt::format("Note: {}\n", notice);
  return without_trailing_blanks(out);
}

}  // namespace wordline::results
