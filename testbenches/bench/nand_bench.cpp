// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a NAND die costs the simulator: plans per second, and memory per written page.
#include <benchmark/benchmark.h>

#include <vector>

#include "models/checks/commands.h"
#include "models/nand/die.h"
#include "models/nand/timing.h"

namespace {

using namespace wordline;

struct Device {
  config::Config config = config::load(WORDLINE_CONFIGS "/nand/tlc_48x4.toml", {}).config;
  config::Layout layout = config::layout_of(config);
};

/// The plan of the device, as a die hands it to an operation.
void plan_of_the_device(benchmark::State& state) {
  const Device d;
  const nand::Die die(d.config.nand, d.layout, DieId(0), 1, {});
  std::uint32_t page = 0;
  for (auto _ : state) {
    page = page + 3 < d.layout.pages_per_block ? page + 3 : 0;
    benchmark::DoNotOptimize(die.plan_program(BlockId(1), PageId(page)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_of_the_device);

/// A plan with parameters of its own for every word line: verifies skipped, loops cut.
void plan_with_parameters(benchmark::State& state) {
  const Device d;
  const nand::ArrayPlans plans(d.config.nand, d.layout);
  nand::ProgramParameters p;
  p.skip = nand::safe_skips(nand::pass_windows(9, 7, 3));
  std::uint32_t n = 0;
  for (auto _ : state) {
    p.final_cut = Millivolts(180.0 * (++n & 1U));
    benchmark::DoNotOptimize(plans.program(0, 0, p));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_with_parameters);

/// The micro-operation under way at a time, what a suspension asks.
void micro_operation_at(benchmark::State& state) {
  const Device d;
  const nand::ArrayPlans plans(d.config.nand, d.layout);
  const nand::Plan& plan = plans.program(0);
  std::int64_t t = 0;
  for (auto _ : state) {
    t = (t + 97'000'003) % plan.total().count();
    benchmark::DoNotOptimize(plan.at(Picoseconds(t)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(micro_operation_at);

/// The raw bit error rate of a page, another one each time: what every read asks for. With parameters of its own per
/// word line when the argument is 1.
void rate_of_a_page(benchmark::State& state) {
  const Device d;
  nand::Die die(d.config.nand, d.layout, DieId(0), 1, {});
  const std::vector<nand::StoredLpage> lpages(d.layout.lpages_per_program);
  nand::ProgramParameters p;
  if (state.range(0) != 0) p.skip = nand::safe_skips(nand::pass_windows(9, 7, 3));
  for (std::uint32_t page = 0; page < d.layout.pages_per_block; page += d.layout.pages_per_program) {
    if (die.commit_program(1, BlockId(0), PageId(page), lpages.data(), p) != nand::OperationStatus::kOk) {
      state.SkipWithError("a program failed");
      return;
    }
  }
  std::uint32_t page = 0;
  for (auto _ : state) {
    page = page + 7 < d.layout.pages_per_block ? page + 7 : page + 7 - d.layout.pages_per_block;
    benchmark::DoNotOptimize(die.rber(PlaneId(0), BlockId(0), PageId(page), 0));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(rate_of_a_page)->Arg(0)->Arg(1);

/// Writes blocks full; bytes_per_page is what that added to the die, of `bytes_idle` before.
/// With parameters of its own per word line when the argument is 1.
void memory_per_written_page(benchmark::State& state) {
  const Device d;
  nand::ProgramParameters p;
  if (state.range(0) != 0) p.skip = nand::safe_skips(nand::pass_windows(9, 7, 3));
  const std::vector<nand::StoredLpage> lpages(d.layout.lpages_per_program);
  double per_page = 0;
  double idle = 0;
  for (auto _ : state) {
    nand::Die die(d.config.nand, d.layout, DieId(0), 1, {});
    const auto before = static_cast<double>(die.memory_bytes());
    const std::uint32_t planes = (1U << d.config.nand.geometry.planes) - 1;
    std::uint64_t pages = 0;
    for (std::uint32_t block = 0; block < 16; ++block) {
      (void)die.commit_erase(planes, BlockId(block));
      for (std::uint32_t page = 0; page < d.layout.pages_per_block; page += d.layout.pages_per_program) {
        if (die.commit_program(planes, BlockId(block), PageId(page), lpages.data(), p) != nand::OperationStatus::kOk) {
          state.SkipWithError("a program failed");
          return;
        }
        pages += static_cast<std::uint64_t>(d.layout.pages_per_program) * d.config.nand.geometry.planes;
      }
    }
    per_page = (static_cast<double>(die.memory_bytes()) - before) / static_cast<double>(pages);
    idle = before;
  }
  state.counters["bytes_per_page"] = per_page;
  state.counters["bytes_idle"] = idle;
}
BENCHMARK(memory_per_written_page)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
