// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/iss_core.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/cpu/rig.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::cpu {
namespace {

static_assert(WL_COST_BOOT == 29, "timed_stores.S and sleeper.S set this tag");

using namespace wordline::literals;
using testing::kBus;
using testing::kCycle;
using testing::simulate;
Picoseconds now() { return tlm_if::kernel_time(); }
using tlm_if::to_sc_time;

constexpr Picoseconds kLimit = 10_ms;
constexpr std::uint32_t kDoorbell = registers::nvme::job_doorbell;

void wait_until(Picoseconds t) { sc_core::wait(to_sc_time(t - now())); }

constexpr Picoseconds cycles(std::int64_t n) { return kCycle * n; }

struct Machine {
  Machine(const char* program, Picoseconds quantum, unsigned cores = 1,
          config::OnException on_exception = config::OnException::kStop)
      : image(std::string(PROGRAMS) + program + ".elf"), rig(cores) {
    for (unsigned i = 0; i < cores; ++i) {
      config::Cpu config = testing::cpu_config(quantum);
      config.cores = cores;
      config.on_exception = on_exception;
      config.watchdog = 1_ms;
      core.push_back(std::make_unique<IssCore>(("core" + std::to_string(i)).c_str(), testing::context(), config, i,
                                               image, i == 0 ? &waves : nullptr));
      core[i]->socket.bind(rig.bus.cores[i]);
      core[i]->interrupt.bind(rig.irq.lines[i]);
      core[i]->stage_clock.bind(stages);
    }
  }
  std::uint32_t tcm(std::uint32_t offset) {
    std::uint32_t word = 0;
    std::memcpy(&word, rig.tcm.data() + offset, 4);
    return word;
  }

  riscv::ElfFile image;
  testing::Rig rig;
  testing::WorkProbe stages;
  testing::TaskProbe waves;
  std::vector<std::unique_ptr<IssCore>> core;
};

// Quantum in nanoseconds; 0 synchronises always. What hardware sees must not depend on it.
class IssQuantumTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  Picoseconds quantum{GetParam() * 1000};
};
INSTANTIATE_TEST_SUITE_P(Quantum, IssQuantumTest, ::testing::Values(0, 1, 100, 1000, 100000));

TEST_P(IssQuantumTest, StoresArriveAtTheirCycle) {
  Machine m("timed_stores", quantum);
  m.rig.tcm.data()[0x40] = std::byte{0x5a};
  m.rig.dram.data()[0x40] = std::byte{0xa5};
  simulate(
      [&] {
        wait_until(200_us);
        const auto& stores = m.rig.nvme.stores;
        ASSERT_EQ(stores.size(), 4U);
        // Cycle of each store, counted by hand in timed_stores.S: a register store takes 1 + 4 on the bus.
        const std::int64_t at[] = {10, 15, 59, 65 + 1000 * 4 - 2};
        for (unsigned i = 0; i < 4; ++i) {
          EXPECT_EQ(stores[i].arrival, cycles(at[i]) + kBus) << i;
          EXPECT_EQ(stores[i].offset, kDoorbell);
          EXPECT_LE(stores[i].called, cycles(at[i])) << i;
          if (quantum == 0_ps) {
            EXPECT_EQ(stores[i].called, cycles(at[i])) << "synchronised";
          }
          if (quantum == 100_us) {
            EXPECT_EQ(stores[i].called, 0_ps) << "far ahead";
          }
          EXPECT_LE(cycles(at[i]) - stores[i].called, quantum + cycles(40)) << "ahead by a quantum and a block";
        }
        EXPECT_EQ(stores[0].value, 7U);
        EXPECT_EQ(stores[3].value, 0xa5U);
        EXPECT_EQ(m.tcm(0x44), 0x5aU);
        std::uint32_t dram = 0;
        std::memcpy(&dram, m.rig.dram.data() + 0x44, 4);
        EXPECT_EQ(dram, 0xa5U);

        ASSERT_EQ(m.stages.works.size(), 1U);
        EXPECT_EQ(m.stages.works[0].tag, 9U);
        EXPECT_EQ(m.stages.works[0].from, cycles(58));
        EXPECT_EQ(m.stages.works[0].to, cycles(4069)) << "until it sleeps";

        const CoreStatistics s = m.core[0]->statistics();
        EXPECT_EQ(s.busy, cycles(4063 + 5 + 1)) << "until WFI";
        EXPECT_EQ(s.entries[WL_COST_BOOT], 1U);
        EXPECT_EQ(s.instructions, 10U + 2 + 4 + 3 + 1 + 1 + 2000 + 1 + 1);
        EXPECT_EQ(m.waves.values.back(), std::make_pair(cycles(4069), std::string("sleep")));
      },
      to_sc_time(kLimit));
}

