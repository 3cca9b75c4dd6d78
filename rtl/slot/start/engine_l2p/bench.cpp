// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_l2p through the door that the drive uses, with memories made by hand that answer at times: what a read finds, and
// what a write counts.
#include <array>
#include <deque>
#include <map>

#include "bench.h"

namespace {

constexpr std::uint32_t kMap = 0x80000000, kLookups = 0x20000, kStates = 0x10000, kLpages = 4000;
constexpr std::uint32_t kLookupBytes = 256, kMost = 32;  // of a tag; logical pages of a read
enum { kOpened, kClosed, kChanges };

struct Memories {
  Bench& bench;
  std::array<std::array<std::uint32_t, 3>, 1024> states{};
  std::vector<std::uint32_t> map = std::vector<std::uint32_t>(kLpages);
  std::map<std::uint32_t, std::uint32_t> written{};  // words of answers, by address
  std::deque<std::array<std::uint32_t, 3>> answers{};
  std::deque<std::uint32_t> beats{};  // the first entry of each
  bool beat = false;                  // one is offered, and stays

  bool now() { return bench.random() % 4 != 0; }

  /// A clock. Whether the answer of a request was taken in it.
  bool clock() {
    for (const char* ready : {"mem_ready_i", "dram_ready_i", "value_ready_i", "answer_ready_i"})
      bench.set(ready, now() ? 1 : 0);
    const bool answers_now = !answers.empty() && now();
    bench.set("mem_answer_i", answers_now ? 1 : 0);
    if (answers_now) {
      const auto [opened, closed, changes] = answers.front();
      bench.set_words("mem_rdata_i", {opened, closed, changes, 0});
      answers.pop_front();
    }
    beat = !beats.empty() && (beat || now());
    bench.set("beat_valid_i", beat ? 1 : 0);
    if (beat) {
      std::vector<std::uint32_t> words;
      for (std::uint32_t i = 0; i < 4; ++i) words.push_back(beats.front() + i < kLpages ? map[beats.front() + i] : 0);
      bench.set_words("beat_i", words);
    }
    bench.evaluate();
    if (taken("mem_valid_o", "mem_ready_i")) access();
    if (taken("dram_valid_o", "dram_ready_i")) {
      const auto first = static_cast<std::uint32_t>(bench.get("dram_address_o") - kMap) / 4;
      for (std::uint32_t i = 0; i < 16; i += 4) beats.push_back(first + i);
    }
    if (taken("value_valid_o", "value_ready_i")) {
      written[static_cast<std::uint32_t>(bench.get("value_address_o"))] =
          static_cast<std::uint32_t>(bench.get("value_o"));
    }
    if (beat && bench.get("beat_ready_o") != 0) {
      beats.pop_front();
      beat = false;
    }
    const bool ended = taken("answer_valid_o", "answer_ready_i");
    bench.clock();
    return ended;
  }

  bool taken(const char* valid, const char* ready) { return bench.get(valid) != 0 && bench.get(ready) != 0; }

  void access() {
    const auto address = static_cast<std::uint32_t>(bench.get("mem_address_o"));
    const bool write = bench.get("mem_write_o") != 0;
    const auto word = static_cast<std::uint32_t>(bench.get("mem_wdata_o"));
    const bool of_state = address - kStates < 16 * states.size();
    if (of_state && write) states[(address - kStates) / 16][kOpened] = word;
    if (!of_state && write) written[address] = word;
    answers.push_back(of_state ? states[(address - kStates) / 16] : std::array<std::uint32_t, 3>{});
  }

  /// {written, failed, refused} of the answer.
  unsigned request(bool write, std::uint32_t tag, std::uint32_t lpn, std::uint32_t lpages) {
    bench.set("request_valid_i", 1);
    bench.set("request_write_i", write ? 1 : 0);
    bench.set("request_tag_i", tag);
    bench.set("request_lpn_i", lpn);
    bench.set("request_lpages_i", lpages);
    for (bench.evaluate(); bench.get("request_ready_o") == 0; bench.evaluate()) clock();
    clock();
    bench.set("request_valid_i", 0);
    unsigned flags = 0;
    do {
      bench.evaluate();
      flags = static_cast<unsigned>(bench.get("answer_refused_o") | bench.get("answer_failed_o") << 1 |
                                    bench.get("answer_written_o") << 2);
    } while (!clock());
    return flags;
  }
};

int read(Memories& memories, std::uint32_t tag, std::uint32_t lpn, std::uint32_t lpages) {
  memories.written.clear();
  const unsigned flags = memories.request(false, tag, lpn, lpages);
  int wrong = 0;
  bool under_way = false;
  for (std::uint32_t i = 0; i < lpages && i < kMost; ++i) {
    const std::uint32_t at = kLookups + tag * kLookupBytes + 4 * i, entry = memories.map[lpn + i];
    const auto& state = memories.states[(lpn + i) % 1024];
    under_way = under_way || state[kOpened] != state[kClosed];
    wrong += memories.written[at] == (entry != 0 ? entry : lpn + i + 3) ? 0 : 1;
    wrong += memories.written[at + 4 * kMost] == state[kChanges] ? 0 : 1;
  }
  wrong += flags == (under_way ? 4U : 0U) ? 0 : 1;
  std::printf("  read of %3u from %4u: %d wrong\n", lpages, lpn, wrong);
  return wrong;
}

int write(Memories& memories, std::uint32_t lpn, std::uint32_t lpages) {
  auto expected = memories.states;
  for (std::uint32_t i = 0; i < lpages; ++i) ++expected[(lpn + i) % 1024][kOpened];
  const unsigned flags = memories.request(true, 0, lpn, lpages);
  const int wrong = expected == memories.states && flags == 0 ? 0 : 1;
  std::printf("  write of %3u from %4u: %d wrong\n", lpages, lpn, wrong);
  return wrong;
}

}  // namespace

int main() {
  Bench bench;
  bench.set("map_base_i", kMap);
  bench.set("map_lpages_i", kLpages);
  bench.set("map_initial_i", 1);  // entries of zero are the sequential fill
  bench.set("lookups_i", kLookups);
  bench.set("lpage_states_i", kStates);
  Memories memories{bench};
  for (std::uint32_t lpn = 0; lpn < kLpages; ++lpn) memories.map[lpn] = lpn % 3 == 0 ? 0 : 5000 - lpn;
  for (auto& state : memories.states) state = {7, 7, bench.random() % 100};
  int problems = 0;
  for (const std::uint32_t lpages : {1U, 5U, 17U, 32U, 40U}) problems += read(memories, lpages, 10 + lpages, lpages);
  problems += write(memories, 1000, 60);
  problems += read(memories, 3, 1015, 20);                              // a write of it is under way
  problems += memories.request(false, 4, kLpages - 1, 2) == 1 ? 0 : 1;  // ends beyond the map
  bench.print_counters();
  return verdict(problems);
}
