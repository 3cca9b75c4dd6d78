// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_victim through the door that the drive uses, with a table of superblocks made by hand in a memory that answers at
// times: 20 searches, compared with a plain one.
#include <array>
#include <deque>

#include "bench.h"

namespace {

constexpr std::uint32_t kTable = 0x1000, kStride = 24, kSuperblocks = 37, kVictim = 0x8000, kSearched = 3;

struct Memory {
  Bench& bench;
  std::vector<std::uint32_t> table = std::vector<std::uint32_t>(kSuperblocks * kStride / 4);
  std::array<std::uint32_t, 2> victim{};  // done, superblock
  std::deque<std::uint32_t> answers{};

  void clock() {
    const bool ready = bench.random() % 4 != 0, answers_now = !answers.empty() && bench.random() % 4 != 0;
    bench.set("mem_ready_i", ready ? 1 : 0);
    bench.set("mem_answer_i", answers_now ? 1 : 0);
    if (answers_now) {
      bench.set("mem_rdata_i", answers.front());
      answers.pop_front();
    }
    bench.evaluate();
    if (ready && bench.get("mem_valid_o") != 0) access();
    bench.clock();
  }

  void access() {
    const auto address = static_cast<std::uint32_t>(bench.get("mem_address_o"));
    const bool of_victim = address - kVictim < 8, of_table = address - kTable < 4 * table.size();
    std::uint32_t none = 0;
    std::uint32_t& word = of_victim ? victim[(address - kVictim) / 4] : of_table ? table[(address - kTable) / 4] : none;
    if (bench.get("mem_write_o") != 0 && of_victim) word = static_cast<std::uint32_t>(bench.get("mem_wdata_o"));
    answers.push_back(word);
  }

  /// Whether an interrupt came.
  bool search(std::uint32_t from) {
    bench.set("search_i", 1);
    bench.set("search_from_i", from);
    clock();
    bench.set("search_i", 0);
    while (true) {
      bench.evaluate();
      const bool irq = bench.get("irq_o") != 0, none = bench.get("refused_o") != 0 || bench.get("failed_o") != 0;
      clock();
      if (irq || none) return irq;
    }
  }
};

}  // namespace

int main() {
  Bench bench;
  bench.set("enable_i", 1);
  bench.set("superblock_table_i", kTable);
  bench.set("superblock_stride_i", kStride);
  bench.set("superblocks_i", kSuperblocks);
  bench.set("victim_i", kVictim);
  Memory memory{bench};
  int problems = 0;
  for (std::uint32_t search = 0; search < 20; ++search) {
    std::uint32_t fewest = ~0U, expected = ~0U;
    for (std::uint32_t i = 0; i < kSuperblocks; ++i) {
      memory.table[i * kStride / 4] = bench.random() % 20;
      memory.table[i * kStride / 4 + 1] = search == 0 ? 1 : bench.random() % 5;  // at first there is none to be found
    }
    for (std::uint32_t i = 0; i < kSuperblocks; ++i) {
      const std::uint32_t* const head = &memory.table[(search + i) % kSuperblocks * kStride / 4];
      if (head[1] != kSearched || head[0] >= fewest) continue;
      fewest = head[0];
      expected = (search + i) % kSuperblocks;
    }
    const bool good = memory.search(search) && memory.victim[1] == expected && memory.victim[0] == search + 1;
    std::printf("  search from %2u: %d%s\n", search, static_cast<int>(memory.victim[1]), good ? "" : "   wrong");
    problems += good ? 0 : 1;
  }
  problems += memory.search(kSuperblocks) ? 1 : 0;  // beyond the table: refused
  bench.print_counters();
  return verdict(problems);
}
