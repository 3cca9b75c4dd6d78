// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The four levels of hotness of Chen et al., DAC 2017. The ids in the comments are those of the paper's statements in
// the list of figures that docs/ppb.md answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "models/units/keyed_random.h"

extern "C" {
#include "models/firmware/policy/ppb_levels.h"
}

namespace wordline::testing {
namespace {

struct Levels {
  explicit Levels(std::uint32_t units, std::uint32_t most_hot = 3, std::uint32_t most_iron_hot = 2) : entries(units) {
    wl_ppb_levels_begin(&levels, entries.data(), units, most_hot, most_iron_hot);
  }
  void write(std::uint32_t unit, bool hot = true) { wl_ppb_written(&levels, unit, hot); }
  void read(std::uint32_t unit, int times = 1) {
    for (; times != 0; --times) wl_ppb_read(&levels, unit);
  }
  [[nodiscard]] wl_ppb_level of(std::uint32_t unit) const { return wl_ppb_level_of(&levels, unit); }
  [[nodiscard]] std::vector<std::uint32_t> list(wl_ppb_level level) const {  // from its head
    std::vector<std::uint32_t> units;
    std::uint32_t unit = levels.list[level].head;
    for (std::uint32_t i = 0; i != levels.list[level].length; ++i, unit = entries[unit].next) units.push_back(unit);
    return units;
  }
  std::vector<wl_ppb_entry> entries;
  wl_ppb_levels levels{};
};
using Units = std::vector<std::uint32_t>;

// ppb.class.count, ppb.class.entry: four levels; new data begin at the two for slow pages.
TEST(PpbLevels, NewDataBeginInSlowPages) {
  Levels l(8);
  EXPECT_EQ(wl_ppb_level_of_write(&l.levels, 0, true), WL_PPB_HOT);
  EXPECT_EQ(wl_ppb_level_of_write(&l.levels, 0, false), WL_PPB_ICY_COLD);
  l.write(0);
  l.write(1, false);
  EXPECT_EQ(l.of(0), WL_PPB_HOT);
  EXPECT_EQ(l.of(1), WL_PPB_ICY_COLD);
  EXPECT_EQ(WL_PPB_LEVELS, 4U);
  for (const std::uint32_t level : {WL_PPB_HOT, WL_PPB_ICY_COLD}) EXPECT_EQ(level & WL_PPB_FAST, 0U);
  for (const std::uint32_t level : {WL_PPB_IRON_HOT, WL_PPB_COLD}) EXPECT_NE(level & WL_PPB_FAST, 0U);
}

// ppb.hot.lru_levels, ppb.hot.insert, ppb.alg1.dup: a write enters at the head of the hot list, and nowhere twice.
// (Line 23 of algorithm 1 says the iron-hot list; the text says this.)
TEST(PpbLevels, WritesEnterAtTheHeadOfTheHotList) {
  Levels l(8);
  for (const std::uint32_t unit : {0, 1, 2, 0}) l.write(unit);
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{0, 2, 1}));
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), Units{});
}

// ppb.hot.promote, ppb.class.iron_hot, ppb.class.hot, ppb.alg1.iron.store, ppb.alg1.hot.store: one read promotes; what
// is written again stays at its level.
TEST(PpbLevels, AReadPromotesAndAWriteKeepsTheLevel) {
  Levels l(8);
  for (const std::uint32_t unit : {0, 1, 2}) l.write(unit);
  l.read(1);
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), Units{1});
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{2, 0}));
  l.read(0);
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), (Units{0, 1}));
  EXPECT_EQ(wl_ppb_level_of_write(&l.levels, 1, true), WL_PPB_IRON_HOT);
  l.write(1);
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), (Units{1, 0}));
  l.read(0);
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), (Units{0, 1}));
}

// ppb.hot.demote: by length, and where no fast page is left.
TEST(PpbLevels, TheLeastRecentlyUsedIronHotFallsToTheHeadOfTheHotList) {
  Levels l(8);
  for (const std::uint32_t unit : {0, 1, 2}) l.write(unit);
  for (const std::uint32_t unit : {0, 1, 2}) l.read(unit);  // room for two
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), (Units{2, 1}));
  EXPECT_EQ(l.list(WL_PPB_HOT), Units{0});
  wl_ppb_demote(&l.levels);
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), Units{2});
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{1, 0}));
  for (int i = 0; i < 2; ++i) wl_ppb_demote(&l.levels);  // the second finds nothing
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{2, 1, 0}));
}

// ppb.hot.demote_cold: as icy-cold, for it was not read, or longest ago.
TEST(PpbLevels, WhatTheHotListHasNoRoomForIsIcyCold) {
  Levels l(8);
  for (const std::uint32_t unit : {0, 1, 2, 3}) l.write(unit);
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{3, 2, 1}));
  EXPECT_EQ(l.of(0), WL_PPB_ICY_COLD);
  Levels none(8, 0, 0);
  none.write(0);
  EXPECT_EQ(none.of(0), WL_PPB_ICY_COLD);
  none.read(0);
  EXPECT_EQ(none.of(0), WL_PPB_COLD);
}

