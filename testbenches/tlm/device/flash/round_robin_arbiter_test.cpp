// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The arbiter by itself: the order of the classes, its bounds, and the windows in which it waits, to the picosecond.
#include "tlm/device/flash/channel/round_robin_arbiter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "models/onfi/timing.h"

namespace wordline::testing {
namespace {

using flash::BusClass;
using flash::RoundRobinArbiter;
using flash::WorthWaiting;

constexpr Picoseconds kNow{1'000'000};
constexpr Picoseconds kTick{1};
constexpr Picoseconds kRead{60'000'000};  // longest tR
constexpr unsigned kPackages = 4;
constexpr unsigned kBound = 3;

config::Channels channels() {
  config::Channels c{};
  c.packages = kPackages;
  c.dies_per_package = 2;
  c.rate = TransfersPerSecond{800'000'000};
  c.t_wc = Picoseconds(25'000);
  c.t_rhw = Picoseconds(100'000);
  c.t_rr = Picoseconds(20'000);
  c.t_wb = Picoseconds(100'000);
  c.t_dbsy = Picoseconds(500'000);
  c.starvation_bound = kBound;
  return c;
}
constexpr Picoseconds kTurnaround{100'000};  // max(tRR, tRHW)
constexpr Picoseconds kDummyBusy{600'000};   // tWB + tDBSY
constexpr Picoseconds kCommand{175'000};     // a read command: seven cycles

class Arbiter : public ::testing::Test {
 protected:
  void ask(unsigned die, BusClass c, Picoseconds from = kNow, WorthWaiting worth = WorthWaiting::kNo) {
    arbiter.request(die, {c, from, worth}, kNow);
  }
  /// Nothing: nobody gets the bus.
  std::optional<unsigned> next(Picoseconds now = kNow) {
    const auto grant = arbiter.next(now);
    if (!grant) return std::nullopt;
    granted_at = grant->at;
    return grant->die;
  }
  /// Dies `first`, `first` + 1, ... have a page each, of a burst of `burst`.
  void pages(unsigned count, Picoseconds burst, unsigned first = 0) {
    arbiter.data_took(burst);
    for (unsigned die = first; die < first + count; ++die) arbiter.senses(die, 1);
  }
  /// Other dies have so much that it fills the bus for a tR.
  void data_is_plenty() { pages(3, kRead, kPackages); }

  RoundRobinArbiter arbiter{channels(), kRead};
  Picoseconds granted_at{};
};

TEST(ArbiterOfAChannel, HasAWordOfPackagesAndOneOfLuns) {
  config::Channels c = channels();
  c.packages = c.dies_per_package = 64;
  EXPECT_NO_THROW(RoundRobinArbiter(c, kRead));
  c.packages = 65;
  EXPECT_THROW(RoundRobinArbiter(c, kRead), std::invalid_argument);
  c.packages = 64;
  c.dies_per_package = 65;
  EXPECT_THROW(RoundRobinArbiter(c, kRead), std::invalid_argument);
}

TEST_F(Arbiter, ClassesGoInTheirOrder) {
  data_is_plenty();
  arbiter.load_begins();
  ask(0, BusClass::kIn);
  ask(1, BusClass::kOut);
  ask(2, BusClass::kShort);
  ask(3, BusClass::kSelectedOut);
  arbiter.lock(3);
  EXPECT_EQ(next(), 3U);
  arbiter.unlock(3);
  EXPECT_EQ(next(), 2U);
  EXPECT_EQ(next(), 1U);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(next(), std::nullopt) << "a grant ends its request";
}

TEST_F(Arbiter, ADieThatHasBegunToStreamGoesBeforeOthers) {
  data_is_plenty();
  ask(0, BusClass::kOut);
  ask(1, BusClass::kMoreOut);
  EXPECT_EQ(next(), 1U);
  EXPECT_EQ(next(), 0U);
}

TEST_F(Arbiter, RoundRobinOverPackagesThenLuns) {
  for (unsigned die = 0; die < 2 * kPackages; ++die) ask(die, BusClass::kShort);
  std::vector<unsigned> order;
  for (unsigned i = 0; i < 2 * kPackages; ++i) order.push_back(*next());
  EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7}));  // die = LUN * packages + package
}

TEST_F(Arbiter, OnlyTheSelectedDieOfALockedPackageIsServed) {
  arbiter.lock(1);
  ask(1 + kPackages, BusClass::kShort);
  EXPECT_EQ(next(), std::nullopt);
  ask(1, BusClass::kSelectedOut);
  EXPECT_EQ(next(), 1U);
  arbiter.unlock(1);
  EXPECT_EQ(next(), 1U + kPackages);
}

TEST_F(Arbiter, DataInGoesAfterItsBoundOfDataOut) {
  data_is_plenty();
  ask(0, BusClass::kNewIn);
  for (unsigned i = 0; i < kBound; ++i) {
    ask(1, BusClass::kOut);
    EXPECT_EQ(next(), 1U) << i;
  }
  ask(1, BusClass::kOut);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(next(), 1U);
}

TEST_F(Arbiter, AUnitBeginsInTheGapsOfAnotherOnlyWhenTwoWait) {
  arbiter.load_begins();
  ask(0, BusClass::kNewIn);
  EXPECT_EQ(next(), std::nullopt);
  ask(1, BusClass::kNewIn);
  EXPECT_TRUE(next().has_value());
  EXPECT_EQ(next(), std::nullopt) << "one is left";
  arbiter.load_ends();
  EXPECT_TRUE(next().has_value());
}

TEST_F(Arbiter, ADieStreamsInTheGapsOfAnotherWhileEnoughIsLeftForATr) {
  // Die 1 streams. When it ends, the pages of the others have to fill the bus while it senses the next.
  arbiter.data_took(kRead - kCommand);
  arbiter.stream(1, true);
  arbiter.senses(1, 2);
  arbiter.senses(0, 1);
  ask(0, BusClass::kOut);
  EXPECT_EQ(next(), std::nullopt) << "nothing would be left";
  arbiter.stream(0, false);
  EXPECT_EQ(next(), std::nullopt) << "the turn is not die 0's to end";
  arbiter.senses(2, 1);
  EXPECT_EQ(next(), 0U) << "one page, and it fills the bus for a tR";
  arbiter.data_took(kRead - kCommand - kTick);
  ask(0, BusClass::kOut);
  EXPECT_EQ(next(), std::nullopt) << "a tick too short";
  arbiter.page_is_out(2);
  arbiter.stream(1, false);
  EXPECT_EQ(next(), 0U) << "nobody's turn";
}

TEST_F(Arbiter, TheDieWhoseTurnItIsGoesBeforeOthersThatHaveBegun) {
  data_is_plenty();
  for (unsigned round = 0; round < 4; ++round) {
    arbiter.stream(2, true);
    arbiter.stream(0, true);
    ask(0, BusClass::kMoreOut);
    ask(2, BusClass::kMoreOut);
    EXPECT_EQ(next(), 2U) << round;
    EXPECT_EQ(next(), 0U) << round;
  }
}

TEST_F(Arbiter, ARequestIsAnnouncedAheadWithinTheTurnaroundAndNotATickBefore) {
  ask(2, BusClass::kShort, kNow + kTurnaround);
  EXPECT_EQ(next(kNow - kTick), std::nullopt);
  EXPECT_EQ(next(), 2U);
  EXPECT_EQ(granted_at, kNow + kTurnaround);
}

TEST_F(Arbiter, ScarceDataWaitForACommandThatIsNear) {
  struct Case {
    WorthWaiting worth;
    Picoseconds window;
  };
  for (const Case& c : {Case{WorthWaiting::kTurnaround, kTurnaround}, Case{WorthWaiting::kDummyBusy, kDummyBusy}}) {
    for (const bool in_time : {true, false}) {
      RoundRobinArbiter one(channels(), kRead);
      one.data_took(kRead);
      one.senses(0, 1);
      one.request(0, {BusClass::kSelectedOut, kNow}, kNow);
      one.lock(0);
      const Picoseconds due = kNow + c.window + (in_time ? Picoseconds(0) : kTick);
      one.request(1, {BusClass::kShort, due, c.worth}, kNow);
      const auto grant = one.next(kNow);
      ASSERT_TRUE(grant.has_value());
      EXPECT_EQ(grant->die, in_time ? 1U : 0U);
      EXPECT_EQ(grant->at, in_time ? due : kNow);
    }
  }
}

// Dies 0 to n - 1 have a page each, die 3 a command that is due in `wait`. If the command comes after the next data,
// the bus is idle for work - (n - 1) bursts, else for work - n bursts.
TEST_F(Arbiter, DataWaitForACommandThatIsDueSoonerThanWaitingSaves) {
  constexpr Picoseconds kWait{50'000};
  struct Case {
    const char* what;
    unsigned dies;
    Picoseconds burst, work;  // with its command; 0: the longest tR
    bool waits;
  };
  const Case cases[] = {
      {"one page that is longer than the work: lock-step else", 1, kRead, kWait + kTick, true},
      {"the work is no longer than the wait", 1, kRead, kWait, false},
      {"a short page that is longer than the wait", 1, kCommand + kWait, kRead, true},
      {"the second page covers the work", 2, kRead, kRead, false},
      {"all but the wait of it", 2, kRead - kWait, kRead, false},
      {"all but more than the wait of it", 2, kRead - kWait - kTick, kRead, true},
      {"the longest tR where the request names no time", 2, kRead - kWait - kTick, Picoseconds(0), true},
      {"the longest tR is covered", 2, kRead, Picoseconds(0), false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    RoundRobinArbiter one(channels(), kRead);
    one.data_took(c.burst - kCommand);
    for (unsigned die = 0; die < c.dies; ++die) {
      one.senses(die, 1);
      one.request(die, {BusClass::kOut, kNow}, kNow);
    }
    one.request(3, {BusClass::kShort, kNow + kWait, WorthWaiting::kTurnaround, c.work}, kNow);
    const auto grant = one.next(kNow);
    ASSERT_TRUE(grant.has_value());
    EXPECT_EQ(grant->die == 3, c.waits);
    EXPECT_EQ(grant->at, c.waits ? kNow + kWait : kNow);
  }
}

TEST_F(Arbiter, ACommandIsWaitedForBeforeDataThatAreDueSooner) {
  pages(1, kRead);
  ask(0, BusClass::kOut, kNow + kTick);
  ask(1, BusClass::kShort, kNow + kTurnaround, WorthWaiting::kTurnaround);
  EXPECT_EQ(next(), 1U);
  EXPECT_EQ(granted_at, kNow + kTurnaround);
}

TEST_F(Arbiter, DataDoNotWaitForWhatIsNotWorthIt) {
  pages(1, kRead);
  ask(0, BusClass::kSelectedOut);
  ask(1, BusClass::kShort, kNow + kTick, WorthWaiting::kNo);
  EXPECT_EQ(next(), 0U);
  ask(0, BusClass::kSelectedOut);
  data_is_plenty();
  ask(1, BusClass::kShort, kNow + kTick, WorthWaiting::kTurnaround);
  EXPECT_EQ(next(), 0U) << "the data fill the bus for a tR";
}

TEST_F(Arbiter, DataDoNotWaitForACommandToALockedPackage) {
  pages(1, kRead);
  ask(0, BusClass::kSelectedOut);
  arbiter.lock(0);
  ask(kPackages, BusClass::kShort, kNow + kTick, WorthWaiting::kTurnaround);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(granted_at, kNow);
}

TEST_F(Arbiter, AColumnSelectionFitsInBeforeADistantCommand) {
  pages(1, kRead);
  const Picoseconds selection = onfi::BusTiming(channels()).command(8);
  ask(0, BusClass::kOut);
  ask(1, BusClass::kShort, kNow + selection, WorthWaiting::kDummyBusy);
  EXPECT_EQ(next(), 0U);
  ask(0, BusClass::kOut);
  ask(1, BusClass::kShort, kNow + selection - kTick, WorthWaiting::kDummyBusy);
  EXPECT_EQ(next(), 1U);
}

TEST_F(Arbiter, ARequestThatWasWithdrawnOrReplacedIsForgotten) {
  ask(0, BusClass::kShort, kNow + kTick);
  arbiter.withdraw(0);
  EXPECT_EQ(next(kNow + kDummyBusy), std::nullopt);
  ask(0, BusClass::kShort, kNow + kTick);
  ask(0, BusClass::kShort, kNow + kDummyBusy + kTurnaround);
  EXPECT_EQ(next(kNow + kDummyBusy - kTick), std::nullopt);
  EXPECT_EQ(next(kNow + kDummyBusy), 0U);
}

TEST_F(Arbiter, WakesWhenSomebodyCanUseTheBus) {
  EXPECT_EQ(arbiter.wake(kNow, kNow), std::nullopt);
  ask(0, BusClass::kShort, kNow + kRead);
  EXPECT_EQ(arbiter.wake(kNow, kNow), kNow + kRead);
  EXPECT_EQ(arbiter.wake(kNow, kNow + kRead + kTick), kNow + kRead + kTick);
  ask(1, BusClass::kShort);
  EXPECT_EQ(arbiter.wake(kNow, kNow - kTick), kNow);
}

// Whatever dies ask for: only who asked is served, not before it can be, no other die of a locked package, and
// everybody in the end.
TEST_F(Arbiter, RandomRequestsAreServedOnceInTimeAndAll) {
  std::mt19937 random(20261122);
  constexpr unsigned kDies = 2 * kPackages;
  std::array<std::optional<flash::BusRequest>, kDies> open;
  std::optional<unsigned> locked;
  Picoseconds now = kNow;
  unsigned served = 0;
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 20'000; ++round) {
    const bool asks = round < 15'000;
    const unsigned die = pick(kDies);
    if (asks && !open[die] && die != locked) {
      constexpr std::array kClasses{BusClass::kShort, BusClass::kMoreOut, BusClass::kOut, BusClass::kIn,
                                    BusClass::kNewIn};
      open[die] = {kClasses[pick(kClasses.size())], now + Picoseconds(pick(400'000)),
                   static_cast<WorthWaiting>(pick(3))};
      arbiter.request(die, *open[die], now);
    }
    arbiter.data_took(Picoseconds(pick(20) * 1'000'000));
    arbiter.senses(pick(kDies), pick(3));
    const auto grant = arbiter.next(now);
    if (grant) {
      ASSERT_TRUE(open[grant->die].has_value()) << round;
      ASSERT_GE(grant->at, now);
      ASSERT_GE(grant->at, open[grant->die]->from);
      if (locked && *locked % kPackages == grant->die % kPackages) {
        ASSERT_EQ(grant->die, *locked);
      }
      now = grant->at + Picoseconds(1 + pick(300'000));
      ++served;
      const BusClass was = open[grant->die]->bus_class;
      open[grant->die].reset();
      if (was == BusClass::kSelectedOut) {
        arbiter.unlock(grant->die);
        locked.reset();
      } else if (was == BusClass::kOut && !locked) {
        locked = grant->die;
        arbiter.lock(grant->die);
        open[grant->die] = {BusClass::kSelectedOut, now + kTurnaround};
        arbiter.request(grant->die, *open[grant->die], now);
      }
    } else if (const auto wake = arbiter.wake(now, now)) {
      ASSERT_GE(*wake, now);
      now = std::max(*wake, now + kTick);
    }
  }
  for (unsigned die = 0; die < kDies; ++die) EXPECT_FALSE(open[die].has_value()) << "die " << die << " starves";
  EXPECT_GT(served, 10'000U);
}

}  // namespace
}  // namespace wordline::testing
