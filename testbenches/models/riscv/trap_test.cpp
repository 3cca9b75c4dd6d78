// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::trap_test {
namespace {

using namespace assembler;
using riscv::StopReason;

constexpr std::uint32_t kHandler = 0x200;

// A machine whose trap handler is an ebreak, so the state at the trap can be looked at.
struct TrapMachine : Machine {
  explicit TrapMachine(riscv::HartConfig config = {}) : Machine(config) {
    program({ebreak()}, kHandler);
    hart.write_csr(kMtvec, kHandler);
  }
  void expect_trap(std::uint32_t cause, std::uint32_t epc, std::uint32_t tval) {
    ASSERT_EQ(hart.run(10000), StopReason::kEbreak);
    EXPECT_EQ(hart.pc(), kHandler);
    EXPECT_EQ(csr(kMcause), cause);
    EXPECT_EQ(csr(kMepc), epc);
    EXPECT_EQ(csr(kMtval), tval);
  }
};

TEST(RiscvTrap, ExceptionsArePrecise) {
  struct Case {
    Word insn, base, cause, tval;
  };
  const Case cases[] = {
      {ecall(), 0, 11, 0},
      {lw(a2, 4, a0), Machine::kHole, 5, Machine::kHole + 4},
      {sw(a2, 4, a0), Machine::kHole, 7, Machine::kHole + 4},
      {lw(a2, 2, a0), Machine::kMmio, 4, Machine::kMmio + 2},
      {lh(a2, 1, a0), Machine::kMmio, 4, Machine::kMmio + 1},
      {sw(a2, 1, a0), Machine::kMmio, 6, Machine::kMmio + 1},
      {lr(a2, a0), Machine::kTcm + 2, 4, Machine::kTcm + 2},
      {sc(a2, a1, a0), Machine::kTcm + 2, 6, Machine::kTcm + 2},
      {amo(0, a2, a1, a0), Machine::kTcm + 1, 6, Machine::kTcm + 1},
      {lr(a2, a0), Machine::kMmio, 5, Machine::kMmio},
      {amo(0, a2, a1, a0), Machine::kMmio, 7, Machine::kMmio},
      {csrrs(a2, 0x7ff, zero), 0, 2, csrrs(a2, 0x7ff, zero)},                         // no such CSR
      {csrrw(a2, kMhartid, a0), 0, 2, csrrw(a2, kMhartid, a0)},                       // read-only
      {csrrwi(zero, Machine::kTagCsr, 0), 0, 0, 0},                                   // for contrast: no trap at all
      {csrrw(zero, Machine::kTagCsr, a0), 64, 2, csrrw(zero, Machine::kTagCsr, a0)},  // no such tag
  };
  for (const Case& c : cases) {
    TrapMachine m;
    m.program({addi(a5, zero, 1), c.insn, addi(a5, zero, 2), ebreak()});
    m.hart.set_reg(a0, c.base);
    m.hart.set_reg(a2, 77);
    if (c.cause == 0) {
      EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
      EXPECT_EQ(m.hart.reg(a5), 2u);
      continue;
    }
    m.expect_trap(c.cause, 4, c.tval);
    EXPECT_EQ(m.hart.reg(a5), 1u) << "what follows has not run, " << std::hex << c.insn;
    EXPECT_EQ(m.hart.reg(a2), 77u) << "rd is kept, " << std::hex << c.insn;
    EXPECT_EQ(m.hart.instructions(), 1u) << std::hex << c.insn;
    EXPECT_EQ(m.hart.cycles(), 1u + riscv::CycleCosts{}.trap) << std::hex << c.insn;
  }
}

TEST(RiscvTrap, ReadOnlyMemoryFaultsStores) {
  std::vector<std::byte> rom(64, std::byte{0x5a});
  TrapMachine m;
  m.hart.add_region({0x20000000, 64, rom.data(), 1, 1, false, false});
  m.program({lw(a3, 0, a0), sw(zero, 0, a0)});
  m.hart.set_reg(a0, 0x20000000);
  m.expect_trap(7, 4, 0x20000000);
  EXPECT_EQ(m.hart.reg(a3), 0x5a5a5a5au);
  EXPECT_EQ(rom[0], std::byte{0x5a});
}

TEST(RiscvTrap, FetchFaults) {
  TrapMachine m;
  m.program({jalr(ra, 0, a0)});
  m.hart.set_reg(a0, Machine::kTcm);  // not executable
  m.expect_trap(1, Machine::kTcm, Machine::kTcm);
  EXPECT_EQ(m.hart.reg(ra), 4u);
  EXPECT_EQ(m.hart.instructions(), 1u);

  TrapMachine end;  // a 32-bit instruction whose second half is not there
  const std::uint32_t last = Machine::kCodeSize - 2;
  end.half(last, 0x0013);
  end.program({jalr(zero, 0, a0)});
  end.hart.set_reg(a0, last);
  end.expect_trap(1, last, last + 2);
}

TEST(RiscvTrap, EbreakIsAnExceptionWhenAsked) {
  riscv::HartConfig config;
  config.stop_on_ebreak = false;
  Machine m(config);
  m.program({ebreak()}, 0x40);
  m.program({addi(a0, zero, 3), wfi()}, kHandler);
  m.hart.write_csr(kMtvec, kHandler);
  m.hart.set_pc(0x40);
  EXPECT_EQ(m.hart.run(1000), StopReason::kWfi);
  EXPECT_EQ(m.csr(kMcause), 3u);
  EXPECT_EQ(m.csr(kMepc), 0x40u);
  EXPECT_EQ(m.hart.reg(a0), 3u);
}

TEST(RiscvTrap, LockupWhenTheVectorCannotRun) {
  Machine m;
  m.program({ecall()}, 0x40);
  m.hart.write_csr(kMtvec, Machine::kTcm);
  m.hart.set_pc(0x40);
  EXPECT_EQ(m.hart.run(1000), StopReason::kLockup);
  EXPECT_EQ(m.csr(kMepc), 0x40u);
  Machine zeros;  // mtvec 0, and nothing but zeros there
  zeros.hart.set_pc(0x40);
  EXPECT_EQ(zeros.hart.run(1000000), StopReason::kLockup);
}

TEST(RiscvTrap, MretRestoresTheInterruptEnable) {
  Machine m;
  m.program({csrrsi(zero, kMstatus, 8), ecall(), ebreak()});
  m.program({csrrs(a0, kMstatus, zero), csrrs(a1, kMepc, zero), addi(a1, a1, 4), csrrw(zero, kMepc, a1), mret()},
            kHandler);
  m.hart.write_csr(kMtvec, kHandler);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.pc(), 8u);
  EXPECT_EQ(m.hart.reg(a0), 0x1880u);  // in the handler: MPP = 3, MPIE = 1, MIE = 0
  EXPECT_EQ(m.csr(kMstatus), 0x1888u);
}

