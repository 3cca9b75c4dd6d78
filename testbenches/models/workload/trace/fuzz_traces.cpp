// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_traces [LINES [SEED]]: as the test, for longer. Exit code 1 when a line was misread.
#include <cstdio>
#include <cstdlib>

#include "testbenches/models/workload/trace/line_fuzz.h"

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const auto result = wordline::workload::fuzz_lines(argument(1, 1'000'000), argument(2, 1));
  std::printf("%llu damaged lines: %llu requests, %llu refused, %llu left out and counted, %zu misread\n",
              static_cast<unsigned long long>(result.lines), static_cast<unsigned long long>(result.requests),
              static_cast<unsigned long long>(result.refused), static_cast<unsigned long long>(result.left_out),
              result.failures.size());
  for (const std::string& failure : result.failures) std::printf("  %s\n", failure.c_str());
  return result.failures.empty() ? 0 : 1;
}
