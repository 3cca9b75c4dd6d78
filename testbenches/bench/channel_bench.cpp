// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of docs/measurements/channel.md: sequential bandwidth of one channel against the closed form, and the
// latency of random reads under a load of programs, of the dies of configs/ssds/default.toml. Simulated time only: the
// same on any machine.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/channel_forms.h"
#include "testbenches/tlm/device/flash/channel_load.h"

namespace wordline::testing {
namespace {

constexpr unsigned kMostDies = 8;
constexpr std::uint32_t kJobsPerDie = 72;

struct Mode {
  const char* name;
  bool programs, multi_plane, cache;
};
constexpr Mode kModes[] = {
    {"read, one plane", false, false, false},          {"read, one plane, cache", false, false, true},
    {"read, all planes", false, true, false},          {"read, all planes, cache", false, true, true},
    {"program, die of one plane", true, false, false}, {"program, die of one plane, cache", true, false, true},
    {"program, all planes", true, true, false},        {"program, all planes, cache", true, true, true},
};

config::Config device() {
  config::Config c = config::load(WORDLINE_CONFIGS "/ssds/default.toml", {}).config;
  c.dram.bandwidth = BytesPerSecond(64'000'000'000);  // the channel is to be measured
  return c;
}

struct Line {
  Mode mode;
  std::vector<std::unique_ptr<ControllerBench>> benches;  // by number of dies
};

Line make_line(const Mode& mode, unsigned number) {
  Line line{mode, {}};
  for (unsigned dies = 1; dies <= kMostDies; ++dies) {
    config::Config c = channel_of(device(), dies);
    c.channels.cache_read = c.channels.cache_program = mode.cache;
    if (mode.programs && !mode.multi_plane) c.nand.geometry.planes = 1;
    const std::string name = "mode" + std::to_string(number) + "_" + std::to_string(dies);
    line.benches.push_back(std::make_unique<ControllerBench>(name.c_str(), c, 1024, mode.programs ? 0 : 100));
  }
  return line;
}

void print_bandwidth(const std::vector<Line>& lines) {
  std::printf("| MB/s (of the closed form) |");
  for (unsigned dies = 1; dies <= kMostDies; ++dies) std::printf(" %u |", dies);
  std::printf("\n|---|");
  for (unsigned dies = 1; dies <= kMostDies; ++dies) std::printf("---|");
  std::printf("\n");
  for (const Line& line : lines) {
    std::printf("| %s |", line.mode.name);
    for (const auto& bench : line.benches) {
      const ChannelForm form = line.mode.programs ? program_form(bench->config, line.mode.cache)
                                                  : read_form(bench->config, line.mode.multi_plane, line.mode.cache);
      const double measured = SequentialLoad::bytes_per_second(*bench, form.bytes);
      const double deviation = form.deviation(measured, static_cast<unsigned>(bench->dies.size()));
      std::printf(" %.0f (%+.1f %%) |", measured / 1e6, (deviation - 1) * 100);
    }
    std::printf("\n");
  }
}

/// Random 4 KiB reads, Poisson, at four dies that always have programs to do.
struct Mixed {
  const char* name;
  config::SuspendPolicy suspend;
  bool cache_program;
  double reads_per_second;
  std::unique_ptr<ControllerBench> bench;
  std::vector<std::pair<std::uint16_t, Picoseconds>> asked;
};

constexpr unsigned kMixedDies = 4;
constexpr std::uint32_t kReads = 4000;
constexpr std::uint32_t kFirstBlock = 100;  // of the programs

void run_mixed(Mixed& mixed) {
  ControllerBench& bench = *mixed.bench;
  std::vector<std::uint32_t> unit(kMixedDies, 0);
  std::vector<std::vector<std::uint16_t>> programs(kMixedDies);
  std::vector<bool> done(65536, false);
  std::size_t seen = 0;
  const auto refill = [&] {
    for (; seen < bench.completions.size(); ++seen) done[bench.completions[seen].entry.id] = true;
    for (std::uint16_t die = 0; die < kMixedDies; ++die) {
      auto& mine = programs[die];
      mine.erase(std::remove_if(mine.begin(), mine.end(), [&](std::uint16_t id) { return done[id]; }), mine.end());
      while (mine.size() < 4) {
        const std::uint32_t units = bench.layout.programs_per_block;
        mine.push_back(bench.push(bench.write_job(WL_FLASH_PROGRAM, die, kFirstBlock + unit[die] / units,
                                                  unit[die] % units * bench.layout.pages_per_program, 0)));
        ++unit[die];
      }
    }
  };
  for (std::uint32_t i = 0; i < kReads; ++i) {
    const double uniform = (static_cast<double>(keyed_hash(1, i) >> 11) + 0.5) / 9007199254740992.0;
    sc_core::wait(-std::log(uniform) / mixed.reads_per_second, sc_core::SC_SEC);
    refill();
    const auto draw = [i](std::uint32_t what, std::uint32_t below) {
      return static_cast<std::uint32_t>(keyed_hash(2, i, what) % below);
    };
    const std::uint16_t id = bench.push(ControllerBench::read_job(
        static_cast<std::uint16_t>(draw(0, kMixedDies)), draw(1, kFirstBlock), draw(2, bench.layout.pages_per_block),
        static_cast<std::uint16_t>(draw(3, bench.layout.lpages_per_mpage)), 1, 4000));
    mixed.asked.emplace_back(id, tlm_if::kernel_time());
    bench.doorbell();
  }
}

void print_mixed(const std::vector<Mixed>& all) {
  std::printf(
      "\n| reads/s | policy | mean us | p50 us | p99 us | max us | programs MB/s |\n|---|---|---|---|---|---|---|\n");
  for (const Mixed& mixed : all) {
    std::vector<Picoseconds> end(65536, Picoseconds(-1));
    for (const SeenCompletion& seen : mixed.bench->completions) end[seen.entry.id] = seen.at;
    std::vector<double> latency;
    double sum = 0;
    for (const auto& [id, at] : mixed.asked) {
      if (end[id] < Picoseconds(0)) continue;  // the last of them
      latency.push_back(static_cast<double>((end[id] - at).count()) / 1e6);
      sum += latency.back();
    }
    std::sort(latency.begin(), latency.end());
    const auto at = [&](double q) {
      return latency[static_cast<std::size_t>(q * static_cast<double>(latency.size() - 1))];
    };
    std::uint64_t lpages = 0;
    for (const auto& die : mixed.bench->dies) lpages += die->array().counters().lpages_programmed;
    const double seconds = static_cast<double>(mixed.asked.back().second.count()) / 1e12;
    std::printf("| %.0f | %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", mixed.reads_per_second, mixed.name,
                sum / static_cast<double>(latency.size()), at(0.5), at(0.99), latency.back(),
                static_cast<double>(lpages) * LpageSize().bytes() / seconds / 1e6);
  }
}

int run() {
  std::vector<Line> lines;
  for (const Mode& mode : kModes) lines.push_back(make_line(mode, static_cast<unsigned>(lines.size())));
  std::vector<Mixed> mixed;
  for (const double rate : {2000.0, 8000.0}) {
    mixed.push_back({"never", config::SuspendPolicy::kNever, false, rate, nullptr, {}});
    mixed.push_back({"cache_program", config::SuspendPolicy::kNever, true, rate, nullptr, {}});
    mixed.push_back({"suspend = program", config::SuspendPolicy::kProgram, false, rate, nullptr, {}});
  }
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    config::Config c = channel_of(device(), kMixedDies);
    c.channels.suspend = mixed[i].suspend;
    c.channels.cache_program = mixed[i].cache_program;
    mixed[i].bench = std::make_unique<ControllerBench>(("mixed" + std::to_string(i)).c_str(), c, 1024, kFirstBlock);
  }
  sc_core::sc_spawn([&] {
    for (Line& line : lines) {
      for (auto& bench : line.benches) {
        if (line.mode.programs) {
          SequentialLoad::programs(*bench, kJobsPerDie);
        } else {
          SequentialLoad::reads(*bench, kJobsPerDie, line.mode.multi_plane);
        }
      }
    }
  });
  for (Mixed& m : mixed) sc_core::sc_spawn([&m] { run_mixed(m); });
  sc_core::sc_start();
  std::printf("Sequential bandwidth of one channel by its number of dies\n\n");
  print_bandwidth(lines);
  print_mixed(mixed);
  return 0;
}

}  // namespace
}  // namespace wordline::testing

int sc_main(int, char**) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  return wordline::testing::run();
}
