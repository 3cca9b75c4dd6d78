// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// GC's engines against plain searches and copies, their times, and what they hand to the firmware.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/engines/engine_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::engine_gc_test {
namespace {

namespace regs = registers::engines;

constexpr std::uint32_t kPpa0 = 3;
constexpr std::uint32_t kUnit = EngineBench::kPageLpages * EngineBench::kUnitPages;
constexpr std::uint32_t kCollect = WL_ENGINE_GC | WL_ENGINE_COPY;

void pass(Picoseconds t) { sc_core::wait(tlm_if::to_sc_time(t)); }

// ---- victim ---------------------------------------------------------------------------------------------------------

std::uint32_t search(EngineBench& b, std::uint32_t from) {
  const std::uint32_t done = b.victim().done;
  b.write(regs::search, from);
  pass(10_us);
  EXPECT_EQ(b.victim().done, done + 1);
  return b.victim().superblock;
}

TEST(VictimSelector, FindsWhatAPlainSearchFinds) {
  play(WL_ENGINE_VICTIM, [](EngineBench& b) {
    std::mt19937 random(7);
    for (unsigned round = 0; round < 60; ++round) {
      const std::uint32_t range = round % 3 == 0 ? 2 : 50;  // many equal ones, few
      for (std::uint32_t i = 0; i < EngineBench::kSuperblocks; ++i) {
        b.superblock(i).valid = random() % range;
        b.superblock(i).state = static_cast<std::uint8_t>(random() % 8);
      }
      const std::uint32_t from = random() % EngineBench::kSuperblocks;
      std::uint32_t best = WL_LPN_NONE;
      std::pair<std::uint32_t, std::uint32_t> least{~0U, ~0U};
      for (std::uint32_t i = 0; i < EngineBench::kSuperblocks; ++i) {
        const std::uint32_t distance = (i + EngineBench::kSuperblocks - from) % EngineBench::kSuperblocks;
        if (b.superblock(i).state == WL_SUPERBLOCK_SEARCHED && std::pair(b.superblock(i).valid, distance) < least) {
          least = {b.superblock(i).valid, distance};
          best = i;
        }
      }
      ASSERT_EQ(search(b, from), best) << "round " << round;
    }
    EXPECT_EQ(b.read(regs::searched), 60U);
  });
}

TEST(VictimSelector, SaysWhenNoSuperblockIsClosed) {
  play(WL_ENGINE_VICTIM, [](EngineBench& b) {
    for (std::uint32_t i = 0; i < EngineBench::kSuperblocks; ++i)
      b.superblock(i) = {1, WL_SUPERBLOCK_SEARCHED + 1, 0, 0};
    EXPECT_EQ(search(b, 3), WL_LPN_NONE);
    b.superblock(5).state = WL_SUPERBLOCK_SEARCHED;
    b.superblock(5).valid = ~0U - 1;
    EXPECT_EQ(search(b, 3), 5U);
  });
}

TEST(VictimSelector, TakesAnIntervalPerSuperblock) {
  play(WL_ENGINE_VICTIM, [](EngineBench& b) {
    b.write(regs::search, 0, 100_ns);
    pass(100_ns + (EngineBench::kSuperblocks - 1) * 5_ns + 9_ns - 1_ps);
    EXPECT_EQ(b.victim().done, 0U);
    EXPECT_TRUE(b.raised.empty());
    pass(1_ps);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(b.victim().done, 1U);
    EXPECT_EQ(b.raised, std::vector<unsigned>{WL_IRQ_ENGINE});
  });
}

// ---- copy -----------------------------------------------------------------------------------------------------------

/// Plays the flash: what a PPA holds is its number. Slots get it at the end of a read, units at their program.
struct Flash {
  EngineBench& b;
  std::size_t taken = 0;
  std::map<std::uint32_t, std::uint32_t> slots{};               // slot: PPA it was read from
  std::map<std::uint32_t, std::vector<std::uint32_t>> pages{};  // PPA: what was programmed from there on
  std::vector<wl_flash_job> programs{};