TEST(RiscvInterrupt, PriorityVectorsAndMasks) {
  TrapMachine m;
  m.program({nop(), nop(), jal(zero, -8)});
  m.hart.set_interrupt(riscv::kIrqExternal, true);
  m.hart.set_interrupt(riscv::kIrqTimer, true);
  m.hart.set_interrupt(riscv::kIrqSoftware, true);
  EXPECT_EQ(m.hart.run(100), StopReason::kBudget);  // nothing enabled
  EXPECT_EQ(m.csr(kMip), 0x888u);
  m.hart.write_csr(kMie, 0xffffffff);
  EXPECT_EQ(m.csr(kMie), 0x888u);
  EXPECT_EQ(m.hart.run(100), StopReason::kBudget);  // still not in mstatus
  m.hart.write_csr(kMstatus, 8);
  m.expect_trap(0x8000000b, m.csr(kMepc), 0);
  m.hart.set_interrupt(riscv::kIrqExternal, false);
  m.hart.write_csr(kMstatus, 8);
  m.expect_trap(0x80000003, kHandler, 0);
  m.hart.set_interrupt(riscv::kIrqSoftware, false);
  m.hart.write_csr(kMtvec, kHandler | 1);  // vectored
  m.program({ebreak()}, kHandler + 4 * 7);
  m.hart.write_csr(kMstatus, 8);
  EXPECT_EQ(m.hart.run(100), StopReason::kEbreak);
  EXPECT_EQ(m.hart.pc(), kHandler + 4 * 7);
  EXPECT_EQ(m.csr(kMcause), 0x80000007u);
}

TEST(RiscvInterrupt, TakenRightAfterTheCsrWriteThatEnablesIt) {
  TrapMachine m;
  m.program({csrrsi(zero, kMstatus, 8), addi(a0, zero, 1), ebreak()});
  m.hart.write_csr(kMie, 0x800);
  m.hart.set_interrupt(riscv::kIrqExternal, true);
  m.expect_trap(0x8000000b, 4, 0);
  EXPECT_EQ(m.hart.reg(a0), 0u);
  EXPECT_EQ(m.hart.cycles(), 1u + riscv::CycleCosts{}.trap);  // the rest of the block is not paid

  TrapMachine by_mie;
  by_mie.program({nop(), csrrw(zero, kMie, a1), addi(a0, zero, 1), ebreak()});
  by_mie.hart.set_reg(a1, 0x80);
  by_mie.hart.write_csr(kMstatus, 8);
  by_mie.hart.set_interrupt(riscv::kIrqTimer, true);
  by_mie.expect_trap(0x80000007, 8, 0);
  EXPECT_EQ(by_mie.hart.reg(a0), 0u);
  EXPECT_EQ(by_mie.hart.cycles(), 2u + riscv::CycleCosts{}.trap);
}

