// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/time_ordered.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace wordline::tlm_if {
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
    }
  }
}

}  // namespace
}  // namespace wordline::tlm_if
