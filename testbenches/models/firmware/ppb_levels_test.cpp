// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The four levels of hotness of Chen et al., DAC 2017. The ids in the comments are those of the paper's statements in
// the list of figures that docs/ppb.md answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/units/keyed_random.h"

extern "C" {
#include "models/firmware/policy/ppb_levels.h"
}

namespace wordline::testing::ppb_levels_test {
namespace {

enum class Form { kFlat, kBounded };

wl_ppb_rules rules_of(Form form, std::uint32_t hot, std::uint32_t iron_hot) {
  return {2, 1, 0, hot, iron_hot, form == Form::kBounded ? 1U : 0U, 128, 4, 1000};
}

struct Levels {
  explicit Levels(std::uint32_t units, Form form = Form::kFlat, std::uint32_t hot = 3, std::uint32_t iron_hot = 2)
      : Levels(units, rules_of(form, hot, iron_hot)) {}
  Levels(std::uint32_t units, const wl_ppb_rules& rules) {
    bytes = wl_ppb_table_bytes(units, &rules);
    memory.resize(bytes / sizeof(memory[0]) + 1, 0);
    guard = reinterpret_cast<unsigned char*>(memory.data()) + bytes;
    *guard = 0xa5;  // behind the last byte
    wl_ppb_levels_begin(&levels, memory.data(), units, &rules);
  }
  ~Levels() { EXPECT_EQ(*guard, 0xa5); }
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;
  void write(std::uint32_t unit, bool hot = true) { wl_ppb_written(&levels, unit, hot); }
  void read(std::uint32_t unit, int times = 1) {
    for (; times != 0; --times) wl_ppb_read(&levels, unit);
  }
  void demote() { wl_ppb_demote(&levels); }
  [[nodiscard]] wl_ppb_level of(std::uint32_t unit) const { return wl_ppb_level_of(&levels, unit); }
  [[nodiscard]] std::vector<std::uint32_t> list(wl_ppb_level level) const {  // from its head
    std::vector<std::uint32_t> units;
    std::uint32_t node = levels.list[level].head;
    for (std::uint32_t i = 0; i != levels.list[level].length; ++i) {
      units.push_back(wl_ppb_unit_of(&levels.table, node, wl_ppb_is_bounded(&levels.table)));
      node = wl_ppb_entry_of(&levels.table, node, wl_ppb_is_bounded(&levels.table))->next;
    }
    EXPECT_EQ(node, WL_PPB_NO_NODE);
    return units;
  }
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> memory;
  unsigned char* guard = nullptr;
  wl_ppb_levels levels{};
};
using Units = std::vector<std::uint32_t>;

/// What holds for both forms of the table.
class PpbLevelsOfBoth : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Table, PpbLevelsOfBoth, ::testing::Values(Form::kFlat, Form::kBounded),
                         [](const auto& form) { return form.param == Form::kFlat ? "flat" : "bounded"; });

// ppb.class.count, ppb.class.entry: four levels; new data begin at the two for slow pages.
TEST_P(PpbLevelsOfBoth, NewDataBeginInSlowPages) {
  Levels l(8, GetParam());
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
TEST_P(PpbLevelsOfBoth, WritesEnterAtTheHeadOfTheHotList) {
  Levels l(8, GetParam());
  for (const std::uint32_t unit : {0, 1, 2, 0}) l.write(unit);
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{0, 2, 1}));
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), Units{});
}

