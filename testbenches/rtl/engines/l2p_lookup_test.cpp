// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The L2P lookup in gates, in lock-step with its reference: reads and writes in flight, pace of every port, errors,
// requests that are refused, a map that changes meanwhile; its time; what lies in memory at the end.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "models/engines/gate_times.h"
#include "models/units/keyed_random.h"
#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/engines/l2p_reference.h"
#include "testbenches/rtl/engines/lock_step.h"

namespace wordline::testing::engines {
namespace {

using rtl::L2pLookup;

constexpr std::uint32_t kMap = 0x8000'0000, kLookups = 0x2010'0000, kStates = 0x2000'4000;
constexpr std::uint32_t kTags = 1U << L2pLookup::kTagBits;

/// The map, the states of logical pages and the answers by tag. The map has versions: as firmware does it, an entry
/// changes first and is counted then.
class Memories {
 public:
  Memories() : states_(WL_LPAGE_STATES), versions_(WL_LPAGE_STATES), lookups_(kTags) {}

  [[nodiscard]] static std::uint32_t map_word(std::uint32_t lpn, std::uint32_t version) {
    const auto word = static_cast<std::uint32_t>(keyed_hash(7, lpn, version));
    return word % 4 == 0 ? 0 : word;
  }
  L2pLookup::Words burst_beat(std::uint32_t address, unsigned beat) const {
    L2pLookup::Words words;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t lpn = (address - kMap) / 4 + beat * 4 + i;
      words[i] = map_word(lpn, versions_[lpn % WL_LPAGE_STATES]);
    }
    return words;
  }
  void access(const rtl::WordMemoryOut& request, L2pLookup::Words& rdata) {
    if (request.address - kStates < WL_LPAGE_STATES * sizeof(wl_lpage_state)) {
      wl_lpage_state& state = states_[(request.address - kStates) / sizeof(wl_lpage_state)];
      if (request.write) {
        if (request.address % 16 != 0) throw std::runtime_error("a write of another word than `opened`");
        state.opened = request.wdata;
      }
      rdata = {state.opened, state.closed, state.changes, 0x5a5a'5a5a};
      return;
    }
    if (!request.write) throw std::runtime_error(fmt::format("a read at {:x}", request.address));
    write(request.address, request.wdata);
  }
  void write(std::uint32_t address, std::uint32_t word) {
    const std::uint32_t offset = address - kLookups;
    if (offset >= kTags * sizeof(wl_lookup)) throw std::runtime_error(fmt::format("a write at {:x}", address));
    wl_lookup& lookup = lookups_[offset / sizeof(wl_lookup)];
    const std::uint32_t place = offset % sizeof(wl_lookup) / 4;
    (place < WL_LOOKUP_LPAGES ? lookup.value[place] : lookup.changes[place % WL_LOOKUP_LPAGES]) = word;
  }
  /// Firmware, half of a change of the map at a time.
  void firmware(Random& random) {
    const std::uint32_t i = random.below(WL_LPAGE_STATES);
    if (versions_[i] == states_[i].changes) {
      ++versions_[i];
    } else {
      states_[i].changes = states_[i].changes + 1;
    }
    if (random.chance(64)) states_[i].closed = states_[i].opened;
  }
  /// The answer has what the map had when, or after, the changes were counted that it says.
  [[nodiscard]] bool is_good(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages, bool initial) const {
    const wl_lookup& lookup = lookups_[tag];
    for (std::uint32_t i = 0; i < std::min(pages, WL_LOOKUP_LPAGES); ++i) {
      const std::uint32_t now = versions_[(lpn + i) % WL_LPAGE_STATES];
      bool found = false;
      for (std::uint32_t v = lookup.changes[i]; v <= now && !found; ++v)
        found = lookup.value[i] == wl_map_resolve(map_word(lpn + i, v), lpn + i, initial ? 1 : 0);
      if (!found) return false;
    }
    return true;
  }
  void forget(std::uint16_t tag) { lookups_[tag] = {}; }
  [[nodiscard]] std::uint64_t opened() const {
    std::uint64_t sum = 0;
    for (const wl_lpage_state& state : states_) sum += state.opened;
    return sum;
  }

 private:
  std::vector<wl_lpage_state> states_;
  std::vector<std::uint32_t> versions_;
  std::vector<wl_lookup> lookups_;
};

/// Bursts of the map, in order, as beats that stay until they are taken.
class Dram {
 public:
  Dram(Random& random, Pace pace, const Memories& memories) : random_(random), pace_(pace), memories_(memories) {}
  void begin_clock(L2pLookup::Inputs& in) {
    ++now_;
    in.dram_ready = random_.chance(pace_.ready);
    if (!offers_ && !bursts_.empty() && bursts_.front().due <= now_ && random_.chance(pace_.ready)) {
      offers_ = true;
      in.beat = memories_.burst_beat(bursts_.front().address, beat_);
      in.beat_error = (random_.word() & 0xffffU) < pace_.errors;
    }
    in.beat_valid = offers_;
  }
  void end_clock(const L2pLookup::Inputs& in, const L2pLookup::Outputs& out) {
    if (offers_ && out.beat_ready) {
      offers_ = false;
      beat_ = (beat_ + 1) % 4;
      if (beat_ == 0) bursts_.pop_front();
    }
    if (out.dram_valid && in.dram_ready) {
      bursts_.push_back({now_ + pace_.latency + random_.below(pace_.jitter + 1), out.dram_address});
    }
  }

