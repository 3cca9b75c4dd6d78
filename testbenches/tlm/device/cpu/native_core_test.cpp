// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/native_core.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "testbenches/tlm/device/cpu/fake_firmware.h"
#include "testbenches/tlm/device/cpu/rig.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::cpu::native_core_test {
namespace {

using namespace wordline::literals;
using testing::expect_reports;
using testing::kBus;
using testing::kCycle;
using testing::reports_seen;
using testing::simulate;
Picoseconds now() { return tlm_if::kernel_time(); }
using tlm_if::to_sc_time;

constexpr Picoseconds kLimit = 1_ms;

void wait_until(Picoseconds t) { sc_core::wait(to_sc_time(t - now())); }

/// The rest of FTL_READ behind its doorbell.
constexpr Picoseconds kBehind{20'400};

NativeCosts costs() {
  NativeCosts c;
  c.cycles[WL_COST_BOOT] = 1000;
  c.cycles[WL_COST_IDLE] = 3;
  c.cycles[WL_COST_WAKE] = 7;
  c.cycles[WL_COST_HOST_READ] = 10;
  c.cycles[WL_COST_FTL_READ] = 25.5;
  c.busy = c.cycles;
  c.busy[WL_COST_HOST_READ] = 5;
  return c;
}

class NativeCoreTest : public ::testing::Test {
 protected:
  explicit NativeCoreTest(unsigned cores = 1, Picoseconds quantum = 0_ps) : rig(cores) {
    reinterpret_cast<wl_boot_info*>(rig.tcm.data())->cores = cores;
    for (unsigned i = 0; i < cores; ++i) {
      core.push_back(std::make_unique<NativeCore>(("core" + std::to_string(i)).c_str(), testing::context(),
                                                  testing::cpu_config(quantum), i, firmware, costs(),
                                                  i == 0 ? &waves : nullptr));
      core[i]->socket.bind(rig.bus.cores[i]);
      core[i]->interrupt.bind(rig.irq.lines[i]);
      if (i == 0) core[i]->stage_clock.bind(stages);
    }
  }
  fake_core& fake(unsigned i) {
    return reinterpret_cast<wl_firmware*>(rig.tcm.at(WL_TCM_BASE + FAKE_CONTEXT, sizeof(wl_firmware)))->core[i];
  }

  testing::Rig rig;
  testing::WorkProbe stages;
  testing::TaskProbe waves;
  NativeFirmware firmware{{fake_boot, fake_poll, fake_wake, fake_may_sleep}, nullptr, {}};
  std::vector<std::unique_ptr<NativeCore>> core;
};

class NativeCoreAheadTest : public NativeCoreTest {
 protected:
  NativeCoreAheadTest() : NativeCoreTest(1, 1_us) {}
};

class NativeCoresTest : public NativeCoreTest {
 protected:
  NativeCoresTest() : NativeCoreTest(2) {}
};

// At 500 MHz: boot 2 us, idle 6 ns, wake 14 ns, HOST_READ 20 ns, FTL_READ 51 ns.
TEST_F(NativeCoreTest, ChargesAreExactFromWakeToDoorbellToSleep) {
  simulate(
      [&] {
        wait_until(5_us);
        EXPECT_EQ(fake(0).polls, 1U) << "asleep after one empty round";
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns);
        std::uint32_t dram = 0;
        std::memcpy(&dram, rig.dram.data(), 4);
        EXPECT_EQ(dram, 0x600dcafeU);
        fake(0).work = 2;
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(10_us);
        EXPECT_EQ(fake(0).claimed, 1U << WL_IRQ_HOST);
        EXPECT_EQ(fake(0).wakes, 1U);
        EXPECT_EQ(fake(0).polls, 4U);

        ASSERT_EQ(rig.nvme.stores.size(), 2U);
        EXPECT_EQ(rig.nvme.stores[0].arrival, 5_us + 14_ns + 71_ns - kBehind + kBus);
        EXPECT_EQ(rig.nvme.stores[0].value, 1U);
        EXPECT_EQ(rig.nvme.stores[1].called, 5_us + 14_ns + 71_ns) << "one round per activation";
        EXPECT_EQ(rig.nvme.stores[1].arrival, 5_us + 14_ns + 142_ns - kBehind + kBus);

        ASSERT_EQ(stages.works.size(), 1U) << "both rounds are for the same command";
        EXPECT_EQ(stages.works[0].tag, 5U);
        EXPECT_EQ(stages.works[0].from, 5_us + 14_ns) << "the beginning of the stretch";
        EXPECT_EQ(stages.works[0].to, 5_us + 14_ns + 142_ns) << "idle is nobody's";

        const CoreStatistics s = core[0]->statistics();
        EXPECT_EQ(s.busy, 2_us + 6_ns + 14_ns + 142_ns + 6_ns);
        EXPECT_EQ(s.instructions, 0U);
        EXPECT_EQ(s.entries[WL_COST_BOOT], 1U);
        EXPECT_EQ(s.entries[WL_COST_IDLE], 2U);
        EXPECT_EQ(s.entries[WL_COST_FTL_READ], 2U);
        EXPECT_EQ(s.cycles[WL_COST_FTL_READ], 51U);
        EXPECT_EQ(s.cycles[WL_COST_WAKE], 7U);

        const std::vector<std::pair<Picoseconds, std::string>> shown = {
            {0_ps, "boot"},
            {2_us, "idle"},
            {2_us + 6_ns, "sleep"},
            {5_us, "wake"},
            {5_us + 14_ns, "host_read"},
            {5_us + 34_ns, "ftl_read"},
            {5_us + 85_ns, "host_read"},
            {5_us + 105_ns, "ftl_read"},
            {5_us + 156_ns, "idle"},
            {5_us + 162_ns, "sleep"},
        };
        EXPECT_EQ(waves.values, shown);
        EXPECT_EQ(waves.signals, std::vector<std::string>{"ssd.cpu.core0.task"});
      },
      to_sc_time(kLimit));
}

// From its seventeenth round without sleep on it is busy; a sleep ends that.
TEST_F(NativeCoreTest, ManyRoundsWithoutSleepAreThoseOfABusyCore) {
  simulate(
      [&] {
        wait_until(5_us);
        fake(0).work = 20;
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(20_us);
        const Picoseconds first = 16 * 71_ns + 4 * 61_ns + 6_ns;
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns + 14_ns + first);
        EXPECT_EQ(core[0]->statistics().cycles[WL_COST_HOST_READ], 16U * 10 + 4U * 5);
        fake(0).work = 1;
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(30_us);
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns + 14_ns + first + 14_ns + 71_ns + 6_ns);
        EXPECT_EQ(core[0]->statistics().entries[WL_COST_HOST_READ], 21U);
      },
      to_sc_time(kLimit));
}

