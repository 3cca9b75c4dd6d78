// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_encoder through the door that the drive uses: the information of a codeword goes in, and the codeword has to come
// out, in ten runs with source and sink that wait at times and one without.
//   bench codeword.hex
#include "bench.h"

int main(int argc, char** argv) {
  const std::vector<std::uint64_t> codeword = beats_of(argc > 1 ? argv[1] : "codeword.hex");
  const std::vector<std::uint64_t> information(codeword.begin(), codeword.begin() + 260);
  std::vector<std::uint64_t> out(codeword.size());
  int problems = 0;
  Bench bench;
  for (int run = 0; run <= 10; ++run) {
    const std::uint64_t clocks = bench.pass(information, out, run != 0);
    if (out != codeword) {
      std::printf("run %d: not the codeword\n", run);
      ++problems;
    }
    if (run == 0) std::printf("a codeword takes %llu clocks\n", static_cast<unsigned long long>(clocks));
  }
  bench.print_counters();
  return verdict(problems);
}
