// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/alarm_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

using namespace wordline::literals;
using tlm_if::now;
using tlm_if::to_sc_time;

class AlarmQueueTest : public ::testing::Test {
 protected:
  struct Part : tlm_if::AlarmQueue::Client {
    Part(char part, tlm_if::AlarmQueue& queue, std::string& log) : name(part), seen(log), ahead(queue, *this) {}
    void alarm() override {
      EXPECT_FALSE(ahead.pending()) << "it has gone off";
      seen += name + std::to_string(now().count() / 1000) + ' ';
      if (then) then();
    }
    const char name;
    std::string& seen;
    tlm_if::Alarm ahead;
    std::function<void()> then;
  };

  std::string log;
  tlm_if::AlarmQueue queue{"queue"};
  Part a{'a', queue, log}, b{'b', queue, log}, c{'c', queue, log};
};

TEST_F(AlarmQueueTest, GoesOffInOrderOfTimeAndOfEqualTimesInOrderOfSetting) {
  simulate(
      [&] {
        c.ahead.set(30_ns);
        b.ahead.set(20_ns);
        a.ahead.set(20_ns);
        EXPECT_TRUE(a.ahead.pending());
        EXPECT_EQ(a.ahead.at(), 20_ns);
        wait(to_sc_time(40_ns));
        EXPECT_EQ(log, "b20 a20 c30 ");
        b.ahead.set(now());  // the present
        wait(to_sc_time(1_ns));
        EXPECT_EQ(log, "b20 a20 c30 b40 ");
      },
      to_sc_time(1_us));
}

TEST_F(AlarmQueueTest, LastSettingCountsAndACancelledOneIsNoInstant) {
  simulate(
      [&] {
        a.ahead.set(10_ns);
        b.ahead.set(20_ns);
        c.ahead.set(15_ns);
        a.ahead.set(30_ns);  // later than it was
        c.ahead.set(5_ns);   // earlier
        b.ahead.cancel();
        b.ahead.cancel();
        EXPECT_FALSE(b.ahead.pending());
        wait(to_sc_time(50_ns));
        EXPECT_EQ(log, "c5 a30 ");
      },
      to_sc_time(1_us));
}

TEST_F(AlarmQueueTest, PartsSetAndCancelWhileOthersAct) {
  simulate(
      [&] {
        a.then = [this] {
          c.ahead.cancel();  // of this instant
          b.ahead.set(now());
          a.then = nullptr;
          a.ahead.set(25_ns);
        };
        a.ahead.set(10_ns);
        c.ahead.set(10_ns);
        b.ahead.set(40_ns);
        wait(to_sc_time(50_ns));
        EXPECT_EQ(log, "a10 b10 a25 ");
        c.ahead.set(60_ns);  // nothing was left that would wake the queue
        wait(to_sc_time(20_ns));
        EXPECT_EQ(log, "a10 b10 a25 c60 ");
      },
      to_sc_time(1_us));
}

TEST_F(AlarmQueueTest, NobodyIsWokenForWhatWasCancelled) {
  a.ahead.set(10_ns);
  b.ahead.set(5_ns);
  a.ahead.cancel();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(sc_core::sc_time_to_pending_activity(), to_sc_time(5_ns));
  b.ahead.cancel();
  EXPECT_FALSE(sc_core::sc_pending_activity());
  EXPECT_EQ(log, "");
}

}  // namespace
}  // namespace wordline::testing
