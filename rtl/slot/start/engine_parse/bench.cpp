// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_parse through the door that the drive uses, with a table of two namespaces made by hand in a memory that answers
// at times: five entries, good ones and bad ones.
#include <deque>

#include "bench.h"

namespace {

constexpr std::uint32_t kTable = 0x4000;
constexpr std::uint64_t kBlocks = 1000;  // of 512 bytes, of each namespace

/// A doubleword of the table: the number of namespaces and the shift of a block, then where each begins and its blocks.
std::uint64_t word(std::uint32_t address) {
  constexpr std::uint64_t kWords[] = {2, 0, kBlocks, kBlocks, kBlocks};
  return kWords[(address - kTable) / 8];
}

struct Said {
  unsigned status, op, blocks, lpages, pages;
  std::uint64_t first;
  bool operator==(const Said& other) const {
    return status == other.status && op == other.op && blocks == other.blocks && lpages == other.lpages &&
           pages == other.pages && first == other.first;
  }
};

struct Entry {
  unsigned opcode, nsid, slba, nlb;
  std::uint64_t prp1, prp2;
};

Said parse(Bench& bench, unsigned tag, const Entry& entry) {
  std::vector<std::uint32_t> dwords(16);
  dwords[0] = entry.opcode;
  dwords[1] = entry.nsid;
  for (unsigned i = 0; i < 2; ++i) {
    dwords[6 + i] = static_cast<std::uint32_t>(entry.prp1 >> 32 * i);
    dwords[8 + i] = static_cast<std::uint32_t>(entry.prp2 >> 32 * i);
  }
  dwords[10] = entry.slba;
  dwords[12] = entry.nlb - 1;
  bench.set_words("entry_i", dwords);
  bench.set("entry_tag_i", tag);
  bench.set("entry_valid_i", 1);
  std::deque<std::uint64_t> answers;
  while (true) {
    const bool ready = bench.random() % 4 != 0, answers_now = !answers.empty() && bench.random() % 4 != 0;
    bench.set("mem_ready_i", ready ? 1 : 0);
    bench.set("answer_ready_i", ready ? 1 : 0);
    bench.set("mem_answer_i", answers_now ? 1 : 0);
    if (answers_now) {
      bench.set("mem_rdata_i", answers.front());
      answers.pop_front();
    }
    bench.evaluate();
    const bool taken = bench.get("entry_valid_i") != 0 && bench.get("entry_ready_o") != 0;
    if (ready && bench.get("mem_valid_o") != 0)
      answers.push_back(word(static_cast<std::uint32_t>(bench.get("mem_address_o"))));
    const bool ends = ready && bench.get("answer_valid_o") != 0;
    const auto field = [&](const char* name) { return static_cast<unsigned>(bench.get(name)); };
    const Said said{field("answer_status_o"), field("answer_op_o"),    field("answer_blocks_o"),
                    field("answer_lpages_o"), field("answer_pages_o"), bench.get("answer_first_o")};
    const bool same_tag = bench.get("answer_tag_o") == tag;
    bench.clock();
    if (taken) bench.set("entry_valid_i", 0);
    if (ends && !same_tag) std::printf("  the answer has another tag\n");
    if (ends) return same_tag ? said : Said{~0U, 0, 0, 0, 0, 0};
  }
}

int compare(Bench& bench, const char* what, unsigned tag, const Entry& entry, const Said& expected) {
  Said said = parse(bench, tag, entry);
  if (expected.status != 0) said = {said.status, 0, 0, 0, 0, 0};  // the rest says nothing
  std::printf("  %-28s status %04x%s\n", what, said.status, said == expected ? "" : "   wrong");
  return said == expected ? 0 : 1;
}

}  // namespace

int main() {
  constexpr unsigned kRead = 2, kWrite = 1, kDoNotRetry = 0x4000;
  Bench bench;
  bench.set("namespace_table_i", kTable);
  bench.set("max_blocks_i", 256);
  bench.set("lpage_shift_i", 3);  // logical pages of 4 KiB
  int problems = 0;
  problems += compare(bench, "read of 8 blocks", 1, {kRead, 1, 16, 8, 0x10000, 0}, {0, kRead, 8, 1, 1, 16});
  problems += compare(bench, "write across logical pages", 2, {kWrite, 2, 4, 8, 0x10200, 0x11000},
                      {0, kWrite, 8, 2, 2, kBlocks + 4});
  problems +=
      compare(bench, "beyond the namespace", 3, {kRead, 1, 996, 8, 0x10000, 0}, {kDoNotRetry | 0x80, 0, 0, 0, 0, 0});
  problems += compare(bench, "no such namespace", 4, {kRead, 3, 0, 8, 0x10000, 0}, {kDoNotRetry | 0x0b, 0, 0, 0, 0, 0});
  problems += compare(bench, "no such command", 5, {0x7f, 1, 0, 8, 0x10000, 0}, {kDoNotRetry | 0x01, 0, 0, 0, 0, 0});
  bench.print_counters();
  return verdict(problems);
}