  static std::uint32_t ppa_of(const wl_flash_job& job) {
    const std::uint32_t row = job.page / EngineBench::kUnitPages;
    const std::uint32_t unit = row * EngineBench::kDies + job.die;
    return (job.block * EngineBench::kSuperblockUnits + unit) * kUnit +
           job.page % EngineBench::kUnitPages * EngineBench::kPageLpages + job.lpage;
  }
  /// Programs among the jobs since the last call are carried out; reads are returned.
  std::vector<wl_flash_job> take() {
    std::vector<wl_flash_job> reads;
    for (; taken != b.jobs.size(); ++taken) {
      const wl_flash_job& job = b.jobs[taken].job;
      if (job.op == WL_FLASH_READ) {
        reads.push_back(job);
        continue;
      }
      EXPECT_EQ(job.count, kUnit);
      EXPECT_EQ(job.flags, 0U) << "its end is the firmware's";
      programs.push_back(job);
      auto& to = pages[ppa_of(job)];
      for (std::uint32_t i = 0; i < kUnit; ++i)
        to.push_back(slots.count(job.slot + i) != 0 ? slots[job.slot + i] : ~0U);
    }
    return reads;
  }
  /// What the firmware gets, if anything.
  std::optional<wl_flash_completion> end(const wl_flash_job& job, wl_flash_status status = WL_FLASH_OK) {
    EXPECT_LE(job.lpage + job.count, EngineBench::kPageLpages) << "of one page";
    EXPECT_EQ(job.flags, WL_FLASH_COPY);
    EXPECT_EQ(job.priority, WL_PRIORITY_GC);
    for (std::uint32_t i = 0; i < job.count && status == WL_FLASH_OK; ++i) slots[job.slot + i] = ppa_of(job) + i;
    wl_flash_completion completion{job.id, static_cast<std::uint8_t>(status), 0, 0};
    if (b.block.copy_read(job, completion)) return {};
    return completion;
  }
};

std::uint32_t slot_of(std::uint32_t unit) { return EngineBench::kCopySlotFirst + unit * kUnit; }

TEST(CopyEngine, RandomUnitsArriveWholeInTheOrderInWhichTheyAreReady) {
  play(WL_ENGINE_COPY, [](EngineBench& b) {
    std::mt19937 random(3);
    Flash flash{b};
    for (std::uint32_t round = 0; round < 40; ++round) {
      // Two units at a time: runs of random length and PPA, here and there padding or a logical page that was lost.
      for (std::uint32_t u = 0; u < 2; ++u) {
        std::uint32_t ppa = random() % 4000;
        for (std::uint32_t i = 0; i < kUnit; ++i) {
          ppa = random() % 3 == 0 ? random() % 4000 : ppa + 1;
          b.source(slot_of(u) + i) = {random() % 8 == 0 ? WL_LPN_NONE : ppa, 10 * i + u};
        }
        b.post_copy({static_cast<std::uint16_t>(10 + u), 0, slot_of(u), (1000 + 2 * round + u) * kUnit});
      }
      b.ring();
      pass(5_us);
      std::vector<wl_flash_job> reads = flash.take();
      std::shuffle(reads.begin(), reads.end(), random);
      std::vector<std::uint16_t> ready;
      std::map<std::uint16_t, std::size_t> left;
      for (const auto& read : reads) ++left[read.id];
      for (const auto& read : reads) {
        const std::size_t before = flash.programs.size();
        EXPECT_FALSE(flash.end(read));
        flash.take();
        const bool last = --left[read.id] == 0;
        ASSERT_EQ(flash.programs.size(), before + (last ? 1 : 0))
            << "programmed when the last read has ended, not before";
        if (last) ready.push_back(read.id);
      }
      ASSERT_EQ(ready.size(), 2U);
      for (std::uint32_t k = 0; k < 2; ++k) {
        const std::uint32_t ppa = (1000 + 2 * round + k) * kUnit;
        const std::uint32_t u = ready[k] - 10U;
        EXPECT_EQ(b.copy_ppa(u), ppa) << "the first to be ready has the first PPA";
        EXPECT_EQ(flash.programs[2 * round + k].id, ready[k]);
        for (std::uint32_t i = 0; i < kUnit; ++i) {
          const wl_gc_source& from = b.source(slot_of(u) + i);
          const bool padding = from.ppa == WL_LPN_NONE;
          ASSERT_EQ(b.slot(slot_of(u) + i).lpn, padding ? WL_LPN_NONE : 10 * i + u);
          if (!padding) {
            ASSERT_EQ(flash.pages.at(ppa)[i], from.ppa);
          }
        }
      }
    }
    EXPECT_EQ(b.read(regs::copied), 80U);
    EXPECT_EQ(b.read(regs::copies_handed_over), 0U);
  });
}

TEST(CopyEngine, NeighboursOfAPageAreOneRead) {
  play(WL_ENGINE_COPY, [](EngineBench& b) {
    for (std::uint32_t i = 0; i < kUnit; ++i)
      b.source(slot_of(0) + i) = {100 + i, i};  // logical pages 4 to 7 of a page, two pages, 0 to 3
    b.post_copy({1, 0, slot_of(0), 0});
    const Picoseconds now = tlm_if::kernel_time();
    b.ring(200_ns);
    pass(1_us);
    ASSERT_EQ(b.jobs.size(), 4U);
    const std::uint16_t counts[] = {4, 8, 8, 4};
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(b.jobs[i].job.count, counts[i]);
      EXPECT_EQ(b.jobs[i].at.count(), (now + 200_ns + 15_ns + i * 5_ns).count());
    }
  });
}

