// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/power_promises.h"

#include <gtest/gtest.h>

namespace wordline::data {
namespace {

using Failure = PowerPromises::Failure;

constexpr std::uint64_t kLba = 9;
constexpr std::uint64_t version(std::uint64_t v) { return kLba << 32U | v; }

class PowerPromisesTest : public ::testing::Test {
 protected:
  PowerPromises promises_{[](std::uint64_t) { return version(1); }};
};

TEST_F(PowerPromisesTest, WithoutAFlushOldAndNewAreLegal) {
  EXPECT_EQ(promises_.found(kLba, version(1)), Failure::kNone);
  EXPECT_EQ(promises_.found(kLba, 0), Failure::kLost);
  promises_.begin(kLba, 2, version(2), 10);
  promises_.end(kLba, 2, 11, false);
  EXPECT_EQ(promises_.found(kLba, version(1)), Failure::kNone);
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kNone);
  EXPECT_EQ(promises_.found(kLba, version(3)), Failure::kStale);
  EXPECT_EQ(promises_.found(kLba, (kLba + 1) << 32U | 2), Failure::kCorrupt);
}

TEST_F(PowerPromisesTest, AFlushPromisesWhatEndedBeforeItBegan) {
  promises_.begin(kLba, 2, version(2), 10);
  promises_.end(kLba, 2, 11, false);
  promises_.begin(kLba, 3, version(3), 12);  // in flight
  promises_.flushed(13);
  EXPECT_EQ(promises_.found(kLba, version(1)), Failure::kStale);
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kNone);
  EXPECT_EQ(promises_.found(kLba, version(3)), Failure::kNone);
  promises_.end(kLba, 3, 14, false);
  promises_.flushed(14);
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kNone) << "the FLUSH began before the write had ended";
  promises_.flushed(15);
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kStale);
  EXPECT_EQ(promises_.unsettled(), 0U);
}

TEST_F(PowerPromisesTest, OfWritesInFlightTogetherEitherIsLegal) {
  promises_.begin(kLba, 2, version(2), 10);
  promises_.begin(kLba, 3, 0, 11);  // deallocated
  promises_.end(kLba, 3, 12, false);
  promises_.end(kLba, 2, 13, true);
  EXPECT_EQ(promises_.found(kLba, 0), Failure::kNone);
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kNone);
  EXPECT_EQ(promises_.found(kLba, version(1)), Failure::kStale);
}

TEST_F(PowerPromisesTest, NoFlushPromisesWhatHasFailed) {
  promises_.begin(kLba, 2, version(2), 10);
  promises_.fail(kLba, 2, 11);
  promises_.flushed(12);
  EXPECT_EQ(promises_.found(kLba, version(1)), Failure::kNone) << "it may not have happened";
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kNone);
  promises_.begin(kLba, 3, version(3), 13);
  promises_.end(kLba, 3, 14, true);
  EXPECT_EQ(promises_.found(kLba, version(2)), Failure::kStale);
}

}  // namespace
}  // namespace wordline::data
