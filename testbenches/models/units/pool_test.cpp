// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/units/pool.h"

#include <gtest/gtest.h>

#include <string>

namespace wordline::pool_test {
namespace {

TEST(Pool, IndicesStayValidWhileOthersComeAndGo) {
  Pool<std::string> pool;
  const auto a = pool.acquire("a"), b = pool.acquire("b"), c = pool.acquire("c");
  EXPECT_EQ(pool.in_use(), 3u);
  pool.release(b);
  EXPECT_EQ(pool[a] + pool[c], "ac");
  EXPECT_EQ(pool.in_use(), 2u);
  EXPECT_EQ(pool.acquire("d"), b);
  for (int i = 0; i < 100; ++i) EXPECT_NE(pool.acquire("e"), a);
  EXPECT_EQ(pool[a] + pool[b] + pool[c], "adc");
}

TEST(Pool, TheLastOneReleasedIsTheNextOneGiven) {
  Pool<int> pool;
  const auto a = pool.acquire(), b = pool.acquire();
  pool.release(b);
  pool.release(a);
  EXPECT_EQ(pool.acquire(), a);
  EXPECT_EQ(pool.acquire(), b);
  EXPECT_EQ(pool.acquire(), 2u);
}

TEST(Pool, ARecordComesAsItWasLeft) {
  Pool<std::string> pool;
  const auto index = pool.acquire(std::string(1000, 'x'));
  pool[index].clear();
  pool.release(index);
  ASSERT_EQ(pool.acquire(), index);
  EXPECT_GE(pool[index].capacity(), 1000u);
}

}  // namespace
}  // namespace wordline::pool_test