TEST_P(IssQuantumTest, SleepIsNotBusyAndWakesAtTheClockEdge) {
  Machine m("sleeper", quantum);
  simulate(
      [&] {
        const auto& stores = m.rig.nvme.stores;
        wait_until(10_us + 1_ps);
        EXPECT_EQ(m.core[0]->statistics().busy, cycles(21));
        EXPECT_EQ(m.core[0]->statistics().instructions, 15U);
        m.rig.irq.raise(WL_IRQ_FLASH);
        wait_until(20_us);
        ASSERT_EQ(stores.size(), 1U);
        EXPECT_EQ(stores[0].arrival, 10_us + cycles(1) + cycles(6) + kBus) << "the first edge after the interrupt";
        EXPECT_EQ(stores[0].value, 1U << WL_IRQ_FLASH);
        EXPECT_EQ(m.core[0]->statistics().busy, cycles(21 + 15));
        m.rig.irq.raise(WL_IRQ_HOST);
        wait_until(20_us + cycles(5));  // it has claimed and is not asleep yet
        m.rig.irq.raise(WL_IRQ_TIMER);
        wait_until(30_us);
        ASSERT_EQ(stores.size(), 3U);
        EXPECT_EQ(stores[1].arrival, 20_us + cycles(6) + kBus) << "on the edge";
        EXPECT_EQ(stores[1].value, 1U << WL_IRQ_HOST);
        EXPECT_EQ(stores[2].arrival, 20_us + cycles(15 + 6) + kBus) << "WFI falls through";
        EXPECT_EQ(stores[2].value, 1U << WL_IRQ_TIMER);
        const CoreStatistics s = m.core[0]->statistics();
        EXPECT_EQ(s.busy, cycles(21 + 3 * 15));
        EXPECT_EQ(s.entries[WL_COST_WAKE], 3U);
        EXPECT_EQ(s.entries[WL_COST_IDLE], 4U);
        EXPECT_EQ(s.cycles[WL_COST_WAKE], 3U * 13);
        EXPECT_EQ(s.instructions, 15U + 3 * 6);
        const std::vector<std::pair<Picoseconds, std::string>> shown(m.waves.values.begin() + 2,
                                                                     m.waves.values.begin() + 7);
        const std::vector<std::pair<Picoseconds, std::string>> expected = {{cycles(19), "idle"},
                                                                           {cycles(21), "sleep"},
                                                                           {10_us + cycles(1), "idle"},
                                                                           {10_us + cycles(1), "wake"},
                                                                           {10_us + cycles(14), "idle"}};
        EXPECT_EQ(shown, expected);
      },
      to_sc_time(kLimit));
}

TEST_P(IssQuantumTest, IpiWakesTheOtherCoreAtItsArrival) {
  Machine m("sleeper", quantum, 2);
  simulate(
      [&] {
        wait_until(10_us);
        const auto& stores = m.rig.nvme.stores;
        ASSERT_EQ(stores.size(), 2U);
        EXPECT_EQ(stores[0].value, 1U);
        EXPECT_EQ(stores[0].arrival, cycles(18) + kBus);
        EXPECT_EQ(stores[1].value, 1U << WL_IRQ_IPI);
        EXPECT_EQ(stores[1].arrival, cycles(18 + 5) + kBus + cycles(6) + kBus);
        EXPECT_EQ(m.core[0]->statistics().busy, cycles(21 + 15));
        EXPECT_EQ(m.core[1]->statistics().busy, cycles(18 + 5 + 5 + 2));
      },
      to_sc_time(kLimit));
}

