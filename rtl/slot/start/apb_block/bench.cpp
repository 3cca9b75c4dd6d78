// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_block through the door that the drive uses: transfers over APB, the interrupt after as many clocks as were asked
// for, and an error for what is no register.
#include "bench.h"

namespace {

struct Answer {
  bool error;
  std::uint32_t data;
};

Answer transfer(Bench& bench, bool write, std::uint32_t address, std::uint32_t data = 0) {
  bench.set("psel_i", 1);
  bench.set("pwrite_i", write ? 1 : 0);
  bench.set("paddr_i", address);
  bench.set("pwdata_i", data);
  bench.set("pstrb_i", write ? 0xf : 0);
  bench.clock();
  bench.set("penable_i", 1);
  for (bench.evaluate(); bench.get("pready_o") == 0; bench.evaluate()) bench.clock();
  const Answer answer{bench.get("pslverr_o") != 0, static_cast<std::uint32_t>(bench.get("prdata_o"))};
  bench.clock();
  bench.set("psel_i", 0);
  bench.set("penable_i", 0);
  bench.evaluate();
  return answer;
}

}  // namespace

int main() {
  Bench bench;
  int problems = 0;
  for (const std::uint32_t count : {1U, 7U, 100U}) {
    transfer(bench, true, 0x000, count);
    std::uint32_t clocks = 0;
    for (; bench.get("irq_o") == 0 && clocks < 1000; ++clocks) {
      if (bench.get("busy_o") == 0) ++problems;
      bench.clock();
      bench.evaluate();
    }
    std::printf("%u asked for: the interrupt after %u clocks\n", count, clocks);
    if (clocks != count || transfer(bench, false, 0x004).data != 1) ++problems;
    transfer(bench, true, 0x004, 1);
    if (bench.get("irq_o") != 0) ++problems;
  }
  if (transfer(bench, false, 0x008).data != 3) ++problems;
  if (!transfer(bench, true, 0x008).error || !transfer(bench, false, 0x010).error) ++problems;
  bench.print_counters();
  return verdict(problems);
}