// Within its quantum a core does in one activation what it would do in several, at the same times.
TEST_F(NativeCoreAheadTest, StoresArriveAsWithoutAQuantum) {
  simulate(
      [&] {
        wait_until(5_us);
        fake(0).work = 2;
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(10_us);
        EXPECT_EQ(fake(0).polls, 4U);
        ASSERT_EQ(rig.nvme.stores.size(), 2U);
        EXPECT_EQ(rig.nvme.stores[0].arrival, 5_us + 14_ns + 71_ns - kBehind + kBus);
        EXPECT_EQ(rig.nvme.stores[1].called, 5_us) << "in one activation";
        EXPECT_EQ(rig.nvme.stores[1].arrival, 5_us + 14_ns + 142_ns - kBehind + kBus);
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns + 14_ns + 142_ns + 6_ns);
      },
      to_sc_time(kLimit));
}

TEST_F(NativeCoreTest, InterruptInsideTheLastStretchWakesAtItsEnd) {
  simulate(
      [&] {
        wait_until(2_us + 1_ns);  // inside the idle stretch
        rig.irq.raise(WL_IRQ_FLASH);
        wait_until(2_us + 6_ns - 1_ps);
        EXPECT_EQ(fake(0).wakes, 0U);
        wait_until(2_us + 6_ns);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        EXPECT_EQ(fake(0).wakes, 1U);
        EXPECT_EQ(fake(0).claimed, 1U << WL_IRQ_FLASH);
        wait_until(100_us);
        EXPECT_EQ(fake(0).wakes, 1U);
        EXPECT_EQ(fake(0).polls, 2U);
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns + 14_ns + 6_ns);
      },
      to_sc_time(kLimit));
}

TEST_F(NativeCoreTest, InterruptBeforeSleepIsNotLost) {
  simulate(
      [&] {
        wait_until(1_us);  // booting
        rig.irq.raise(WL_IRQ_TIMER);
        wait_until(100_us);
        EXPECT_EQ(fake(0).wakes, 1U);
        EXPECT_EQ(fake(0).claimed, 1U << WL_IRQ_TIMER);
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns + 14_ns + 6_ns);
      },
      to_sc_time(kLimit));
}

TEST_F(NativeCoreTest, RefusedSleepPollsAgain) {
  simulate(
      [&] {
        fake(0).stay_awake = 3;
        wait_until(100_us);
        EXPECT_EQ(fake(0).polls, 4U);
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 4 * 6_ns);
      },
      to_sc_time(kLimit));
}

