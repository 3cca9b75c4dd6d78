// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>

#include "testbenches/bench/riscv_drive.h"

// Millions of instructions per second (CPU time) of the instruction-set model. The budget is a ratio, because absolute
// numbers drift with the machine: the block cache is at least four times as fast as decoding every instruction. Mode 0
// decodes every instruction anew, 1 interprets decoded blocks, 2 runs them as code of the host.
namespace {

using namespace wordline::riscv;
using wordline::testing::Drive;

void run(benchmark::State& state, Hart& hart, std::uint64_t quantum) {
  const std::uint64_t first = hart.instructions();
  for (auto _ : state)
    if (hart.run(quantum) != StopReason::kBudget) throw std::runtime_error("the program has stopped");
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(hart.instructions() - first) * 1e-6, benchmark::Counter::kIsRate);
}

// Firmware-like loop, hot. Arguments: mode, quantum in cycles.
void ftl(benchmark::State& state) {
  Drive drive(static_cast<Drive::Mode>(state.range(0)));
  drive.load(WORDLINE_RISCV_FTL);
  drive.hart.run(1'000'000);
  run(state, drive.hart, static_cast<std::uint64_t>(state.range(1)));
}
BENCHMARK(ftl)
    ->ArgNames({"mode", "quantum"})
    ->Args({2, 1'000'000})
    ->Args({2, 1000})
    ->Args({2, 100})
    ->Args({1, 1'000'000})
    ->Args({1, 1000})
    ->Args({1, 100})
    ->Args({0, 1'000'000});

// 40000 blocks of 8 instructions, 1.3 MB, in scattered order: more blocks than the direct map holds and than the host's
// first-level caches, as in code that is large and rarely loops.
void scattered(benchmark::State& state) {
  Drive drive(static_cast<Drive::Mode>(state.range(0)));
  constexpr std::uint32_t kBlocks = 40000, kBase = 0x80000000, kStep = 25013;  // coprime
  auto* words = reinterpret_cast<std::uint32_t*>(drive.dram.data());
  for (std::uint32_t n = 0; n < kBlocks; ++n) {
    for (std::uint32_t i = 0; i < 7; ++i)
      words[8 * n + i] = (n * 7 + i) % 31 << 20 | 10u << 15 | (10 + (n + i) % 6) << 7 | 0x13;
    const std::uint32_t offset = ((n + kStep) % kBlocks - n) * 32 - 28;
    words[8 * n + 7] = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
                       (offset >> 12 & 0xff) << 12 | 0x6f;
  }
  // A jump reaches 1 MiB: what is further goes through a table of jalr, 2 instructions each.
  for (std::uint32_t n = 0; n < kBlocks; ++n) {
    const std::uint32_t next = (n + kStep) % kBlocks;
    const std::int64_t distance = (std::int64_t{next} - n) * 32 - 24;
    if (distance >= -(1 << 20) && distance < (1 << 20)) continue;
    const std::uint32_t target = kBase + 32 * next;
    words[8 * n + 6] = (target + 0x800) >> 12 << 12 | 5u << 7 | 0x37;       // lui t0
    words[8 * n + 7] = (target & 0xfff) << 20 | 5u << 15 | 0u << 7 | 0x67;  // jalr zero, t0
  }
  drive.hart.reset(kBase);
  drive.hart.run(20'000'000);  // every block often enough to be translated
  run(state, drive.hart, 1'000'000);
}
BENCHMARK(scattered)->ArgNames({"mode"})->Arg(2)->Arg(1)->Arg(0);

}  // namespace

BENCHMARK_MAIN();
