// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/device/flash/channel_load.h"

namespace wordline::testing {

config::Config channel_of(config::Config config, unsigned dies) {
  config.channels.count = 1;
  config.channels.packages = dies;
  config.channels.dies_per_package = 1;
  return config;
}

void SequentialLoad::reads(ControllerBench& bench, std::uint32_t jobs_per_die, bool multi_plane) {
  const std::uint32_t count = multi_plane ? bench.layout.lpages_per_mpage : bench.layout.lpages_per_page;
  for (std::uint32_t i = 0; i < jobs_per_die; ++i) {
    for (std::uint16_t die = 0; die < bench.dies.size(); ++die) {
      bench.push(ControllerBench::read_job(die, i / bench.layout.pages_per_block, i % bench.layout.pages_per_block, 0,
                                           static_cast<std::uint16_t>(count), 0));
    }
  }
  bench.doorbell();
}

void SequentialLoad::reads_of(std::uint32_t page, ControllerBench& bench, std::uint32_t jobs_per_die,
                              bool multi_plane) {
  const std::uint32_t count = multi_plane ? bench.layout.lpages_per_mpage : bench.layout.lpages_per_page;
  for (std::uint32_t i = 0; i < jobs_per_die; ++i) {
    for (std::uint16_t die = 0; die < bench.dies.size(); ++die) {
      bench.push(ControllerBench::read_job(die, i % bench.config.nand.geometry.blocks_per_plane, page, 0,
                                           static_cast<std::uint16_t>(count), 0));
    }
  }
  bench.doorbell();
}

void SequentialLoad::programs(ControllerBench& bench, std::uint32_t jobs_per_die) {
  const std::uint32_t units = bench.layout.programs_per_block;
  for (std::uint32_t i = 0; i < jobs_per_die; ++i) {
    for (std::uint16_t die = 0; die < bench.dies.size(); ++die) {
      bench.push(bench.write_job(WL_FLASH_PROGRAM, die, i / units, i % units * bench.layout.pages_per_program, 0));
    }
  }
  bench.doorbell();
}

double SequentialLoad::bytes_per_second(const ControllerBench& bench, double bytes) {
  const std::size_t jobs = bench.completions.size();
  const std::size_t round = bench.dies.size() * bench.layout.page_types;
  const std::size_t window = jobs / 2 / round * round;
  const std::size_t first = jobs / 4;
  Picoseconds time{};
  for (std::size_t i = first; i < first + round; ++i) {
    time += bench.completions[i + window].at - bench.completions[i].at;
  }
  return static_cast<double>(window * round) * bytes / static_cast<double>(time.count()) * 1e12;
}

}  // namespace wordline::testing
