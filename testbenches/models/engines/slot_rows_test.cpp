// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/engines/slot_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wordline::testing::slot_rows_test {
namespace {

using engines::SlotRows;

TEST(SlotRows, ARunLiesInOneRow) {
  SlotRows rows(20, 8);  // 8, 8, 4
  EXPECT_EQ(rows.take(5), 0U);
  EXPECT_EQ(rows.take(4), 8U) << "three are left in the first row";
  EXPECT_EQ(rows.take(3), 5U);
  EXPECT_EQ(rows.take(5), SlotRows::kNone) << "four and four are left";
  EXPECT_EQ(rows.free(), 8U);
  EXPECT_EQ(rows.take(4), 12U);
  EXPECT_EQ(rows.take(4), 16U);
  EXPECT_EQ(rows.take(1), SlotRows::kNone);
  EXPECT_EQ(SlotRows(20, 8).take(9), SlotRows::kNone) << "longer than a row";
}

TEST(SlotRows, WholeWordsWork) {
  SlotRows rows(128, 64);
  EXPECT_EQ(rows.take(64), 0U);
  EXPECT_EQ(rows.take(64), 64U);
  rows.give(0, 64);
  EXPECT_EQ(rows.take(63), 0U);
  EXPECT_EQ(rows.take(1), 63U);
}

TEST(SlotRows, NoneAreThere) {
  SlotRows rows;
  EXPECT_EQ(rows.take(1), SlotRows::kNone);
  EXPECT_EQ(SlotRows(0, 4).take(1), SlotRows::kNone);
}

// Against a search slot by slot.
TEST(SlotRows, FindsTheFirstRun) {
  std::mt19937 random(7);
  for (const std::uint32_t row : {1U, 3U, 8U, 24U, 64U}) {
    const std::uint32_t slots = 5 * row + row / 2;
    SlotRows rows(slots, row);
    std::vector<bool> used(slots);
    struct Taken {
      std::uint32_t first, count;
    };
    std::vector<Taken> taken;
    for (int step = 0; step < 2000; ++step) {
      if (random() % 5 < 2 && !taken.empty()) {
        const std::size_t i = random() % taken.size();
        rows.give(taken[i].first, taken[i].count);
        for (std::uint32_t k = 0; k < taken[i].count; ++k) used[taken[i].first + k] = false;
        taken[i] = taken.back();
        taken.pop_back();
        continue;
      }
      const std::uint32_t count = 1 + static_cast<std::uint32_t>(random()) % row;
      std::uint32_t expected = SlotRows::kNone;
      for (std::uint32_t first = 0; first + count <= slots && expected == SlotRows::kNone; ++first) {
        bool free = first / row == (first + count - 1) / row;
        for (std::uint32_t k = 0; k < count; ++k) free = free && !used[first + k];
        if (free) expected = first;
      }
      ASSERT_EQ(rows.take(count), expected) << "rows of " << row << ", step " << step;
      if (expected == SlotRows::kNone) continue;
      for (std::uint32_t k = 0; k < count; ++k) used[expected + k] = true;
      taken.push_back({expected, count});
    }
  }
}

}  // namespace
}  // namespace wordline::testing::slot_rows_test
