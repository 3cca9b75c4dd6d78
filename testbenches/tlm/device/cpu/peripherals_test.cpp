// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/cpu/rig.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::cpu {
namespace {

using namespace wordline::literals;
namespace regs = registers;
using testing::BusMaster;
using testing::expect_reports;
using testing::reports_seen;
using testing::simulate;
Picoseconds now() { return tlm_if::kernel_time(); }
using tlm_if::to_sc_time;

constexpr Picoseconds kLimit = 20_ms;

void wait(Picoseconds d) { sc_core::wait(to_sc_time(d)); }

// Remembers when the line of core 1 rises.
class RiseProbe final : public sc_core::sc_module, InterruptLineIf::Listener, tlm_if::AlarmQueue::Client {
 public:
  explicit RiseProbe(const sc_core::sc_module_name& name) : sc_module(name) {}
  sc_core::sc_port<InterruptLineIf> line{"line"};
  std::vector<Picoseconds> rises;

 private:
  void end_of_elaboration() override { line->listen(*this); }
  void interrupt_rises(Picoseconds at) override { rise_.set_no_later_than(at); }
  void alarm() override {
    rises.push_back(now());
    (void)line->level();  // takes what has arrived: what is announced lies ahead
    line->announce();
  }
  tlm_if::Alarm rise_{testing::context().alarms(), *this};
};

class InterruptTest : public ::testing::Test {
 protected:
  InterruptTest() {
    master.socket.bind(irq.socket);
    probe.line.bind(irq.lines[1]);
  }
  static std::uint32_t reg(unsigned core, std::uint32_t offset) { return core * regs::irq::kStride + offset; }
  bool level(unsigned core) { return irq.lines[core]->level(); }
  BusMaster master{"master"};
  InterruptController irq{"irq", testing::context(), 3};
  RiseProbe probe{"probe"};
};

TEST_F(InterruptTest, EnabledSourcesRaiseTheLineAndReadingClaims) {
  simulate(
      [&] {
        master.write(reg(0, regs::irq::enable), 1U << WL_IRQ_HOST);
        master.write(reg(1, regs::irq::enable), 1U << WL_IRQ_FLASH | 1U << WL_IRQ_HOST);
        EXPECT_EQ(master.read(reg(1, regs::irq::enable)), 3U);
        wait(1_us);
        irq.raise(WL_IRQ_FLASH);
        EXPECT_FALSE(level(0));
        EXPECT_TRUE(level(1));
        EXPECT_FALSE(level(2));
        irq.raise(WL_IRQ_HOST);
        EXPECT_TRUE(level(0));
        EXPECT_EQ(master.read(reg(1, regs::irq::claim)), 3U);
        EXPECT_FALSE(level(1));
        EXPECT_TRUE(level(0)) << "each core claims for itself";
        EXPECT_EQ(master.read(reg(1, regs::irq::claim)), 0U);
        EXPECT_EQ(master.read(reg(0, regs::irq::claim)), 1U) << "only enabled sources are claimed";
        wait(1_us);
        ASSERT_EQ(probe.rises.size(), 1U);
        EXPECT_EQ(probe.rises[0], 1_us);
      },
      to_sc_time(kLimit));
}

TEST_F(InterruptTest, LatchedSourceIsSeenWhenEnabled) {
  simulate(
      [&] {
        irq.raise(WL_IRQ_HOST);
        EXPECT_FALSE(level(1));
        EXPECT_EQ(master.read(reg(1, regs::irq::claim)), 0U) << "a disabled source is not claimed";
        wait(2_us);
        master.write(reg(1, regs::irq::enable), 1);
        EXPECT_TRUE(level(1));
        wait(1_ps);
        ASSERT_EQ(probe.rises.size(), 1U);
        EXPECT_EQ(probe.rises[0], 2_us);
        master.write(reg(1, regs::irq::enable), 0);
        EXPECT_FALSE(level(1));
        master.write(reg(1, regs::irq::enable), ~0U);
        EXPECT_EQ(master.read(reg(1, regs::irq::enable)), regs::irq::enable_sources_mask);
        EXPECT_EQ(master.read(reg(1, regs::irq::claim)), 1U);
      },
      to_sc_time(kLimit));
}

TEST_F(InterruptTest, IpiActsWhenTheStoreArrives) {
  simulate(
      [&] {
        master.write(reg(1, regs::irq::enable), 1U << WL_IRQ_IPI);
        master.write(reg(2, regs::irq::enable), 1U << WL_IRQ_IPI);
        // Two cores ahead by different leads, the later store first.
        master.write(reg(1, regs::irq::ipi), 1, 700_ns);
        master.write(reg(2, regs::irq::ipi), 1, 900_ns);
        master.write(reg(1, regs::irq::ipi), 1, 300_ns);
        master.write(reg(1, regs::irq::ipi), 0, 100_ns);
        EXPECT_FALSE(level(1));
        wait(300_ns - 1_ps);
        EXPECT_FALSE(level(1));
        wait(1_ps);
        wait(0_ps);
        EXPECT_TRUE(level(1));
        EXPECT_EQ(master.read(reg(1, regs::irq::claim)), 1U << WL_IRQ_IPI);
        wait(400_ns - 1_ps);
        EXPECT_FALSE(level(1)) << "the second IPI is not lost, nor early";
        wait(1_ps);
        wait(0_ps);
        EXPECT_TRUE(level(1));
        EXPECT_FALSE(level(2));
        wait(200_ns);
        wait(0_ps);
        EXPECT_TRUE(level(2));
        wait(1_us);
        EXPECT_EQ(probe.rises, (std::vector<Picoseconds>{300_ns, 700_ns}));
        master.write(reg(0, regs::irq::enable), 1U << WL_IRQ_IPI);
        master.write(reg(0, regs::irq::ipi), 1);
        EXPECT_TRUE(level(0)) << "without lead at once";
      },
      to_sc_time(kLimit));
}

TEST_F(InterruptTest, UnknownRegistersAndSourcesAreErrors) {
  simulate(
      [&] {
        master.read(reg(3, regs::irq::claim));
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << "three cores only";
        master.write(reg(0, regs::irq::claim), 1);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << "read-only";
        master.read(reg(0, regs::irq::ipi));
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << "write-only";
        expect_reports(true);
        irq.raise(6);
        irq.raise(36);
        EXPECT_EQ(reports_seen(), 2U);
        expect_reports(false);
      },
      to_sc_time(kLimit));
}

struct RaiseProbe final : tlm_if::InterruptIf {
  std::vector<std::pair<unsigned, Picoseconds>> raised;
  void raise(unsigned source) override { raised.emplace_back(source, now()); }
};

class TimerTest : public ::testing::Test {
 protected:
  TimerTest() {
    master.socket.bind(timer.socket);
    timer.interrupt.bind(irq);
  }
  RaiseProbe irq;
  BusMaster master{"master"};
  Timer timer{"timer", testing::context()};
};

TEST_F(TimerTest, CountsMicrosecondsAndExpiresAtTheirBeginning) {
  simulate(
      [&] {
        wait(3_us - 1_ps);
        EXPECT_EQ(master.read(regs::timer::now), 2U);
        EXPECT_EQ(master.read(regs::timer::now, 1_ps), 3U) << "as the core sees it, ahead of time";
        master.write(regs::timer::compare, 10, 500_ns);
        EXPECT_EQ(master.read(regs::timer::compare), 10U);
        wait(20_us);
        ASSERT_EQ(irq.raised.size(), 1U) << "once";
        EXPECT_EQ(irq.raised[0], std::make_pair(unsigned{WL_IRQ_TIMER}, Picoseconds(10_us)));
      },
      to_sc_time(kLimit));
}

TEST_F(TimerTest, ReachedValuesRaiseOnArrivalAndZeroStops) {
  simulate(
      [&] {
        wait(100_us + 7_ps);
        master.write(regs::timer::compare, 99, 40_ns);
        wait(1_us);
        master.write(regs::timer::compare, 101, 30_ns);
        wait(1_us);
        master.write(regs::timer::compare, 110);
        wait(1_us);
        master.write(regs::timer::compare, 0);
        wait(20_us);
        master.write(regs::timer::compare, 130);
        master.write(regs::timer::compare, 140);
        wait(30_us);
        ASSERT_EQ(irq.raised.size(), 3U);
        EXPECT_EQ(irq.raised[0].second, 100_us + 7_ps + 40_ns);
        EXPECT_EQ(irq.raised[1].second, 101_us + 7_ps + 30_ns);
        EXPECT_EQ(irq.raised[2].second, 140_us) << "a new value replaces the one before";
        master.write(regs::timer::now, 1);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        master.read(8);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      },
      to_sc_time(kLimit));
}

TEST_F(TimerTest, WrapsAtThirtyTwoBits) {
  simulate(
      [&] {
        const Picoseconds wrap((std::int64_t{1} << 32) * 1'000'000);
        wait(wrap - 2_us);
        EXPECT_EQ(master.read(regs::timer::now), 0xfffffffeU);
        master.write(regs::timer::compare, 3);
        wait(10_us);
        ASSERT_EQ(irq.raised.size(), 1U);
        EXPECT_EQ(irq.raised[0].second, wrap + 3_us);
        EXPECT_EQ(master.read(regs::timer::now), 8U);
      },
      sc_core::sc_time(5000, sc_core::SC_SEC));
}

class LogTest : public ::testing::Test {
 protected:
  LogTest() { master.socket.bind(log.socket); }
  void put(const char* text) {
    for (; *text != 0; ++text) master.write(regs::uart::tx, static_cast<std::uint32_t>(*text), 5_ns);
  }
  std::vector<std::pair<Picoseconds, std::string>> lines;
  BusMaster master{"master"};
  Log log{"log", testing::context(), [this](Picoseconds at, std::string_view line) { lines.emplace_back(at, line); }};
};

TEST_F(LogTest, CollectsLines) {
  simulate(
      [&] {
        wait(1_us);
        put("hello\nfirst");
        wait(1_us);
        put(" half\n\nrest");
        master.read(regs::uart::tx);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      },
      to_sc_time(kLimit));
  const std::vector<std::pair<Picoseconds, std::string>> expected = {
      {1_us + 5_ns, "hello"}, {2_us + 5_ns, "first half"}, {2_us + 5_ns, ""}, {2_us + 5_ns, "rest"}};
  EXPECT_EQ(lines, expected);
}

TEST_F(LogTest, PanicEndsTheRunWithItsLine) {
  expect_reports(true);
  sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions&) {
    if (report.get_severity() == sc_core::SC_ERROR) throw report;
  });
  EXPECT_EQ(log.panic_line(), 0U);
  bool caught = false;
  sc_core::sc_time end;
  simulate(
      [&] {
        wait(1_us);
        try {
          master.write(regs::uart::panic, 123);
        } catch (const sc_core::sc_report& report) {
          caught = true;
          EXPECT_STREQ(report.get_msg(), "firmware panic at line 123");
        }
        EXPECT_EQ(log.panic_line(), 123U);
        try {
          master.write(regs::uart::panic, 0x80001a4c);
        } catch (const sc_core::sc_report& report) {
          EXPECT_STREQ(report.get_msg(), "firmware trap at address 0x1a4c");
        }
      },
      to_sc_time(kLimit));
  EXPECT_TRUE(caught);
  EXPECT_EQ(log.panic_line(), 0x80001a4cU);
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}

}  // namespace
}  // namespace wordline::cpu