TEST_P(IssQuantumTest, InterruptIsTakenAtTheBlockOrWithinTheQuantum) {
  Machine m("interrupted", quantum);
  simulate(
      [&] {
        wait_until(10_us + 1_ps);
        m.rig.irq.raise(WL_IRQ_HOST);
        wait_until(1_ms);
        m.rig.irq.raise(WL_IRQ_FLASH);
        wait_until(2_ms);
        const auto& stores = m.rig.nvme.stores;
        ASSERT_EQ(stores.size(), 2U);
        EXPECT_EQ(stores[0].value, 1U << WL_IRQ_HOST);
        EXPECT_EQ(stores[1].value, 1U << WL_IRQ_FLASH);
        // The loop comes round at cycles 15 + 3k; trap entry 4, claim 5, then the store.
        const Picoseconds earliest = cycles(5001 + 4 + 5) + kBus;
        if (quantum == 0_ps) {
          EXPECT_EQ(stores[0].arrival, earliest);
        }
        EXPECT_GE(stores[0].arrival, earliest);
        EXPECT_LE(stores[0].arrival, earliest + quantum + cycles(3));
        EXPECT_GE(stores[1].arrival, 1_ms + cycles(9) + kBus);
        EXPECT_LE(stores[1].arrival, 1_ms + quantum + cycles(9 + 2 * 3) + kBus);
        const CoreStatistics s = m.core[0]->statistics();
        EXPECT_GE(s.busy, 2_ms - cycles(3)) << "it never sleeps";
        EXPECT_LE(s.busy, 2_ms + quantum + cycles(40));
      },
      to_sc_time(kLimit));
}

std::vector<std::string> reports;

class IssFaultTest : public ::testing::Test {
 protected:
  IssFaultTest() {
    sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions&) {
      if (report.get_severity() >= sc_core::SC_ERROR) reports.emplace_back(report.get_msg());
    });
  }
  void run(std::uint32_t what) {
    std::memcpy(m.rig.tcm.data() + 0x40, &what, 4);
    testing::run_until(to_sc_time(100_us));
    m.rig.irq.raise(WL_IRQ_HOST);
    if (sc_core::sc_get_status() != sc_core::SC_STOPPED) testing::run_until(to_sc_time(100_us));
  }
  void expect_report(const std::string& part) {
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_NE(reports[0].find(part), std::string::npos) << reports[0];
  }
  Machine m{"faults", 1_us, 1, handler()};

 private:
  static config::OnException handler() {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    return name.find("ForTheHandler") == std::string::npos ? config::OnException::kStop : config::OnException::kHandler;
  }
};

TEST_F(IssFaultTest, EndOfProgramNamesTheFunction) {
  run(0);
  expect_report(" in stop_here");
}
TEST_F(IssFaultTest, UnknownRegisterIsALoadFaultForTheHandler) {
  run(1);
  EXPECT_EQ(m.tcm(0x44), riscv::kCauseLoadFault);
  EXPECT_TRUE(reports.empty());
}
TEST_F(IssFaultTest, ByteStoreToARegisterIsAStoreFaultForTheHandler) {
  run(2);
  EXPECT_EQ(m.tcm(0x44), riscv::kCauseStoreFault);
  EXPECT_TRUE(m.rig.nvme.stores.empty());
}
TEST_F(IssFaultTest, StoreToInstructionMemoryIsAStoreFaultForTheHandler) {
  run(3);
  EXPECT_EQ(m.tcm(0x44), riscv::kCauseStoreFault);
}
TEST_F(IssFaultTest, ExceptionStopsTheRunAndNamesTheAccess) {
  run(3);
  expect_report("core0: store access fault at 0x00000010: instruction memory is read-only");
  expect_report("00a02823  sw a0, 16(zero)");
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}
TEST_F(IssFaultTest, UnknownCostTagIsReported) {
  run(4);
  static_assert(WL_COST_COUNT <= 63, "faults.S sets tag 63");
  expect_report("cost tag 63");
}
TEST_F(IssFaultTest, SleepThatNothingCanEndIsReported) {
  run(5);
  expect_report("external interrupts disabled");
}
TEST_F(IssFaultTest, PanicStopsTheRun) {
  run(6);
  expect_report("firmware panic at faults.S:321");
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}
TEST_F(IssFaultTest, UnknownMarkIsReported) {
  run(7);
  expect_report("mark 6");
}

}  // namespace
}  // namespace wordline::cpu