// ppb.cold.table, ppb.cold.split, ppb.class.cold, ppb.class.icy_cold, ppb.class.split_by_reads: sorted by reads, the
// upper half is cold.
TEST(PpbLevels, TheHalfOfTheColdAreaThatIsReadMostIsCold) {
  Levels l(4);
  EXPECT_EQ(l.of(3), WL_PPB_ICY_COLD) << "never read";
  l.read(3);
  EXPECT_EQ(l.of(3), WL_PPB_COLD);
  l.read(2, 2);
  l.read(1, 3);
  l.read(0, 4);
  EXPECT_EQ(l.of(0), WL_PPB_COLD);
  EXPECT_EQ(l.of(1), WL_PPB_COLD);
  EXPECT_EQ(l.of(2), WL_PPB_ICY_COLD);
  EXPECT_EQ(l.of(3), WL_PPB_ICY_COLD);
  l.read(3, 4);
  EXPECT_EQ(l.of(3), WL_PPB_COLD);
  EXPECT_EQ(l.of(1), WL_PPB_ICY_COLD);
}

// Whoever is written as cold data keeps its count; who comes from the hot area begins with none. Neither is a copy.
TEST(PpbLevels, AreasAreLeftByTheNextWrite) {
  Levels l(4);
  l.read(0, 3);
  EXPECT_EQ(wl_ppb_level_of_write(&l.levels, 0, false), WL_PPB_COLD);
  l.write(0, false);
  EXPECT_EQ(l.of(0), WL_PPB_COLD);
  EXPECT_EQ(wl_ppb_level_of_write(&l.levels, 0, true), WL_PPB_HOT);
  l.write(0);
  EXPECT_EQ(l.of(0), WL_PPB_HOT);
  l.read(0);
  EXPECT_EQ(l.of(0), WL_PPB_IRON_HOT);
  l.write(0, false);
  EXPECT_EQ(l.of(0), WL_PPB_ICY_COLD);
}

TEST(PpbLevels, CountsAreHalvedAfterFourReadsAUnit) {
  Levels l(4);
  l.read(0, 8);
  l.read(1, 7);
  EXPECT_EQ(l.of(1), WL_PPB_COLD);
  l.read(2);  // 16: 4, 3, 0
  l.read(2, 4);
  EXPECT_EQ(l.of(2), WL_PPB_COLD) << "4 reads now weigh as much as 8 then";
  EXPECT_EQ(l.of(0), WL_PPB_COLD);
  EXPECT_EQ(l.of(1), WL_PPB_ICY_COLD);
}

/// The same rules over plain containers.
struct Reference {
  Reference(std::uint32_t units, std::size_t hot, std::size_t iron) : reads(units), most{hot, iron} {}
  int in(std::uint32_t unit) const {
    for (int i = 0; i < 2; ++i)
      if (std::find(list[i].begin(), list[i].end(), unit) != list[i].end()) return i;
    return 2;
  }
  void leave(std::uint32_t unit) {
    for (auto& l : list) l.erase(std::remove(l.begin(), l.end(), unit), l.end());
  }
  void enter(std::uint32_t unit, int level) {
    list[level].push_front(unit);
    while (list[1].size() > most[1]) {
      list[0].push_front(list[1].back());
      list[1].pop_back();
    }
    while (list[0].size() > most[0]) {
      reads[list[0].back()] = 0;
      list[0].pop_back();
    }
  }
  void write(std::uint32_t unit, bool hot) {
    const int was = in(unit);
    leave(unit);
    if (hot)
      enter(unit, was == 1 ? 1 : 0);
    else if (was != 2)
      reads[unit] = 0;
  }
  void read(std::uint32_t unit) {
    if (in(unit) != 2) {
      leave(unit);
      enter(unit, 1);
      return;
    }
    reads[unit] = std::min(reads[unit] + 1, 63U);
    if (++counted < 4 * reads.size()) return;
    counted = 0;
    for (auto& r : reads) r /= 2;
  }
  wl_ppb_level of(std::uint32_t unit) const {
    if (in(unit) != 2) return static_cast<wl_ppb_level>(in(unit));
    std::vector<std::uint32_t> sorted;
    for (std::uint32_t u = 0; u < reads.size(); ++u)
      if (in(u) == 2) sorted.push_back(reads[u]);
    std::sort(sorted.rbegin(), sorted.rend());
    const std::size_t half = sorted.size() / 2;
    const std::uint32_t cut = half == 0 ? 63 : std::max(1U, sorted[half - 1]);
    return reads[unit] >= cut ? WL_PPB_COLD : WL_PPB_ICY_COLD;
  }
  std::vector<std::uint32_t> reads;
  std::deque<std::uint32_t> list[2];
  std::size_t most[2];
  std::size_t counted = 0;
};

TEST(PpbLevels, AgreeWithASecondImplementation) {
  const std::uint32_t units = 40;
  Levels l(units, 9, 7);
  Reference r(units, 9, 7);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t draw = keyed_hash(7, i);
    const auto unit = static_cast<std::uint32_t>((draw >> 8) % units * ((draw >> 32) % units) / units);  // skewed
    if (draw % 4 == 0) {
      l.write(unit, draw % 8 == 0);
      r.write(unit, draw % 8 == 0);
    } else {
      l.read(unit);
      r.read(unit);
    }
    if (i % 16 != 0) continue;
    for (std::uint32_t u = 0; u < units; ++u) ASSERT_EQ(l.of(u), r.of(u)) << "unit " << u << ", step " << i;
  }
}

}  // namespace
}  // namespace wordline::testing