// ppb.hot.promote, ppb.class.iron_hot, ppb.class.hot, ppb.alg1.iron.store, ppb.alg1.hot.store: one read promotes; what
// is written again stays at its level.
TEST_P(PpbLevelsOfBoth, AReadPromotesAndAWriteKeepsTheLevel) {
  Levels l(8, GetParam());
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

// ftl.ppb.cold_share: of units that were read 1 to 16 times, the share that is read most is cold.
TEST_P(PpbLevelsOfBoth, TheShareThatIsReadMostIsCold) {
  for (const std::uint32_t share : {32U, 64U, 128U, 192U}) {
    wl_ppb_rules rules = rules_of(GetParam(), 3, 2);
    rules.cold_256th = share;
    rules.aging_reads = 256;
    constexpr std::uint32_t kUnits = 12;
    Levels l(kUnits, rules);
    for (std::uint32_t unit = 0; unit != kUnits; ++unit) l.read(unit, static_cast<int>(unit + 1));
    std::uint32_t cold = 0;
    for (std::uint32_t unit = 0; unit != kUnits; ++unit) cold += l.of(unit) == WL_PPB_COLD ? 1 : 0;
    EXPECT_EQ(cold, std::max(1U, kUnits * share / 256)) << share;
    EXPECT_EQ(l.of(kUnits - 1), WL_PPB_COLD) << "what is read most";
    EXPECT_EQ(l.of(0), share < 256 ? WL_PPB_ICY_COLD : WL_PPB_COLD);
  }
}

// ftl.ppb.aging_reads: counts are halved after so many reads for each unit, and not one earlier.
TEST(PpbLevels, CountsAreHalvedAfterSoManyReadsForEachUnit) {
  for (const std::uint32_t reads : {1U, 4U, 9U}) {
    wl_ppb_rules rules = rules_of(Form::kFlat, 3, 2);
    rules.aging_reads = reads;
    constexpr std::uint32_t kUnits = 6;
    Levels l(kUnits, rules);
    l.read(0, static_cast<int>(reads * kUnits - 1));
    EXPECT_EQ(wl_ppb_reads_of(&l.levels.table, 0, false), reads * kUnits - 1);
    l.read(0);
    EXPECT_EQ(wl_ppb_reads_of(&l.levels.table, 0, false), reads * kUnits / 2);
  }
}

// ppb.hot.demote: by length, and where no fast page is left.
TEST_P(PpbLevelsOfBoth, TheLeastRecentlyUsedIronHotFallsToTheHeadOfTheHotList) {
  Levels l(8, GetParam());
  for (const std::uint32_t unit : {0, 1, 2}) l.write(unit);
  for (const std::uint32_t unit : {0, 1, 2}) l.read(unit);  // room for two
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), (Units{2, 1}));
  EXPECT_EQ(l.list(WL_PPB_HOT), Units{0});
  l.demote();
  EXPECT_EQ(l.list(WL_PPB_IRON_HOT), Units{2});
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{1, 0}));
  for (int i = 0; i < 2; ++i) l.demote();  // the second finds nothing
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{2, 1, 0}));
}

// ppb.hot.demote_cold: as icy-cold, for it was not read, or longest ago.
TEST_P(PpbLevelsOfBoth, WhatTheHotListHasNoRoomForIsIcyCold) {
  Levels l(8, GetParam());
  for (const std::uint32_t unit : {0, 1, 2, 3}) l.write(unit);
  EXPECT_EQ(l.list(WL_PPB_HOT), (Units{3, 2, 1}));
  EXPECT_EQ(l.of(0), WL_PPB_ICY_COLD);
  Levels none(8, GetParam(), 0, 0);
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
TEST_P(PpbLevelsOfBoth, AreasAreLeftByTheNextWrite) {
  Levels l(4, GetParam());
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

// Half a byte counts up to 13, and each fourth read halves one count, in turn.
TEST(PpbLevels, BoundedCountsAreHalvedOneByOne) {
  Levels l(4, Form::kBounded);
  l.read(3, 11);  // halves those of units 0 and 1
  EXPECT_EQ(wl_ppb_reads_of(&l.levels.table, 3, true), 11U);
  l.read(3, 4);  // ... 2, and
  EXPECT_EQ(wl_ppb_reads_of(&l.levels.table, 3, true), 13U);
  l.read(3);  // its own
  EXPECT_EQ(wl_ppb_reads_of(&l.levels.table, 3, true), 6U);
  l.read(2, 7);
  EXPECT_EQ(l.of(2), WL_PPB_COLD);
  EXPECT_EQ(l.of(3), WL_PPB_COLD) << "half of four";
  l.read(1, 8);
  l.read(0);  // of 1: 8 / 2 in its turn, at the fourth read of this row; 2: 7 / 2
  EXPECT_EQ(wl_ppb_reads_of(&l.levels.table, 2, true), 3U);
}

/// The same rules over plain containers.
struct Reference {
  Reference(Form form, std::uint32_t units, std::size_t hot, std::size_t iron)
      : one_by_one(form == Form::kBounded),
        most_reads(form == Form::kBounded ? 13 : 63),
        reads(units),
        most{hot, iron} {}
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
    reads[unit] = std::min(reads[unit] + 1, most_reads);
    ++counted;
    if (one_by_one) {
      if (counted % 4 == 0) reads[(counted / 4 - 1) % reads.size()] /= 2;
    } else if (counted % (4 * reads.size()) == 0) {
      for (auto& r : reads) r /= 2;
    }
  }
  void demote() {
    if (!list[1].empty()) {
      const std::uint32_t last = list[1].back();
      leave(last);
      enter(last, 0);
    }
  }
  wl_ppb_level of(std::uint32_t unit) const {
    if (in(unit) != 2) return static_cast<wl_ppb_level>(in(unit));
    std::vector<std::uint32_t> sorted;
    for (std::uint32_t u = 0; u < reads.size(); ++u)
      if (in(u) == 2) sorted.push_back(reads[u]);
    std::sort(sorted.rbegin(), sorted.rend());
    const std::size_t half = sorted.size() / 2;
    const std::uint32_t cut = half == 0 ? most_reads : std::max(1U, sorted[half - 1]);
    return reads[unit] >= cut ? WL_PPB_COLD : WL_PPB_ICY_COLD;
  }
  bool one_by_one;
  std::uint32_t most_reads;
  std::vector<std::uint32_t> reads;
  std::deque<std::uint32_t> list[2];
  std::size_t most[2];
  std::size_t counted = 0;
};

Units units_of(const std::deque<std::uint32_t>& list) { return {list.begin(), list.end()}; }

// Both forms keep the same lists in the same order, those of the reference; each has the levels of its own reference in
// the cold area, too. Lists of no room, of more than there are units, and what lies between.
TEST(PpbLevels, AgreeWithASecondImplementation) {
  const std::uint32_t units = 40;
  for (const auto& [hot, iron] : {std::pair{9U, 7U}, {0U, 0U}, {1U, 0U}, {0U, 5U}, {3U, 30U}, {40U, 40U}}) {
    Levels flat(units, Form::kFlat, hot, iron), bounded(units, Form::kBounded, hot, iron);
    Reference of_flat(Form::kFlat, units, hot, iron), of_bounded(Form::kBounded, units, hot, iron);
    const auto everywhere = [&](auto what) {
      what(flat);
      what(bounded);
      what(of_flat);
      what(of_bounded);
    };
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const std::uint64_t draw = keyed_hash(7, i);
      const auto unit = static_cast<std::uint32_t>((draw >> 8) % units * ((draw >> 32) % units) / units);  // skewed
      if (draw % 64 == 1)
        everywhere([&](auto& l) { l.demote(); });
      else if (draw % 4 == 0)
        everywhere([&](auto& l) { l.write(unit, draw % 8 == 0); });
      else
        everywhere([&](auto& l) { l.read(unit); });
      if (i % 16 != 0) continue;
      for (const wl_ppb_level level : {WL_PPB_HOT, WL_PPB_IRON_HOT}) {
        ASSERT_EQ(flat.list(level), units_of(of_flat.list[level])) << "step " << i << ", " << hot << '/' << iron;
        ASSERT_EQ(bounded.list(level), flat.list(level)) << "step " << i << ", " << hot << '/' << iron;
      }
      for (std::uint32_t u = 0; u < units; ++u) {
        ASSERT_EQ(flat.of(u), of_flat.of(u)) << "unit " << u << ", step " << i;
        ASSERT_EQ(bounded.of(u), of_bounded.of(u)) << "unit " << u << ", step " << i;
      }
    }
  }
}

