// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/results/report.h"

namespace wordline::results {
namespace {

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

/// A fixed number of decimals, thousands grouped.
std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  std::string text = buffer;
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
  return fixed(value, size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3) + " " + units[i];
}

std::string time_text(Picoseconds t) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  return t.count() == 0 ? "0" : natural(static_cast<double>(t.count()) / 1e3, kUnits, 4);
}

std::string energy_text(double pj) {
  static constexpr const char* kUnits[] = {"pJ", "nJ", "uJ", "mJ", "J", "kJ"};
  return pj == 0 ? "0" : natural(pj, kUnits, 6);
}

std::string left(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
std::string right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string percent(double share) { return right(fixed(100 * share, 1), 5) + " %"; }

void add_latencies(const Report& report, std::string& out) {
  out += left("", 6) + right("requests", 12) + right("IOPS", 12) + right("MB/s", 10);
  for (const char* head : {"mean", "p50", "p95", "p99", "p99.9", "p99.99", "max"}) out += right(head, 11);
  out += "\n";
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const OpReport& op = report.ios[i];
    if (op.count == 0) continue;
    const LatencyReport& l = op.latency;
    out += left(workload::op_name(static_cast<Op>(i)), 6) + right(grouped(op.count), 12) +
           right(fixed(op.iops, op.iops < 1000 ? 1 : 0), 12) + right(fixed(op.bytes_per_s / 1e6, 1), 10);
    for (const Picoseconds t : {l.mean, l.p50, l.p95, l.p99, l.p99_9, l.p99_99, l.max}) out += right(time_text(t), 11);
    out += "\n";
  }
}

void add_flash(const Report& report, std::string& out) {
  const FlashReport& f = report.flash;
  out += "Flash  " + grouped(f.programs) + " programs, " + grouped(f.reads) + " reads, " + grouped(f.erases) +
         " erases; write amplification " + (f.waf ? fixed(*f.waf, 3) : "- (nothing written)") + "\n";
  out += "       " + grouped(f.retries) + " read retries, " + grouped(f.soft_reads) + " soft reads, " +
         grouped(f.uncorrectable) + " uncorrectable\n";
  if (f.failures != 0) out += "       " + grouped(f.failures) + " programs and erases failed\n";
  if (report.energy.empty()) return;
  double total = 0;
  std::string parts;
  for (const auto& [name, pj] : report.energy) {
    total += pj.count();
    parts += (parts.empty() ? "" : ", ") + name + " " + energy_text(pj.count());
  }
  out += "Energy " + energy_text(total) + " (" + parts + ")\n";
}

void add_bar(const std::string& name, double share, const std::string& aside, std::string& out) {
  constexpr long kWidth = 40;
  const long filled = std::clamp(std::lround(share * kWidth), 0L, kWidth);
  out += "  " + left(name, 10) + "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kWidth - filled), '.') + "] " + percent(share) + aside + "\n";
}

void add_group(const std::string& name, const std::vector<double>& group, std::string& out) {
  if (group.empty()) return;
  const auto [least, most] = std::minmax_element(group.begin(), group.end());
  double mean = 0;
  for (const double share : group) mean += share;
  mean /= static_cast<double>(group.size());
  const std::string aside = group.size() == 1 ? ""
                                              : " mean of " + std::to_string(group.size()) + ", min" + percent(*least) +
                                                    ", max" + percent(*most);
  add_bar(name, mean, aside, out);
}

void add_utilisation(const Report& report, std::string& out) {
  const Utilisation& u = report.utilisation;
  out += "Busy\n";
  add_bar("link", u.link, "", out);
  for (std::size_t i = 0; i < u.cores.size(); ++i) add_bar("core " + std::to_string(i), u.cores[i], "", out);
  add_bar("dram", u.dram, "", out);
  add_group("channels", u.channels, out);
  add_group("dies", u.dies, out);
  out += find_bottleneck(u, report.queue_depth).sentence + "\n";
}

void add_stages(const Report& report, std::string& out) {
  std::vector<std::size_t> ops;
  for (std::size_t i = 0; i < 2; ++i) {  // reads and writes; the others pass no flash
    if (report.ios[i].count != 0) ops.push_back(i);
  }
  if (ops.empty() || report.stages.empty()) return;
  std::size_t width = 5;
  for (const auto& stage : report.stages) width = std::max(width, stage.name.size());
  out += "Where the time goes, mean per request in us\n  " + left("", width + 6);
  for (const std::size_t i : ops) out += right(workload::op_name(static_cast<Op>(i)), 13) + "         ";
  out += "\n";
  std::array<std::int64_t, kOpCount> sum{};
  for (const auto& stage : report.stages) {
    const bool used = std::any_of(ops.begin(), ops.end(), [&](std::size_t i) { return stage.mean[i].count() != 0; });
    if (!used) continue;
    out += "  " + left(stage.name, width) + (stage.is_wait ? "  wait" : "      ");
    for (const std::size_t i : ops) {
      // The running sum is rounded to nanoseconds, so the printed column adds up too.
      const std::int64_t before = (sum[i] + 500) / 1000;
      sum[i] += stage.mean[i].count();
      const std::int64_t ns = (sum[i] + 500) / 1000 - before;
      const auto total = static_cast<double>(report.ios[i].latency.mean.count());
      const double share = total > 0 ? static_cast<double>(stage.mean[i].count()) / total : 0.0;
      out += right(fixed(static_cast<double>(ns) / 1e3, 3), 13) + right(percent(share), 9);
    }
    out += "\n";
  }
  out += "  " + left("total", width + 6);
  for (const std::size_t i : ops) {
    out += right(fixed(static_cast<double>((sum[i] + 500) / 1000) / 1e3, 3), 13) + right(percent(1.0), 9);
  }
  out += "\n";
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

std::string summary(const Report& report) {
  std::string out = "Workload   " + report.workload + "\n";
  out += "Simulated  " + time_text(report.simulated) + ", seed " + std::to_string(report.seed) + "\n\n";
  add_latencies(report, out);
  out += "\n";
  add_flash(report, out);
  out += "\n";
  add_utilisation(report, out);
  out += "\n";
  add_stages(report, out);
  out += "\n";
  if (report.mismatches != 0) out += "DATA CHECK FAILED: ";
  out += grouped(report.reads_checked) + " reads checked, " + grouped(report.mismatches) + " mismatches\n";
  for (const auto& notice : report.notices) out += "Note: " + notice + "\n";
  return without_trailing_blanks(out);
}

}  // namespace wordline::results
