// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tlm/device/flash/channel/sum_reads.h"

namespace wordline::flash::sum_reads_test {
namespace {

wl_flash_job read_of(std::uint16_t id, std::uint32_t slot, std::uint16_t count) {
  wl_flash_job job{};
  job.id = id;
  job.slot = slot;
  job.count = count;
  job.flags = WL_FLASH_SUM;
  return job;
}

// A page that is transferred again for another job brings the same again.
TEST(SumReads, AddEachLogicalPageOnce) {
  SumReads sums;
  const wl_flash_job read = read_of(7, 100, 2);
  sums.begin(read);
  EXPECT_TRUE(sums.takes(read, 100));
  EXPECT_FALSE(sums.takes(read, 100));
  EXPECT_TRUE(sums.takes(read, 101));
  EXPECT_FALSE(sums.takes(read, 101));
}

// What a retry still has to bring is that of its own job, whatever others brought to the same slots meanwhile.
TEST(SumReads, LackByJobAndNotBySlot) {
  SumReads sums;
  const wl_flash_job one = read_of(7, 100, 2), other = read_of(8, 100, 2);
  sums.begin(one);
  sums.begin(other);
  EXPECT_TRUE(sums.takes(one, 100));
  sums.lose(one, 101, 0x5);
  EXPECT_TRUE(sums.takes(other, 100));
  EXPECT_TRUE(sums.takes(other, 101));
  wl_flash_job rest = one;
  rest.control = WL_RETRY_SET | WL_RETRY_REST;
  sums.begin(rest);
  EXPECT_EQ(sums.lacks(one, 100), 0U);
  EXPECT_EQ(sums.lacks(one, 101), 0x5U);
  EXPECT_FALSE(sums.takes(one, 100));
  EXPECT_TRUE(sums.takes(one, 101));
}

// Also behind a job that firmware gave up: nobody tells the channel.
TEST(SumReads, BeginAnewWithAJobOfTheSameId) {
  SumReads sums;
  const wl_flash_job read = read_of(7, 100, 1), next = read_of(7, 40, 3);
  sums.begin(read);
  sums.lose(read, 100, 0x1);
  sums.begin(next);
  EXPECT_EQ(sums.lacks(next, 40), 0U);
  for (std::uint32_t slot = 40; slot != 43; ++slot) EXPECT_TRUE(sums.takes(next, slot));
}

}  // namespace
}  // namespace wordline::flash::sum_reads_test
