// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/alarm_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::alarm_queue_test {
namespace {

using namespace wordline::literals;
using tlm_if::to_sc_time;

Picoseconds now() { return testing::context().now(); }

class AlarmQueueTest : public ::testing::Test {
 protected:
  struct Part : tlm_if::AlarmQueue::Client {
    Part(char part, std::string& log) : name(part), seen(log), ahead(testing::context().alarms(), *this) {}
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
  Part a{'a', log}, b{'b', log}, c{'c', log};
  tlm_if::AlarmQueue& queue = testing::context().alarms();
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

// A process of the kernel, with the time that it reads from the kernel and from the drive.
TEST_F(AlarmQueueTest, RunsAheadUntilTheKernelHasSomethingToDo) {
  struct Kernel : sc_core::sc_module {
    Kernel(const sc_core::sc_module_name& name, std::string& seen) : sc_module(name), log(seen) {
      SC_HAS_PROCESS(Kernel);
      SC_METHOD(act);
      sensitive << event;
      dont_initialize();
    }
    void act() {
      EXPECT_EQ(tlm_if::to_picoseconds(sc_core::sc_time_stamp()), now());
      log += 'k' + std::to_string(now().count() / 1000) + ' ';
    }
    std::string& log;
    sc_core::sc_event event;
  } kernel("kernel", log);
  Picoseconds stamp{};
  a.then = [&] {
    stamp = tlm_if::to_picoseconds(sc_core::sc_time_stamp());
    if (now() < 60_ns) a.ahead.set(now() + 10_ns);
    if (now() == 40_ns) queue.notify(kernel.event);
  };
  a.ahead.set(10_ns);
  b.ahead.set(45_ns);
  kernel.event.notify(to_sc_time(25_ns));
  queue.run_ahead_to(50_ns);
  sc_core::sc_start(to_sc_time(50_ns));
  EXPECT_EQ(log, "a10 a20 k25 a30 a40 k40 b45 a50 ");
  EXPECT_EQ(stamp, 45_ns) << "the queue was woken for b, and went on";
  EXPECT_EQ(now(), 50_ns);
  sc_core::sc_start(to_sc_time(50_ns));  // without run_ahead_to() at the kernel's time
  EXPECT_EQ(log, "a10 a20 k25 a30 a40 k40 b45 a50 a60 ");
  EXPECT_EQ(stamp, 60_ns);
  EXPECT_EQ(queue.alarms(), 7U);
}

}  // namespace
}  // namespace wordline::testing::alarm_queue_test