TEST_F(NativeCoreTest, RoundThatCostsNothingTakesACycle) {
  simulate(
      [&] {
        wait_until(5_us);
        fake(0).work = 100;
        fake(0).what = FAKE_FREE;
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(5_us + 14_ns + 100 * 20_ns + 6_ns);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        EXPECT_EQ(fake(0).polls, 1U + 101U);
      },
      to_sc_time(kLimit));
}

TEST_F(NativeCoresTest, SecondCoreWaitsForBootAndIpiArrivesExactly) {
  simulate(
      [&] {
        wait_until(2_us - 1_ps);
        EXPECT_EQ(fake(1).polls, 0U);
        wait_until(2_us + 1_ps);
        EXPECT_EQ(fake(1).polls, 1U);
        wait_until(5_us);
        fake(0).work = 1;
        fake(0).what = FAKE_IPI;
        rig.irq.raise(WL_IRQ_HOST);  // wakes both; core 1 finds nothing
        wait_until(5_us + 30_ns);
        EXPECT_EQ(fake(1).wakes, 1U);
        EXPECT_EQ(fake(1).claimed, 1U << WL_IRQ_HOST);
        fake(1).work = 1;
        wait_until(10_us);
        EXPECT_EQ(fake(1).wakes, 2U);
        EXPECT_EQ(fake(1).claimed, 1U << WL_IRQ_IPI);
        const Picoseconds ipi = 5_us + 14_ns + 12_ns + kBus;
        ASSERT_EQ(rig.nvme.stores.size(), 1U);
        EXPECT_EQ(rig.nvme.stores[0].called, ipi);
        EXPECT_EQ(rig.nvme.stores[0].arrival, ipi + 14_ns + 71_ns - kBehind + kBus);
        EXPECT_EQ(core[1]->statistics().busy, 6_ns + 20_ns + 14_ns + 71_ns + 6_ns);
        ASSERT_EQ(stages.works.size(), 1U) << "core 1 has no stage clock";
        EXPECT_EQ(stages.works[0].from, 5_us + 14_ns);
        EXPECT_EQ(stages.works[0].to, 5_us + 34_ns) << "another said it works for no command, in the same stretch";
        ASSERT_EQ(stages.waits.size(), 1U);
        EXPECT_EQ(stages.waits[0].waiter, +WL_WAITER_WRITE);
        EXPECT_EQ(stages.waits[0].pool, +WL_POOL_WRITE_BUFFER);
        EXPECT_EQ(stages.waits[0].at, 5_us + 14_ns);
      },
      to_sc_time(kLimit));
}

// After a failed check the firmware must not go on, even when the report handler returns.
TEST_F(NativeCoreTest, PanicStopsTheRun) {
  testing::run_until(to_sc_time(5_us));
  expect_reports(true);
  fake(0).work = 2;
  fake(0).what = FAKE_PANIC;
  rig.irq.raise(WL_IRQ_HOST);
  testing::run_until(to_sc_time(kLimit));
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_NE(
      testing::last_report().find("testbenches/tlm/device/cpu/fake_firmware.c:" + std::to_string(FAKE_PANIC_LINE)),
      std::string::npos);
  EXPECT_EQ(fake(0).after_panic, 0U);
  EXPECT_EQ(fake(0).work, 1U);
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}

class NativeCoreErrorTest : public NativeCoreTest, public ::testing::WithParamInterface<fake_work> {};

TEST_P(NativeCoreErrorTest, HaltsTheCoreWithAReport) {
  simulate(
      [&] {
        wait_until(5_us);
        expect_reports(true);
        fake(0).work = 2;
        fake(0).what = GetParam();
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(6_us);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(fake(0).after_panic, 0U);
        rig.irq.raise(WL_IRQ_HOST);
        wait_until(7_us);
        EXPECT_EQ(fake(0).work, 1U) << "halted";
        EXPECT_EQ(core[0]->statistics().busy, 2_us + 6_ns + 14_ns + 20_ns);
      },
      to_sc_time(kLimit));
}

TEST_F(NativeCoreTest, WaitForAPoolThatDoesNotExistIsReported) {
  testing::run_until(to_sc_time(5_us));
  expect_reports(true);
  fake(0).work = 1;
  fake(0).what = FAKE_BAD_WAIT;
  rig.irq.raise(WL_IRQ_HOST);
  testing::run_until(to_sc_time(kLimit));
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_NE(testing::last_report().find("waits for pool 6"), std::string::npos) << testing::last_report();
  EXPECT_TRUE(stages.waits.empty());
}

INSTANTIATE_TEST_SUITE_P(Errors, NativeCoreErrorTest, ::testing::Values(FAKE_BAD_REGISTER, FAKE_BAD_TAG));

}  // namespace
}  // namespace wordline::cpu::native_core_test
