// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The read-retry RTL against its C++ reference, clock by clock, in random worlds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "testbenches/rtl/read_retry/world.h"

namespace wordline::testing::lockstep_test {
namespace {

constexpr std::uint64_t kSeed = 0x7265'7472'79;

/// WORDLINE_RETRY_READS multiplies the reads of each test.
unsigned reads(unsigned count) {
  const char* more = std::getenv("WORDLINE_RETRY_READS");
  return count * (more == nullptr ? 1U : static_cast<unsigned>(std::strtoul(more, nullptr, 10)));
}

struct Setting {
  const char* name;
  Habits habits;
  unsigned reads;
};

class ReadRetryLockstep : public ::testing::TestWithParam<Setting> {};

TEST_P(ReadRetryLockstep, EveryClockAsTheReference) {
  Lockstep lockstep;
  World world(lockstep, kSeed, GetParam().habits);
  for (unsigned i = 0; i < reads(GetParam().reads); ++i) {
    try {
      if (i % 4 == 0) world.set_up();
      world.read();
      if (i % 64 == 0) lockstep.compare_registers();
    } catch (const Mismatch& mismatch) {
      FAIL() << "read " << i << ", " << mismatch.what();
    }
  }
  ASSERT_NO_THROW(lockstep.compare_registers());
  const ecc::RetryCounters& c = lockstep.counters();
  // Nothing was left out.
  EXPECT_GT(c.retries, 0U);
  for (const std::uint64_t way : c.codewords) EXPECT_GT(way, 0U);
  EXPECT_GT(c.uncorrectable_lpages, 0U);
  for (const std::uint64_t bin : c.t1_iterations) EXPECT_GT(bin, 0U);
  for (const std::uint64_t bin : c.t2_iterations) EXPECT_GT(bin, 0U);
  EXPECT_EQ(lockstep.time_outs() > 0, GetParam().habits.lost > 0);
  EXPECT_EQ(lockstep.stale() > 0, GetParam().habits.lost > 0);
}

Habits habits(unsigned ready, unsigned delay, unsigned good) {
  Habits h;
  h.ready = ready;
  h.delay = delay;
  h.good_codeword = good;
  return h;
}

Habits faults(unsigned crc, unsigned error, unsigned lost, unsigned abort, unsigned access) {
  Habits h = habits(180, 4, 90);
  h.bad_crc = crc;
  h.flash_error = error;
  h.lost = lost;
  h.abort = abort;
  h.access = access;
  return h;
}

Habits large(Habits h) {
  h.codewords = ecc::kRetryCodewords;
  h.good_codeword = 200;
  return h;
}

INSTANTIATE_TEST_SUITE_P(ReadRetry, ReadRetryLockstep,
                         ::testing::Values(Setting{"AtOnce", habits(256, 0, 100), 600},
                                           Setting{"SlowEverything", habits(60, 20, 120), 150},
                                           Setting{"HardlyAnythingDecodes", habits(256, 1, 30), 200},
                                           Setting{"WholePages", large(habits(220, 1, 0)), 100},
                                           Setting{"Miscorrections", faults(60, 0, 0, 0, 0), 300},
                                           Setting{"FlashErrors", faults(0, 6, 0, 0, 0), 600},
                                           Setting{"LostAnswers", faults(0, 0, 8, 0, 0), 600},
                                           Setting{"Aborts", faults(0, 0, 0, 300, 0), 600},
                                           Setting{"RegistersWhileRunning", faults(0, 0, 0, 0, 120), 300},
                                           Setting{"EverythingAtOnce", faults(20, 2, 3, 60, 60), 600}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ReadRetryLockstep, AbortsInEveryStateAndTimeOutsInEveryWait) {
  using ecc::RetryState;
  Lockstep lockstep;
  Habits h = faults(10, 0, 12, 1200, 0);
  World world(lockstep, kSeed + 1, h);
  for (unsigned i = 0; i < reads(1500); ++i) {
    if (i % 4 == 0) world.set_up();
    ASSERT_NO_THROW(world.read()) << "read " << i;
  }
  for (unsigned s = 1; s <= static_cast<unsigned>(RetryState::kFail); ++s) {
    EXPECT_GT(world.aborts()[s], 0U) << ecc::to_string(static_cast<RetryState>(s));
  }
  for (const RetryState s :
       {RetryState::kWaitData, RetryState::kT1, RetryState::kT2H, RetryState::kSetFeature, RetryState::kSoftSetup,
        RetryState::kSoftRead, RetryState::kT2S, RetryState::kRestoreFeature}) {
    EXPECT_GT(world.time_outs()[static_cast<std::size_t>(s)], 0U) << ecc::to_string(s);
  }
}

}  // namespace
}  // namespace wordline::testing::lockstep_test