 private:
  struct Burst {
    std::uint64_t due;
    std::uint32_t address;
  };
  Random& random_;
  const Pace pace_;
  const Memories& memories_;
  std::deque<Burst> bursts_;
  std::uint64_t now_ = 0;
  unsigned beat_ = 0;
  bool offers_ = false;
};

bool same(const L2pLookup::Outputs& a, const L2pLookup::Outputs& b) {
  const bool mem =
      a.mem.valid == b.mem.valid && (!a.mem.valid || (a.mem.write == b.mem.write && a.mem.address == b.mem.address &&
                                                      (!a.mem.write || a.mem.wdata == b.mem.wdata)));
  const bool dram = a.dram_valid == b.dram_valid && (!a.dram_valid || a.dram_address == b.dram_address);
  const bool value =
      a.value_valid == b.value_valid && (!a.value_valid || (a.value_address == b.value_address && a.value == b.value));
  const bool answer = a.answer_valid == b.answer_valid &&
                      (!a.answer_valid || (a.answer.tag == b.answer.tag && a.answer.refused == b.answer.refused &&
                                           a.answer.failed == b.answer.failed && a.answer.written == b.answer.written));
  return mem && dram && value && answer && a.request_ready == b.request_ready && a.beat_ready == b.beat_ready &&
         a.busy == b.busy && a.looked_up == b.looked_up;
}

struct Paces {
  Pace memory, dram;
  std::uint32_t requests = 256, value = 256, answer = 256;
};

class LockStep {
 public:
  explicit LockStep(Tally& tally) : tally_(tally) {}

  std::uint64_t refused = 0, failed = 0, written = 0;
  Memories memories;

  /// Requests from idle to idle. Returns the clocks.
  std::uint64_t run(const std::deque<L2pLookup::Request>& requests, const L2pLookup::Settings& settings, Random& random,
                    const Paces& paces, bool firmware) {
    LateMemory<rtl::WordMemoryOut> memory(random, paces.memory);
    Dram dram(random, paces.dram, memories);
    std::deque<L2pLookup::Request> left = requests, open;
    L2pLookup::Inputs in;
    in.settings = settings;
    std::uint64_t clocks = 0;
    for (; !left.empty() || !open.empty(); ++clocks) {
      if (clocks > 1000 * 1000 * 10) throw std::runtime_error("the L2P lookup hangs");
      if (!in.request_valid && !left.empty() && random.chance(paces.requests)) {
        in.request_valid = true;
        in.request = left.front();
        memories.forget(in.request.tag);
      }
      if (firmware) memories.firmware(random);
      memory.begin_clock();
      in.mem_ready = memory.ready();
      in.mem_answer = memory.answers();
      in.mem_error = memory.fails();
      if (memory.answers()) memories.access(memory.answered(), in.mem_rdata);
      dram.begin_clock(in);
      in.value_ready = random.chance(paces.value);
      in.answer_ready = random.chance(paces.answer);
      const L2pLookup::Outputs out = compare();
      block_.clock(in);
      reference_.clock(in);
      memory.end_clock(out.mem.valid, out.mem);
      dram.end_clock(in, out);
      if (out.value_valid && in.value_ready) memories.write(out.value_address, out.value);
      if (in.request_valid && out.request_ready) {
        in.request_valid = false;
        open.push_back(left.front());
        left.pop_front();
        ++tally_.requests;
      }
      if (out.answer_valid && in.answer_ready) {
        check(open.front(), out.answer, settings);
        open.pop_front();
      }
    }
    compare();
    return clocks;
  }

 private:
  L2pLookup::Outputs compare() {
    const L2pLookup::Outputs out = block_.outputs();
    ++tally_.clocks;
    if (!same(out, reference_.outputs()) && ++tally_.differences < 5) {
      ADD_FAILURE() << "clock " << tally_.clocks << ", request " << tally_.requests;
    }
    return out;
  }
  void check(const L2pLookup::Request& request, const L2pLookup::Answer& answer, const L2pLookup::Settings& settings) {
    EXPECT_EQ(answer.tag, request.tag);
    const bool legal =
        request.lpages != 0 && std::uint64_t{request.lpn} + request.lpages <= std::uint64_t{settings.map_lpages};
    EXPECT_EQ(answer.refused, !legal);
    refused += answer.refused ? 1 : 0;
    failed += answer.failed ? 1 : 0;
    written += answer.written ? 1 : 0;
    if (request.write || answer.refused || answer.failed) return;
    EXPECT_TRUE(memories.is_good(request.tag, request.lpn, request.lpages, settings.map_initial))
        << "request " << tally_.requests;
  }

