// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of a trace per second: the parser alone, the look at the whole file, and what a run reads.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "models/units/keyed_random.h"
#include "models/workload/trace/record_reader.h"
#include "models/workload/trace/trace_source.h"

namespace {

using namespace wordline::workload;

/// An MSR Cambridge CSV, written once. It stays in the page cache: the disk is not measured.
const std::string& msr_trace() {
  constexpr std::uint64_t kLines = 1'000'000;
  static const std::string kPath = [] {
    const std::string path = "/tmp/wordline_bench_msr.csv";
    std::ofstream out(path, std::ios::binary);
    std::uint64_t time = 128'166'372'003'061'629;
    for (std::uint64_t i = 0; i < kLines; ++i) {
      const std::uint64_t draw = wordline::mix64(i + 1);
      time += draw % 100'000;
      out << time << ",hm," << draw % 2 << ',' << (draw % 5 < 3 ? "Write" : "Read") << ',' << draw % 20'000'000 * 4096
          << ',' << 4096 * (1 + draw % 16) << ',' << draw % 90'000 << '\n';
    }
    return path;
  }();
  return kPath;
}

LoadOptions options() {
  LoadOptions options;
  options.drive_lbas = std::uint64_t{1} << 40U;
  return options;
}

void finish(benchmark::State& state, std::uint64_t lines) {
  state.SetItemsProcessed(static_cast<std::int64_t>(lines));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void parse_msr(benchmark::State& state) {
  std::uint64_t lines = 0;
  for (auto _ : state) {
    const auto reader = open_trace(msr_trace(), TraceFormat::kMsr, "");
    text::Errors errors(msr_trace());
    TraceRecord record;
    while (reader->next(record, errors)) ++lines;
  }
  finish(state, lines);
}

void open_msr(benchmark::State& state) {
  std::uint64_t lines = 0;
  for (auto _ : state) lines += make_trace_source(msr_trace(), TraceFormat::kMsr, options())->total_requests();
  finish(state, lines);
}

void run_msr(benchmark::State& state) {
  const auto once = make_trace_source(msr_trace(), TraceFormat::kMsr, options());
  LoadOptions repeated = options();
  repeated.trace.loops = 1'000;
  const auto source = make_trace_source(msr_trace(), TraceFormat::kMsr, repeated);
  std::uint64_t lines = 0;
  wordline::workload::Request request;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < once->total_requests(); ++i) lines += source->next(0, {}, request) ? 1 : 0;
  }
  finish(state, lines);
}

BENCHMARK(parse_msr)->Unit(benchmark::kMillisecond);
BENCHMARK(open_msr)->Unit(benchmark::kMillisecond);
BENCHMARK(run_msr)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
