// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/live_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace wordline::platform {
namespace {

double seconds(Picoseconds time) { return static_cast<double>(time.count()) * 1e-12; }
double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

}  // namespace

LiveReport::LiveReport(const std::string& path, Watched watched)
    : watched_(std::move(watched)), socket_(path), before_(counts()) {}

LiveReport::Counts LiveReport::counts() const {
  const host::HostDataMover& mover = watched_.drive.host->mover;
  const struct wl_firmware_statistics firmware = watched_.drive.firmware_statistics();
  Counts now;
  now.reads = mover.counters().reads;
  now.writes = mover.counters().writes;
  now.errors = mover.counters().errors;
  now.lbas_read = mover.data_counters().lbas_read;
  now.lbas_written = mover.data_counters().lbas_written;
  now.host_blocks = wl_host_blocks(&firmware, watched_.drive.lpage_size().shift());
  now.programmed = firmware.lpages_programmed;
  now.copied = firmware.gc_lpages_copied;
  now.simulated = watched_.drive.now();
  return now;
}

LiveReport::Latencies LiveReport::latencies(results::Op op) {
  results::Histogram& before = seen_.at(op == results::Op::kRead ? 0 : 1);
  const results::Histogram& now = watched_.latency(op);
  const std::uint64_t count = now.count() - before.count();
  Latencies found;
  std::uint64_t so_far = 0;
  for (std::uint32_t bucket = 0; count != 0 && bucket < results::Histogram::kBuckets; ++bucket) {
    const std::uint64_t here = now.in_bucket(bucket) - before.in_bucket(bucket);
    if (here == 0) continue;
    const double us = static_cast<double>(results::Histogram::bucket_value_ns(bucket)) * 1e-3;
    const auto reaches = [&](double share) {
      const double wanted = share * static_cast<double>(count);
      return static_cast<double>(so_far) < wanted && static_cast<double>(so_far + here) >= wanted;
    };
    if (reaches(0.5)) found.p50 = us;
    if (reaches(0.99)) found.p99 = us;
    found.most = us;
    so_far += here;
  }
  before = now;
  return found;
}

void LiveReport::look() {
  const Clock::time_point wall = Clock::now();
  if (wall - last_ < kEvery) return;
  const double passed = std::chrono::duration<double>(wall - last_).count();
  last_ = wall;
  const Counts before = std::exchange(before_, counts());
  const Counts& now = before_;
  if (!socket_.watched()) return;
  const double span = seconds(now.simulated - before.simulated);
  const double lbas = kLbaBytes;
  const double per_lpage = static_cast<double>(watched_.drive.lpage_size().lbas());
  const auto amplification = [&](const Counts& from) {
    return ratio(static_cast<double>(now.programmed - from.programmed) * per_lpage,
                 static_cast<double>(now.host_blocks - from.host_blocks));
  };
  nlohmann::ordered_json frame;
  frame["wall_s"] = rounded(std::chrono::duration<double>(wall - begun_).count());
  frame["simulated_s"] = rounded(seconds(now.simulated));
  frame["interval_wall_s"] = rounded(passed);
  frame["interval_simulated_s"] = rounded(span);
  frame["clients"] = watched_.clients();
  std::string text = fmt::format("{}: served {:.1f} s, simulated {:.3f} s ({:.3g} of wall time), {} client{}\n\n",
                                 watched_.name, frame["wall_s"].get<double>(), seconds(now.simulated),
                                 ratio(span, passed), watched_.clients(), watched_.clients() == 1 ? "" : "s");
  text += fmt::format("{:<8}{:>12}{:>10}{:>10}{:>10}{:>10}\n", "", "per second", "MB/s", "p50 us", "p99 us", "max us");
  const auto operation = [&](const char* name, results::Op op, std::uint64_t count, std::uint64_t blocks) {
    nlohmann::ordered_json& row = frame[name];
    row["requests"] = count;
    row["bytes"] = blocks * kLbaBytes;
    text += fmt::format("{:<8}{:>12.0f}{:>10.1f}", name, ratio(static_cast<double>(count), span),
                        ratio(static_cast<double>(blocks) * lbas * 1e-6, span));
    const Latencies found = latencies(op);
    row["p50_us"] = rounded(found.p50);
    row["p99_us"] = rounded(found.p99);
    row["max_us"] = rounded(found.most);
    text += fmt::format("{:>10.1f}{:>10.1f}{:>10.1f}\n", found.p50, found.p99, found.most);
  };
  operation("reads", results::Op::kRead, now.reads - before.reads, now.lbas_read - before.lbas_read);
  operation("writes", results::Op::kWrite, now.writes - before.writes, now.lbas_written - before.lbas_written);
  const struct wl_firmware_statistics firmware = watched_.drive.firmware_statistics();
  const double buffered = static_cast<double>(wl_buffered_lpages(&firmware)) * per_lpage * lbas;
  frame["errors"] = now.errors;
  frame["write_amplification"] = rounded(amplification(before));
  frame["write_amplification_since_power_on"] = rounded(amplification({}));
  frame["gc_share"] = rounded(
      ratio(static_cast<double>(now.copied - before.copied), static_cast<double>(now.programmed - before.programmed)));
  frame["free_superblocks"] = firmware.free_superblocks;
  frame["buffered_bytes"] = std::llround(buffered);
  text += fmt::format("\nwrite amplification {:.2f} ({:.2f} since power on), {:.0f} % of it copies by GC\n",
                      amplification(before), amplification({}), 100 * frame["gc_share"].get<double>());
  text += fmt::format("{} superblocks free, {:.1f} MiB in the write buffer, {} errors\n", firmware.free_superblocks,
                      buffered / (1U << 20U), now.errors);
  text += "Rates are per second of simulated time.\n";
  socket_.publish(frame.dump(), text);
}

}  // namespace wordline::platform