TEST(RiscvInterrupt, TakenRightAfterTheBusAccessThatRaisesIt) {
  TrapMachine m;
  m.program({sw(zero, 0, a0), addi(a1, zero, 1), ebreak()});
  m.hart.set_reg(a0, Machine::kMmio);
  m.hart.write_csr(kMie, 0x800);
  m.hart.write_csr(kMstatus, 8);
  m.on_access = [&m] { m.hart.set_interrupt(riscv::kIrqExternal, true); };
  m.expect_trap(0x8000000b, 4, 0);
  EXPECT_EQ(m.hart.reg(a1), 0u);
}

TEST(RiscvInterrupt, WithinABlockOfARunningLoop) {
  TrapMachine m;
  m.program({addi(a0, a0, 1), jal(zero, -4)});
  m.hart.write_csr(kMie, 0x80);
  m.hart.write_csr(kMstatus, 8);
  EXPECT_EQ(m.hart.run(301), StopReason::kBudget);
  const std::uint32_t before = m.hart.reg(a0);
  EXPECT_EQ(before, 101u);  // 3 cycles per turn, blocks are not cut: 303 cycles
  EXPECT_EQ(m.hart.cycles(), 303u);
  m.hart.set_interrupt(riscv::kIrqTimer, true);
  m.expect_trap(0x80000007, 0, 0);
  EXPECT_EQ(m.hart.reg(a0), before);
}

TEST(RiscvWfi, SleepsUntilAnEnabledInterrupt) {
  TrapMachine m;
  m.program({wfi(), addi(a0, zero, 1), wfi(), addi(a0, zero, 2), ebreak()});
  m.hart.write_csr(kMie, 0x800);  // mstatus.MIE stays 0: WFI is a plain sleep
  EXPECT_EQ(m.hart.run(1000), StopReason::kWfi);
  EXPECT_TRUE(m.hart.asleep());
  EXPECT_EQ(m.hart.pc(), 4u);
  EXPECT_EQ(m.hart.cycles(), 1u);
  EXPECT_EQ(m.hart.run(1000), StopReason::kWfi);  // nothing has happened
  EXPECT_EQ(m.hart.cycles(), 1u);
  m.hart.set_interrupt(riscv::kIrqTimer, true);  // not enabled
  EXPECT_EQ(m.hart.run(1000), StopReason::kWfi);
  m.hart.skip_idle(100);
  m.hart.set_interrupt(riscv::kIrqExternal, true);
  EXPECT_FALSE(m.hart.asleep());
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);  // the second WFI does not sleep: still pending
  EXPECT_EQ(m.hart.reg(a0), 2u);
  EXPECT_EQ(m.csr(kMcause), 0u);
  EXPECT_EQ(m.hart.cycles(), 104u);
  EXPECT_EQ(m.hart.idle_cycles(), 100u);
}

TEST(RiscvWfi, TakesTheInterruptBehindIt) {
  TrapMachine m;
  m.program({wfi(), addi(a0, zero, 1), ebreak()});
  m.hart.write_csr(kMie, 0x800);
  m.hart.write_csr(kMstatus, 8);
  EXPECT_EQ(m.hart.run(1000), StopReason::kWfi);
  m.hart.set_interrupt(riscv::kIrqExternal, true);
  m.expect_trap(0x8000000b, 4, 0);
  EXPECT_EQ(m.hart.reg(a0), 0u);
}

TEST(RiscvStop, RequestedByABusAccessTakesEffectBehindIt) {
  TrapMachine m;
  m.program({addi(a1, zero, 1), lw(a2, 0, a0), addi(a1, zero, 2), sw(a1, 4, a0), addi(a1, zero, 3), ebreak()});
  m.bus_words[Machine::kMmio] = 42;
  m.hart.set_reg(a0, Machine::kMmio);
  m.on_access = [&m] {
    m.hart.stall(10);
    m.hart.request_stop();
  };
  EXPECT_EQ(m.hart.run(1000), StopReason::kStopRequested);
  EXPECT_EQ(m.hart.pc(), 8u);
  EXPECT_EQ(m.hart.reg(a2), 42u);
  EXPECT_EQ(m.hart.reg(a1), 1u);
  EXPECT_EQ(m.hart.cycles(), 12u);
  EXPECT_EQ(m.hart.instructions(), 2u);
  EXPECT_EQ(m.hart.run(1000), StopReason::kStopRequested);
  EXPECT_EQ(m.hart.pc(), 16u);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a1), 3u);
  EXPECT_EQ(m.hart.instructions(), 5u);
  ASSERT_EQ(m.accesses.size(), 2u);
  EXPECT_EQ(m.accesses[0].cycles, 1u);   // exact at the access: the addi before it
  EXPECT_EQ(m.accesses[1].cycles, 13u);  // 1 + (1 + 10) + 1
  EXPECT_EQ(m.accesses[1].instructions, 3u);
}

}  // namespace
}  // namespace wordline::testing::trap_test