TEST(CopyEngine, WhatCannotBeReadIsHandedOverAndTheOthersGoOn) {
  play(WL_ENGINE_COPY, [](EngineBench& b) {
    Flash flash{b};
    for (std::uint32_t u = 0; u < 2; ++u) {
      for (std::uint32_t i = 0; i < kUnit; ++i) b.source(slot_of(u) + i) = {1000 * u + 3 * i, i};  // no neighbours
      b.post_copy({static_cast<std::uint16_t>(20 + u), 0, slot_of(u), (208 + u) * kUnit});
    }
    b.ring();
    pass(2_us);
    const auto reads = flash.take();
    ASSERT_EQ(reads.size(), 2 * kUnit);
    const std::set<std::uint32_t> bad{2, 3, 17};
    for (std::uint32_t i = 0; i + 1 < kUnit; ++i) {
      EXPECT_FALSE(flash.end(reads[i], bad.count(i) != 0 ? WL_FLASH_UNCORRECTABLE : WL_FLASH_OK));
    }
    const auto told = flash.end(reads[kUnit - 1]);  // the last one is good: the unit is still not
    ASSERT_TRUE(told);
    EXPECT_EQ(told->id, 20);
    EXPECT_EQ(told->status, WL_FLASH_UNCORRECTABLE);
    for (std::uint32_t i = 0; i < kUnit; ++i)
      EXPECT_EQ(b.source(slot_of(0) + i).ppa, 3 * i | (bad.count(i) != 0 ? WL_COPY_FAILED : 0));
    EXPECT_EQ(b.read(regs::copies_handed_over), 1U);
    flash.take();
    EXPECT_TRUE(flash.programs.empty());
    for (std::uint32_t i = 0; i < kUnit; ++i) EXPECT_FALSE(flash.end(reads[kUnit + i]));
    flash.take();
    ASSERT_EQ(flash.programs.size(), 1U) << "the next unit does not wait";
    EXPECT_EQ(Flash::ppa_of(flash.programs[0]), 208 * kUnit);
    // The firmware has read two, and lost one.
    for (const std::uint32_t i : bad) b.source(slot_of(0) + i).ppa = i == 3 ? WL_LPN_NONE : 3 * i;
    b.post_copy({20, WL_COPY_READY, slot_of(0), 0});
    b.ring();
    pass(1_us);
    EXPECT_TRUE(flash.take().empty()) << "no further read";
    ASSERT_EQ(flash.programs.size(), 2U);
    EXPECT_EQ(Flash::ppa_of(flash.programs[1]), 209 * kUnit) << "the PPA that was left";
    EXPECT_EQ(b.copy_ppa(0), 209 * kUnit);
    EXPECT_EQ(b.slot(slot_of(0) + 3).lpn, WL_LPN_NONE);
    EXPECT_EQ(b.slot(slot_of(0) + 2).lpn, 2U);
    // A program of it fails: new PPA, data still in the slots.
    b.post_copy({33, WL_COPY_READY, slot_of(0), 40 * kUnit});
    b.ring();
    pass(1_us);
    EXPECT_TRUE(flash.take().empty());
    ASSERT_EQ(flash.programs.size(), 3U);
    EXPECT_EQ(flash.programs[2].id, 33);
    EXPECT_EQ(Flash::ppa_of(flash.programs[2]), 40 * kUnit);
  });
}

// ---- scan and copy together -----------------------------------------------------------------------------------------

