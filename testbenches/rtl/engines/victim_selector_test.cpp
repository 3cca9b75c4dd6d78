// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The victim selector in gates, in lock-step with its reference: tables, pace of the memory, errors, commands that are
// refused; its time; what lies in memory at the end.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "models/engines/gate_times.h"
#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/engines/lock_step.h"
#include "testbenches/rtl/engines/victim_reference.h"

namespace wordline::testing::engines {
namespace {

using rtl::VictimSelector;

constexpr std::uint32_t kTable = 0x2000'0100, kVictim = 0x2004'0000;

/// A table of superblocks in memory, and the answer behind VICTIM.
struct Tables {
  std::uint32_t stride = 8;
  std::vector<wl_superblock_head> heads;
  std::uint32_t done = 0, superblock = 0;

  static Tables random(Random& random) {
    Tables tables;
    tables.stride = 8 + 4 * random.below(6);
    const std::uint32_t superblocks = random.below(64) == 0 ? 1 + random.below(200) : 1 + random.below(10);
    const std::uint32_t range = 1 + random.below(random.chance(128) ? 4 : 0x10000);
    for (std::uint32_t i = 0; i < superblocks; ++i) {
      wl_superblock_head head{};
      head.valid = random.below(40) == 0 ? 0U - random.below(2) : random.below(range);
      head.state = random.chance(150) ? WL_SUPERBLOCK_SEARCHED : static_cast<std::uint8_t>(random.word());
      head.bad = static_cast<std::uint8_t>(random.word());
      head.reserved = static_cast<std::uint16_t>(random.word());
      tables.heads.push_back(head);
    }
    tables.done = random.word();
    tables.superblock = random.word();
    return tables;
  }
  [[nodiscard]] VictimSelector::Settings settings() const {
    return {true, kTable, stride, static_cast<std::uint32_t>(heads.size()), kVictim};
  }

  /// False: there is nothing of the table at that address.
  bool access(const rtl::WordMemoryOut& request, std::uint32_t& rdata) {
    if (request.address == kVictim || request.address == kVictim + 4) {
      std::uint32_t& word = request.address == kVictim ? done : superblock;
      if (request.write) word = request.wdata;
      rdata = word;
      return true;
    }
    const std::uint32_t offset = request.address - kTable;
    if (request.write || offset % stride > 4 || offset / stride >= heads.size()) return false;
    const wl_superblock_head& head = heads[offset / stride];
    rdata = offset % stride == 0 ? head.valid
                                 : static_cast<std::uint32_t>(head.state) | static_cast<std::uint32_t>(head.bad) << 8 |
                                       static_cast<std::uint32_t>(head.reserved) << 16;
    return true;
  }
};

bool same(const VictimSelector::Outputs& a, const VictimSelector::Outputs& b) {
  return a.memory.valid == b.memory.valid &&
         (!a.memory.valid || (a.memory.write == b.memory.write && a.memory.address == b.memory.address &&
                              (!a.memory.write || a.memory.wdata == b.memory.wdata))) &&
         a.irq == b.irq && a.refused == b.refused && a.failed == b.failed && a.busy == b.busy &&
         a.searched == b.searched;
}

/// Block and reference on one memory. A run of searches ends with both idle.
class LockStep {
 public:
  explicit LockStep(Tally& tally) : tally_(tally) {}

  struct End {
    bool irq = false, failed = false, refused = false;
    std::uint64_t clocks = 0;  // from the command to the clock of the interrupt
  };

  /// One command; `again`: how often, in 256 clocks, another one comes while it is worked on.
  End search(Tables& tables, const VictimSelector::Settings& settings, std::uint32_t from, Random& random,
             const Pace& pace, std::uint32_t again) {
    LateMemory<rtl::WordMemoryOut> memory(random, pace);
    End end;
    ++tally_.requests;
    VictimSelector::Inputs in;
    in.settings = settings;
    for (std::uint64_t clocks = 0;; ++clocks) {
      if (clocks > 1'000'000) throw std::runtime_error("the victim selector hangs");
      memory.begin_clock();
      in.search = clocks == 0 || random.chance(again);
      in.search_from = clocks == 0 ? from : random.word();
      in.memory = {memory.ready(), memory.answers(), memory.fails(), random.word()};
      if (memory.answers() && !tables.access(memory.answered(), in.memory.rdata)) {
        throw std::runtime_error(fmt::format("an access at {:x}", memory.answered().address));
      }
      const VictimSelector::Outputs out = compare(settings);
      if (clocks != 0 && (out.irq || out.failed || (clocks == 1 && out.refused))) {
        end.irq = out.irq;
        end.failed = out.failed;
        end.refused = clocks == 1 && out.refused;
        end.clocks = clocks;
        in.search = false;
      }
      block_.clock(in);
      reference_.clock(in);
      memory.end_clock(out.memory.valid, out.memory);
      if (end.clocks != 0) break;
    }
    compare(settings);
    return end;
  }

