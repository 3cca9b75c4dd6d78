// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/calendar.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace wordline::testing::calendar_test {
namespace {

/// The rule without any shortcut: every stretch is kept, each by itself, and tried again from the earliest time on.
class PlainCalendar {
 public:
  tlm_if::Calendar::Slot reserve(std::int64_t now, std::int64_t earliest, std::int64_t length) {
    std::int64_t from = std::max(now, earliest);
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& [begin, end] : taken_) {
        if (begin >= from + std::max<std::int64_t>(length, 1) || end <= from) continue;
        from = end;
        moved = true;
      }
    }
    bool joins = false;
    for (const auto& [begin, end] : taken_) joins = joins || begin == from + length;
    if (length != 0) taken_.emplace_back(from, from + length);
    return {Picoseconds(from), joins};
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> taken_;
};

TEST(Calendar, FindsTheFirstGapAsALookAtEveryReservationDoes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
    tlm_if::Calendar calendar;
    PlainCalendar plain;
    std::int64_t now = 0;
    for (int i = 0; i < 400; ++i) {
      now += below(seed % 2 == 0 ? 12 : 60);  // busy, and mostly idle
      const std::int64_t earliest = now + below(4) * below(40) - 3;
      const std::int64_t length = below(8) == 0 ? 0 : below(25);
      const auto slot = calendar.reserve(Picoseconds(now), Picoseconds(earliest), Picoseconds(length));
      const auto expected = plain.reserve(now, earliest, length);
      ASSERT_EQ(slot.from, expected.from) << "seed " << seed << ", reservation " << i;
      ASSERT_EQ(slot.joins_next, expected.joins_next) << "seed " << seed << ", reservation " << i;
    }
  }
}

}  // namespace
}  // namespace wordline::testing::calendar_test
