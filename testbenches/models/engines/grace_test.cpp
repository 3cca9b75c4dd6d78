// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/engines/grace.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::testing::grace_test {
namespace {

using engines::Grace;

TEST(Grace, EndsAtOnceWhenNobodyIsThere) {
  Grace grace;
  EXPECT_TRUE(grace.begin());
  EXPECT_FALSE(grace.running());
  const auto user = grace.enter();
  EXPECT_FALSE(grace.leave(user)) << "nobody waits";
  EXPECT_TRUE(grace.begin());
}

TEST(Grace, WaitsForThoseBeforeAndNotForThoseAfter) {
  Grace grace;
  const auto before = grace.enter();
  EXPECT_FALSE(grace.begin());
  const auto after = grace.enter();
  EXPECT_FALSE(grace.leave(after));
  EXPECT_TRUE(grace.running());
  EXPECT_TRUE(grace.leave(before));
  grace.ended();
  EXPECT_EQ(grace.users(), 0U);
}

// Against the definition: a period ends exactly when the last user that was there at its beginning has left.
TEST(Grace, RandomOrder) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Grace grace;
    struct User {
      int id;
      Grace::Group group;
    };
    std::vector<User> users;
    std::set<int> awaited;
    int next = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      const std::uint64_t draw = keyed_hash(seed, i);
      if (draw % 5 < 2) {
        users.push_back({next++, grace.enter()});
      } else if (draw % 5 < 4) {
        if (users.empty()) continue;
        const std::size_t pick = draw / 8 % users.size();
        const User user = users[pick];
        users.erase(users.begin() + static_cast<std::ptrdiff_t>(pick));
        const bool last = awaited.erase(user.id) == 1 && awaited.empty();
        ASSERT_EQ(grace.leave(user.group), last) << "seed " << seed << " step " << i;
        if (last) grace.ended();
      } else if (!grace.running()) {
        for (const User& user : users) awaited.insert(user.id);
        ASSERT_EQ(grace.begin(), awaited.empty());
      }
      ASSERT_EQ(grace.running(), !awaited.empty());
      ASSERT_EQ(grace.users(), users.size());
    }
  }
}

}  // namespace
}  // namespace wordline::testing::grace_test