TEST(CopyEngine, AScanFillsUnitsAndStopsWhenThereIsNone) {
  play(kCollect, [](EngineBench& b) {
    Flash flash{b};
    // Places 100 to 199 hold logical pages 100 to 199, every third one was written again. 66 are valid: two units and
    // 18 more.
    std::vector<std::uint32_t> valid;
    for (std::uint32_t i = 100; i < 200; ++i) {
      if (i % 3 == 0)
        b.map(i) = kPpa0 + 3000 + i;
      else
        valid.push_back(i);
    }
    ASSERT_GT(valid.size(), 2 * kUnit);
    b.post_copy({1, WL_COPY_FILL, slot_of(0), 0});
    b.post_copy({2, WL_COPY_FILL, slot_of(1), kUnit});
    b.ring();
    b.write(regs::scan_end, 200);
    b.write(regs::scan, 100, 100_ns);
    pass(50_us);
    EXPECT_EQ(b.found().done, 0U) << "a third unit is lacking";
    auto reads = flash.take();
    const std::uint32_t first = valid[2 * kUnit];
    b.map(first) = kPpa0 + 3000;  // invalid before its unit comes
    valid.erase(valid.begin() + 2 * kUnit);
    b.post_copy({3, WL_COPY_FILL, slot_of(2), 2 * kUnit});
    b.ring();
    pass(50_us);
    ASSERT_EQ(b.found().done, 1U);
    EXPECT_EQ(b.found().count, valid.size());
    EXPECT_EQ(b.found().next, 200U);
    EXPECT_TRUE(flash.take().empty()) << "not full";
    // The next superblock goes on with it; then there is no more.
    b.write(regs::scan_end, 210);
    b.write(regs::scan, 208);
    valid.push_back(208);
    valid.push_back(209);
    pass(10_us);
    ASSERT_EQ(b.found().done, 2U);
    EXPECT_EQ(b.found().count, 2U);
    b.post_copy({0, WL_COPY_CLOSE, 0, 0});
    b.ring();
    pass(10_us);
    const auto rest = flash.take();
    reads.insert(reads.end(), rest.begin(), rest.end());
    for (const auto& read : reads) EXPECT_FALSE(flash.end(read));
    flash.take();
    ASSERT_EQ(flash.programs.size(), 3U);
    for (std::uint32_t i = 0; i < 3 * kUnit; ++i) {
      const bool padding = i >= valid.size();
      ASSERT_EQ(b.slot(slot_of(0) + i).lpn, padding ? WL_LPN_NONE : valid[i]) << i;
      if (!padding) {
        ASSERT_EQ(flash.pages.at(i / kUnit * kUnit)[i % kUnit], valid[i]);
      }
    }
  });
}

// A superblock without a valid logical page is scanned to its end, whether there is a unit or not, in stretches.
TEST(CopyEngine, AScanWithoutFindsNeedsNoUnit) {
  play(kCollect, [](EngineBench& b) {
    for (std::uint32_t ppa = 0; ppa < 3 * WL_GC_SCAN; ++ppa) b.owner(ppa) = 0xffffffffU;
    b.write(regs::scan_end, 3 * WL_GC_SCAN);
    b.write(regs::scan, 0);
    pass(100_us);
    EXPECT_EQ(b.found().done, 1U);
    EXPECT_EQ(b.found().count, 0U);
    EXPECT_EQ(b.read(regs::scanned), 3 * WL_GC_SCAN);
  });
}

TEST(CopyEngine, WrongUseIsReported) {
  play(WL_ENGINE_COPY, [](EngineBench& b) {
    expect_reports(true);
    b.write(regs::search, 0);
    EXPECT_EQ(reports_seen(), 1U) << "a search without the engine";
    for (std::uint32_t i = 0; i < kUnit; ++i) b.source(slot_of(0) + i) = {3 * i, i};
    b.post_copy({1, 0, slot_of(0), 0});
    b.ring();
    pass(1_us);
    EXPECT_EQ(reports_seen(), 0U);
    b.post_copy({1, 0, slot_of(0), 0});
    b.ring();
    pass(1_us);
    EXPECT_EQ(reports_seen(), 1U) << "a unit that is copied already";
    b.post_copy({1, 0, slot_of(EngineBench::kCopyUnits), 0});
    b.ring();
    pass(1_us);
    EXPECT_EQ(reports_seen(), 1U) << "slots that are not GC's";
    b.post_copy({1, WL_COPY_FILL, slot_of(1), 0});
    b.ring();
    pass(1_us);
    EXPECT_EQ(reports_seen(), 1U) << "filled by a scan, without its engine";
    b.write(regs::enable, 0);
    b.write(regs::copy_ring_size, 3);
    b.write(regs::enable, WL_ENGINE_COPY);
    EXPECT_EQ(reports_seen(), 1U) << "a ring that is no power of two";
    b.write(regs::copy_doorbell, 1);
    pass(1_ns);
    EXPECT_EQ(reports_seen(), 1U) << "a doorbell without the engine";
    expect_reports(false);
  });
}

}  // namespace
}  // namespace wordline::testing::engine_gc_test