  Tally& tally_;
  L2pLookup block_;
  L2pReference reference_;
};

L2pLookup::Request random_request(Random& random, std::uint32_t map_lpages) {
  L2pLookup::Request request;
  request.write = random.chance(70);
  request.tag = static_cast<std::uint16_t>(random.below(kTags));
  request.lpages = random.chance(120) ? 1 : random.chance(200) ? 1 + random.below(8) : random.below(45);
  request.lpn = random.below(map_lpages);
  if (random.below(40) == 0) request.lpn = map_lpages - random.below(40);
  if (random.below(200) == 0) request.lpn = random.word();
  return request;
}

TEST(RtlL2pLookup, IsInLockStepWithItsReference) {
  Tally tally("l2p_lookup");
  LockStep both(tally);
  Random random(0x6c3270);
  const std::uint64_t requests = lock_step_requests(20'000);
  while (tally.requests < requests && tally.differences == 0) {
    const L2pLookup::Settings settings{kMap, 64 + random.below(random.chance(128) ? 200 : 1U << 28), random.chance(128),
                                       kLookups, kStates};
    std::deque<L2pLookup::Request> some;
    const std::uint32_t count = 1 + random.below(120);
    std::uint64_t opened = both.memories.opened();
    for (std::uint32_t i = 0; i < count; ++i) {
      // A tag is in flight once.
      L2pLookup::Request request = random_request(random, settings.map_lpages);
      request.tag = static_cast<std::uint16_t>((request.tag & ~127U) | i);
      some.push_back(request);
      const bool legal = std::uint64_t{request.lpn} + request.lpages <= std::uint64_t{settings.map_lpages};
      if (request.write && legal) opened += request.lpages;
    }
    Paces paces;
    paces.memory = Pace::random(random);
    paces.dram = Pace::random(random);
    paces.requests = random.chance(128) ? 256 : 10 + random.below(246);
    paces.value = random.chance(128) ? 256 : 30 + random.below(226);
    paces.answer = random.chance(128) ? 256 : 3 + random.below(253);
    both.run(some, settings, random, paces, random.chance(128));
    if (paces.memory.errors == 0) {
      ASSERT_EQ(both.memories.opened(), opened) << "after request " << tally.requests;
    }
  }
  EXPECT_EQ(tally.differences, 0U);
  EXPECT_GT(both.refused, requests / 100);
  EXPECT_GT(both.failed, requests / 500);
  EXPECT_GT(both.written, requests / 100);
}

/// The modelled lookup has these numbers; here a clock of memory and one of the answer come on top.
TEST(RtlL2pLookup, TakesItsClocks) {
  Tally tally("l2p_lookup");
  Random random(1);
  const L2pLookup::Settings settings{kMap, 1U << 20, true, kLookups, kStates};
  const auto clocks = [&](const std::deque<L2pLookup::Request>& requests) {
    LockStep both(tally);
    return both.run(requests, settings, random, {}, false);
  };
  using wordline::engines::lookup_clocks;
  EXPECT_EQ(clocks({{false, 3, 100, 1}}), lookup_clocks(1, 1).latency + 2);
  EXPECT_EQ(clocks({{false, 3, 100, 2}}), lookup_clocks(2, 1).latency + 2);
  EXPECT_EQ(clocks({{false, 3, 111, 2}}), lookup_clocks(2, 2).latency + 2);
  EXPECT_EQ(clocks({{false, 3, 0, 100}}), clocks({{false, 3, 0, 32}}));
  // One after the other: what a lookup more takes.
  std::deque<L2pLookup::Request> many;
  for (std::uint16_t i = 0; i < 1000; ++i) many.push_back({false, i, 16U * i, 1});
  EXPECT_EQ(clocks(many), lookup_clocks(1, 1).latency + 2 + 999 * lookup_clocks(1, 1).interval);
}

TEST(RtlL2pLookup, AWithdrawnRequestStopsIt) {
  L2pLookup block;
  L2pLookup::Inputs in;
  in.settings = {kMap, 1000, true, kLookups, kStates};
  in.request_valid = true;
  in.request = {false, 1, 5, 1};
  block.clock(in);  // it is taken
  in.request.tag = 2;
  block.clock(in);
  in.request_valid = false;
  EXPECT_THROW(block.clock(in), rtl::SimulationStopped);
}

TEST(RtlL2pLookup, RegistersThatChangeMeanwhileStopIt) {
  L2pLookup block;
  L2pLookup::Inputs in;
  in.settings = {kMap, 1000, true, kLookups, kStates};
  in.request_valid = true;
  in.request = {false, 1, 5, 1};
  block.clock(in);
  in.request_valid = false;
  block.clock(in);
  in.settings.map_base += 64;
  EXPECT_THROW(block.clock(in), rtl::SimulationStopped);
}

}  // namespace
}  // namespace wordline::testing::engines
