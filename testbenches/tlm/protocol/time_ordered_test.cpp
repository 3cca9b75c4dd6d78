// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/time_ordered.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <utility>

namespace wordline::tlm_if::time_ordered_test {
namespace {

struct Entry {
  Picoseconds at;
  std::uint64_t order;
};

// Against a map by (time, order): entries soon and late, many of one time, lists that grow and shrink.
TEST(TimeOrdered, TakesInTheOrderOfTimeAndThenOfPutting) {
  for (const std::int64_t span : {1, 40, 100'000}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(span));
    TimeOrdered<Entry> queue;
    std::map<std::pair<std::int64_t, std::uint64_t>, bool> reference;
    std::uint64_t order = 0;
    std::int64_t present = 0;
    for (int step = 0; step < 40'000; ++step) {
      const bool grows = step / 500 % 2 == 0;
      if (queue.empty() || random() % 8 < (grows ? 5U : 3U)) {
        const std::int64_t ahead =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span)) * (random() % 10 == 0 ? 1'000 : 1);
        queue.put({Picoseconds(present + ahead), order});
        reference[{present + ahead, order++}] = true;
      } else {
        ASSERT_EQ(queue.first().at.count(), reference.begin()->first.first);
        const Entry entry = queue.take();
        present = entry.at.count();
        ASSERT_EQ(std::make_pair(present, entry.order), reference.begin()->first) << "step " << step;
        reference.erase(reference.begin());
      }
      ASSERT_EQ(queue.empty(), reference.empty());
      ASSERT_EQ(queue.size(), reference.size());
    }
  }
}

TEST(TimeOrdered, KeepsItsOrderWhenSomeAreErased) {
  std::mt19937_64 random(7);
  TimeOrdered<Entry> queue;
  std::map<std::pair<std::int64_t, std::uint64_t>, bool> reference;
  std::uint64_t order = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t count = random() % 200;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(random() % 50 * (random() % 2 == 0 ? 1 : 1'000));
      queue.put({Picoseconds(at), order});
      reference[{at, order++}] = true;
    }
    // Every third, or all of the early ones, so that the list of the next few is empty and the others are not.
    const auto goes = [round](std::int64_t at, std::uint64_t number) {
      return round % 2 == 0 ? number % 3 == 0 : at < 60;
    };
    queue.erase_if([&](const Entry& entry) { return goes(entry.at.count(), entry.order); });
    for (auto i = reference.begin(); i != reference.end();) {
      i = goes(i->first.first, i->first.second) ? reference.erase(i) : std::next(i);
    }
    ASSERT_EQ(queue.size(), reference.size());
    for (std::uint64_t i = random() % (reference.size() + 1); i != 0; --i) {
      const Entry entry = queue.take();
      ASSERT_EQ(std::make_pair(entry.at.count(), entry.order), reference.begin()->first);
      reference.erase(reference.begin());
    }
    ASSERT_EQ(queue.empty(), reference.empty());
  }
}

}  // namespace
}  // namespace wordline::tlm_if::time_ordered_test