// What a listed unit costs to find does not grow with the drive, in whatever pattern the units come.
TEST(PpbLevels, BoundedLinksAreFoundInFewSteps) {
  constexpr std::uint32_t kUnits = 1U << 22, kHot = 20000, kIron = 12000;
  for (const std::uint32_t stride : {1U, 2U, 64U, 127U, 128U, 4096U / 3}) {
    Levels l(kUnits, Form::kBounded, kHot, kIron);
    std::vector<std::uint32_t> units;
    for (std::uint32_t i = 0; i < kHot; ++i)
      l.write(units.emplace_back(static_cast<std::uint32_t>(std::uint64_t{i} * stride % kUnits)));
    for (std::uint32_t i = 0; i < kIron; ++i) l.read(units[i]);
    for (std::uint32_t i = 0; i < kHot; ++i) l.write(units.emplace_back(units[i] ^ 1U << 21));
    std::uint64_t steps = 0, listed = 0;
    for (const std::uint32_t unit : std::set<std::uint32_t>(units.begin(), units.end())) {
      if (wl_ppb_list_of(&l.levels.table, unit, true) == WL_PPB_UNLISTED) continue;
      ++listed;
      const std::uint32_t node = wl_ppb_node_of(&l.levels.table, unit, true);
      std::uint32_t at = l.levels.table.bucket[unit * 2654435769U >> l.levels.table.hash_shift];
      for (++steps; at != node; ++steps) at = static_cast<const wl_ppb_node*>(l.levels.table.entries)[at].chain;
    }
    EXPECT_EQ(listed, kHot + kIron) << stride;
    EXPECT_LT(static_cast<double>(steps) / static_cast<double>(listed), 3.0) << stride;
  }
}

// docs/ppb.md, "Cost": bytes by TB of pages of 16 KiB and of sectors.
TEST(PpbLevels, WhatTheFormsCost) {
  for (const auto& [units, share, flat, bounded] :
       {std::tuple{1U << 26, 0.25, 512.0, 672.0}, {1U << 26, 0.05, 512.0, 150.4}, {1U << 26, 0.01, 512.0, 56.5}}) {
    const auto list = static_cast<std::uint32_t>(share * units);
    for (const Form form : {Form::kFlat, Form::kBounded}) {
      const wl_ppb_rules rules = rules_of(form, list, list);
      EXPECT_NEAR(static_cast<double>(wl_ppb_table_bytes(units, &rules)) / (1 << 20),
                  form == Form::kFlat ? flat : bounded, 0.1)
          << share;
    }
  }
}

}  // namespace
}  // namespace wordline::testing::ppb_levels_test
