// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_tap through the door that the drive uses: data to the flash and back, of ten logical pages, both halves.
#include "bench.h"

int main() {
  Bench bench;
  std::vector<std::uint64_t> data(256), stored(256), back(256);
  int problems = 0;
  for (std::uint64_t page = 0; page < 10; ++page) {
    for (std::uint64_t half = 0; half < 2; ++half) {
      for (std::uint64_t& beat : data) beat = std::uint64_t{bench.random()} << 32 | bench.random();
      bench.set("s_axis_tuser_i", std::uint64_t{1} << 33 | half << 32 | page);
      bench.pass(data, stored, true);
      bench.set("s_axis_tuser_i", half << 32 | page);
      const std::uint64_t clocks = bench.pass(stored, back, false);
      if (back != data) {
        std::printf("page %d: not the data that were written\n", static_cast<int>(page));
        ++problems;
      }
      if (page + half == 0) std::printf("a read takes %d clocks more\n", static_cast<int>(clocks) - 256);
    }
  }
  bench.print_counters();
  return verdict(problems);
}