 private:
  VictimSelector::Outputs compare(const VictimSelector::Settings& settings) {
    const VictimSelector::Outputs out = block_.outputs();
    ++tally_.clocks;
    if (!same(out, reference_.outputs(settings))) {
      if (++tally_.differences < 5) ADD_FAILURE() << "clock " << tally_.clocks << ", request " << tally_.requests;
    }
    return out;
  }

  Tally& tally_;
  VictimSelector block_;
  VictimReference reference_;
};

/// As the contract says it, of the table as a whole.
std::uint32_t victim_of(const Tables& tables, std::uint32_t from) {
  std::uint32_t found = WL_NONE;
  const auto superblocks = static_cast<std::uint32_t>(tables.heads.size());
  for (std::uint32_t i = 0; i < superblocks; ++i) {
    const std::uint32_t superblock = (from + i) % superblocks;
    const wl_superblock_head& head = tables.heads[superblock];
    if (head.state != WL_SUPERBLOCK_SEARCHED || head.valid == WL_NONE) continue;
    if (found == WL_NONE || head.valid < tables.heads[found].valid) found = superblock;
  }
  return found;
}

TEST(RtlVictimSelector, IsInLockStepWithItsReference) {
  Tally tally("victim_selector");
  LockStep both(tally);
  Random random(0x766963);
  const std::uint64_t requests = lock_step_requests(20'000);
  std::uint64_t found = 0, failed = 0, refused = 0;
  while (tally.requests < requests && tally.differences == 0) {
    Tables tables = Tables::random(random);
    const Tables before = tables;
    VictimSelector::Settings settings = tables.settings();
    std::uint32_t from = random.below(settings.superblocks);
    bool legal = true;
    if (random.below(32) == 0) {
      legal = false;
      switch (random.below(4)) {
        case 0:
          settings.enable = false;
          break;
        case 1:
          settings.superblock_stride = random.below(8);
          break;
        case 2:
          settings.superblocks |= 0x10000U << random.below(16);
          break;
        default:
          from = settings.superblocks + random.below(3);
      }
    }
    const LockStep::End end =
        both.search(tables, settings, from, random, Pace::random(random), random.below(8) == 0 ? 30 : 0);
    ASSERT_EQ(end.refused, !legal);
    if (end.irq) {
      ASSERT_EQ(tables.superblock, victim_of(before, from)) << "request " << tally.requests;
      ASSERT_EQ(tables.done, before.done + 1);
    } else if (end.refused) {
      ASSERT_EQ(tables.done, before.done);
      ASSERT_EQ(tables.superblock, before.superblock);
    }
    found += end.irq ? 1 : 0;
    failed += end.failed ? 1 : 0;
    refused += end.refused ? 1 : 0;
  }
  EXPECT_EQ(tally.differences, 0U);
  EXPECT_GT(found, requests * 3 / 4);
  EXPECT_GT(failed, requests / 500);
  EXPECT_GT(refused, requests / 100);
}

/// The modelled selector has these numbers: 11 clocks for the last superblock, 2 for each other.
TEST(RtlVictimSelector, TakesTwoClocksASuperblock) {
  Tally tally("victim_selector");
  LockStep both(tally);
  Random random(1);
  const auto& times = *wordline::engines::gate_times(wordline::engines::EngineId::kVictim);
  for (const std::uint32_t superblocks : {1U, 2U, 100U, 5000U}) {
    Tables tables;
    tables.heads.resize(superblocks, {7, WL_SUPERBLOCK_SEARCHED, 0, 0});
    const LockStep::End end = both.search(tables, tables.settings(), superblocks / 2, random, Pace{}, 0);
    EXPECT_TRUE(end.irq);
    EXPECT_EQ(end.clocks, times.interval * (superblocks - 1) + times.latency);
    EXPECT_EQ(tables.superblock, superblocks / 2);
  }
}

TEST(RtlVictimSelector, AnAnswerThatNothingWaitsForStopsIt) {
  VictimSelector block;
  VictimSelector::Inputs in;
  block.clock(in);
  in.memory.answer = true;
  EXPECT_THROW(block.clock(in), rtl::SimulationStopped);
}

TEST(RtlVictimSelector, RegistersThatChangeDuringASearchStopIt) {
  VictimSelector block;
  VictimSelector::Inputs in;
  in.settings = {true, kTable, 8, 4, kVictim};
  in.search = true;
  block.clock(in);
  in.search = false;
  block.clock(in);
  in.settings.superblock_table += 8;
  EXPECT_THROW(block.clock(in), rtl::SimulationStopped);
}

}  // namespace
}  // namespace wordline::testing::engines
