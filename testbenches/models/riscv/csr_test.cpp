// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::csr_test {
namespace {

using namespace assembler;
using riscv::StopReason;

TEST(RiscvCsr, ReadModifyWrite) {
  Machine m;
  m.program({csrrwi(zero, kMscratch, 21), csrrw(a0, kMscratch, a5), csrrs(a1, kMscratch, a4), csrrc(a2, kMscratch, a4),
             csrrsi(a3, kMscratch, 1), csrrci(t0, kMscratch, 31), csrrs(t1, kMscratch, zero), ebreak()});
  m.hart.set_reg(a5, 0xff00);
  m.hart.set_reg(a4, 0x0ff0);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 21u);
  EXPECT_EQ(m.hart.reg(a1), 0xff00u);
  EXPECT_EQ(m.hart.reg(a2), 0xfff0u);
  EXPECT_EQ(m.hart.reg(a3), 0xf000u);
  EXPECT_EQ(m.hart.reg(t0), 0xf001u);
  EXPECT_EQ(m.hart.reg(t1), 0xf000u);
}

TEST(RiscvCsr, FixedValues) {
  riscv::HartConfig config;
  config.hart_id = 5;
  Machine m(config);
  EXPECT_EQ(m.csr(kMhartid), 5u);
  EXPECT_EQ(m.csr(kMisa), 0x40001105u);
  for (const std::uint32_t csr : {0xf11u, 0xf12u, 0xf13u, 0x310u, 0x320u, 0xb03u, 0xb1fu, 0xb83u, 0x323u})
    EXPECT_EQ(m.csr(csr), 0u);
  std::uint32_t value = 0;
  for (const std::uint32_t csr : {0x100u, 0x180u, 0x302u, 0x3a0u, 0x7a6u, 0x7c3u, 0xc01u})
    EXPECT_FALSE(m.hart.read_csr(csr, value));
  EXPECT_TRUE(m.hart.write_csr(kMtvec, 0xffffffff));
  EXPECT_EQ(m.csr(kMtvec), 0xfffffffdu);  // direct or vectored
  EXPECT_TRUE(m.hart.write_csr(kMepc, 0xffffffff));
  EXPECT_EQ(m.csr(kMepc), 0xfffffffeu);
  EXPECT_TRUE(m.hart.write_csr(kMstatus, 0));
  EXPECT_EQ(m.csr(kMstatus), 0x1800u);  // MPP can only be machine mode
  EXPECT_FALSE(m.hart.write_csr(kCycle, 0));
}

TEST(RiscvCsr, CountersAreExactInsideABlock) {
  Machine m;
  m.program({nop(), mul(a0, a0, a0), csrrs(a1, kMcycle, zero), csrrs(a2, kMinstret, zero), lw(a3, 0, a5),
             csrrs(a3, kCycle, zero), ebreak()});
  m.hart.set_reg(a5, Machine::kDram);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a1), 3u);  // 1 + 2
  EXPECT_EQ(m.hart.reg(a2), 3u);
  EXPECT_EQ(m.hart.reg(a3), 25u);  // + 1 + 1 + 20
  EXPECT_EQ(m.hart.cycles(), 26u);
  EXPECT_EQ(m.hart.instructions(), 6u);
}

TEST(RiscvCsr, CountersCanBeWritten) {
  Machine m;
  m.program({csrrw(zero, kMcycle, a5), csrrs(a0, kMcycle, zero), csrrs(a1, kMcycleh, zero), csrrw(zero, kMinstreth, a5),
             csrrwi(zero, kMinstret, 0), csrrs(a2, kMinstret, zero), csrrs(a3, kMinstreth, zero), ebreak()});
  m.hart.set_reg(a5, 0xffffffff);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 0xffffffffu);
  EXPECT_EQ(m.hart.reg(a1), 1u);  // carried one cycle later
  EXPECT_EQ(m.hart.reg(a2), 0u);
  EXPECT_EQ(m.hart.reg(a3), 0xffffffffu);
  EXPECT_EQ(m.hart.cycles(), 7u);  // the hart's own time is not touched
}

TEST(RiscvCsr, AWriteToEitherHalfSuppressesTheCountOfTheWrite) {
  Machine m;
  m.program({csrrw(zero, kMinstret, a5), csrrw(zero, kMinstreth, a5), csrrs(a0, kMinstret, zero),
             csrrs(a1, kMinstreth, zero), ebreak()});
  m.hart.set_reg(a5, 0xffffffff);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 0xffffffffu);
  EXPECT_EQ(m.hart.reg(a1), 0u);  // wrapped by the read before
}

TEST(RiscvTags, CyclesAndEntriesByTag) {
  Machine m;
  m.program({nop(), csrrwi(zero, Machine::kTagCsr, 3), mul(a0, a0, a0), csrrw(zero, Machine::kMarkCsr, a5),
             lw(a1, 0, a4), csrrwi(a3, Machine::kTagCsr, 31), nop(), csrrwi(zero, Machine::kTagCsr, 3), ebreak()});
  m.hart.set_reg(a5, 0x10007);
  m.hart.set_reg(a4, Machine::kMmio);
  m.on_access = [&m] { m.hart.stall(50); };
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  m.hart.skip_idle(1000);
  const riscv::TagCosts costs = m.hart.tag_costs();
  EXPECT_EQ(costs.cycles[0], 1u);
  EXPECT_EQ(costs.cycles[3], 1u + 2 + 1 + 51 + 1);  // csr, mul, csr, load; then the last csr
  EXPECT_EQ(costs.cycles[31], 2u);
  EXPECT_EQ(costs.entries[3], 2u);
  EXPECT_EQ(costs.entries[31], 1u);
  EXPECT_EQ(m.hart.reg(a3), 3u);
  EXPECT_EQ(m.hart.tag(), 3u);
  std::uint64_t sum = 0;
  for (const std::uint64_t cycles : costs.cycles) sum += cycles;
  EXPECT_EQ(sum + m.hart.idle_cycles(), m.hart.cycles());
  ASSERT_EQ(m.probes.size(), 4u);
  EXPECT_EQ(m.probes[0].cycles, 1u);
  EXPECT_EQ(m.probes[1].csr, Machine::kMarkCsr);
  EXPECT_EQ(m.probes[1].value, 0x10007u);
  EXPECT_EQ(m.probes[1].cycles, 4u);
}

TEST(RiscvTags, NumbersAreTheUsersChoice) {
  const auto exists = [](const riscv::Hart& hart, std::uint32_t csr) {
    std::uint32_t value = 0;
    return hart.read_csr(csr, value);
  };
  Machine bus;
  riscv::HartConfig config;
  riscv::Hart plain(config, bus);
  for (const std::uint32_t csr : {0x7c0u, 0x7c1u, 0x7c2u, 0xbc0u}) {
    EXPECT_FALSE(exists(plain, csr));
    EXPECT_FALSE(plain.write_csr(csr, 0));
  }
  config.observation = {0xbff, 0x7ff, riscv::ObservationCsrs::kAbsent, 9};
  riscv::Hart own(config, bus);
  own.reset(0);
  std::uint32_t context = 0;
  EXPECT_TRUE(own.read_csr(0x7ff, context));
  EXPECT_EQ(context, 9u);
  EXPECT_TRUE(own.write_csr(0xbff, 5));
  EXPECT_EQ(own.tag(), 5u);
  EXPECT_FALSE(exists(own, 0x7c0));
}

TEST(RiscvTags, NumbersThatAreTakenAreRefused) {
  constexpr std::uint32_t kAbsent = riscv::ObservationCsrs::kAbsent;
  const auto refused = [](const riscv::ObservationCsrs& csrs, const std::string& because) {
    Machine bus;
    riscv::HartConfig config;
    config.observation = csrs;
    try {
      riscv::Hart hart(config, bus);
      ADD_FAILURE() << "accepted: " << because;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(because), std::string::npos) << error.what();
    }
  };
  refused({kMscratch, kAbsent, kAbsent, 0}, "observation CSR tag is 0x340, expected a custom");
  refused({kAbsent, 0x7bf, kAbsent, 0}, "observation CSR context is 0x7bf");
  refused({kAbsent, kAbsent, 0xc00, 0}, "observation CSR mark is 0xc00");
  refused({0x7c0, 0x7c1, 0x7c0, 0}, "tag and mark are both 0x7c0");
  refused({kAbsent, 0x7c0, kAbsent, riscv::kContexts}, "begins with 32, expected less than 32");
}

TEST(RiscvCycles, ALoadedRegisterThatIsReadAtOnceCostsMore) {
  struct Case {
    const char* name;
    Word next;
    bool waits;
  };
  const Case cases[] = {{"first operand", add(a3, a2, a1), true},
                        {"second operand", add(a3, a1, a2), true},
                        {"other registers", add(a3, a1, a1), false},
                        {"result only", add(a2, a1, a1), false},
                        {"immediate that looks like it", addi(a3, a1, 12), false},
                        {"immediate", addi(a3, a2, 0), true},
                        {"lui", lui(a2, 0x60c), false},
                        {"address of a load", lb(a3, 0, a2), true},
                        {"address of a store", sb(a1, 0, a2), true},
                        {"data of a store", sb(a2, 0, a0), true},
                        {"branch", bne(a2, zero, 4), true},
                        {"other branch", bne(a1, a1, 4), false},
                        {"jump to it", jalr(zero, 8, a2), true},
                        {"csr", csrrw(zero, kMscratch, a2), true},
                        {"csr with an immediate", i(kMscratch, a2, 5, zero, 0x73), false},
                        {"amo address", amo(0, a1, a1, a2), true},
                        {"amo operand", amo(0, a1, a2, a0), true},
                        {"lr address", lr(a3, a2), true}};
  for (const bool cache : {true, false}) {
    for (const Case& test : cases) {
      std::uint64_t cycles[2];
      for (const unsigned load_use : {0u, 7u}) {
        riscv::HartConfig config;
        config.block_cache = cache;
        config.costs.load_use = load_use;
        Machine m(config);
        m.program({lw(a2, 0, a0), test.next, ebreak()});
        const bool jump = (test.next & 0x7f) == 0x67;  // to 8, when the register is 0
        m.program({jump ? 0 : Machine::kTcm}, Machine::kTcm);
        m.hart.set_reg(a0, Machine::kTcm);
        m.hart.set_reg(a1, Machine::kTcm);
        EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak) << test.name;
        EXPECT_EQ(m.hart.pc(), 8u) << test.name;
        cycles[load_use != 0] = m.hart.cycles();
      }
      EXPECT_EQ(cycles[1] - cycles[0], test.waits ? 7u : 0u) << test.name << " cache " << cache;
    }
  }
}

// The pair is cut in two: by the end of a block, by a bus access that asks for attention; and its second half is
// rewritten.
TEST(RiscvCycles, WhereAPairIsCutMakesNoDifference) {
  riscv::HartConfig config;
  config.costs.load_use = 7;
  for (unsigned before = 0; before < riscv::kMaxBlock + 2; ++before) {
    Machine m(config);
    std::uint32_t at = 0;
    for (unsigned n = 0; n < before; ++n, at += 4) m.program({nop()}, at);
    m.program({lw(a2, 0, a0), add(a3, a2, a2), ebreak()}, at);
    m.hart.set_reg(a0, Machine::kTcm);
    EXPECT_EQ(m.hart.run(~0ull), StopReason::kEbreak);
    EXPECT_EQ(m.hart.cycles(), before + 2 + 7 + 1) << before;
    m.program({add(a3, a1, a1)}, at + 4);  // by somebody else
    m.hart.invalidate_code();
    m.hart.reset(0);
    m.hart.set_reg(a0, Machine::kTcm);
    EXPECT_EQ(m.hart.run(~0ull), StopReason::kEbreak);
    EXPECT_EQ(m.hart.cycles(), before + 2 + 1) << before;
  }
  Machine bus(config);
  bus.program({lw(a2, 0, a0), add(a3, a2, a2), ebreak()});
  bus.hart.set_reg(a0, Machine::kMmio);
  bus.on_access = [&bus] { bus.hart.request_stop(); };
  EXPECT_EQ(bus.hart.run(~0ull), StopReason::kStopRequested);
  EXPECT_EQ(bus.hart.cycles(), 1u + 7);
  EXPECT_EQ(bus.hart.run(~0ull), StopReason::kEbreak);
  EXPECT_EQ(bus.hart.cycles(), 1u + 7 + 1);
}

TEST(RiscvCycles, StoreBehindABlockThatEndsInALoadIsSeen) {
  riscv::HartConfig config;
  config.costs.load_use = 7;
  Machine m(config);
  // 31 nops and the load are a block; the store, in the block after, rewrites its own successor of the load on a second
  // pass.
  std::uint32_t at = 0;
  for (unsigned n = 0; n + 1 < riscv::kMaxBlock; ++n, at += 4) m.program({nop()}, at);
  m.program({lw(a2, 0, a0), add(a3, a2, a2), sw(a4, static_cast<int>(at + 4), zero), addi(t0, t0, -1),
             bne(t0, zero, -static_cast<int>(at + 16)), ebreak()},
            at);
  m.hart.set_reg(a0, Machine::kTcm);
  m.hart.set_reg(a4, add(a3, a1, a1));
  m.hart.set_reg(t0, 2);
  EXPECT_EQ(m.hart.run(~0ull), StopReason::kEbreak);
  const std::uint64_t pass = riscv::kMaxBlock - 1 + 2 + 1 + 1 + 1;
  EXPECT_EQ(m.hart.cycles(), 2 * pass + 7 + 3 + 1);
}

TEST(RiscvCycles, EveryClassCostsWhatTheTableSays) {
  riscv::HartConfig config;
  riscv::CycleCosts& c = config.costs;
  c = {};
  c.alu = 1, c.mul = 10, c.div = 100, c.branch_not_taken = 1000, c.branch_taken = 3000, c.jump = 20000,
  c.jump_register = 40000;
  c.csr = 100000, c.amo = 200000, c.fence = 1000000, c.fence_i = 2000000, c.bus_load = 10000000, c.bus_store = 20000000;
  c.trap = 100000000, c.mret = 200000000;
  struct Case {
    const char* name;
    Word insn;
    std::uint64_t cycles;
  };
  const Case cases[] = {
      {"alu", add(a2, a2, a2), 1},
      {"lui", lui(a2, 1), 1},
      {"mul", mul(a2, a2, a2), 10},
      {"div", div(a2, a2, a2), 100},
      {"not taken", bne(zero, zero, 8), 1000},
      {"taken", beq(zero, zero, 4), 3000},
      {"jal", jal(zero, 4), 20000},
      {"jalr", jalr(zero, 4, zero), 40000},
      {"csr", csrrs(a2, kMscratch, zero), 100000},
      {"fence", fence(), 1000000},
      {"fence.i", fence_i(), 2000000},
      {"load tcm", lw(a2, 0, a0), 2},
      {"store tcm", sw(a2, 0, a0), 1},
      {"load dram", lb(a2, 0, a1), 20},
      {"store dram", sh(a2, 0, a1), 5},
      {"load bus", lw(a2, 0, a3), 10000000},
      {"store bus", sw(a2, 0, a3), 20000000},
      {"amo tcm", amo(0, a2, a2, a0), 200000 + 2 + 1},
      {"lr dram", lr(a2, a1), 200000 + 20},
      {"sc dram", sc(a2, a2, a1), 200000 + 5},
  };
  for (const bool cache : {true, false}) {
    config.block_cache = cache;
    for (const Case& test : cases) {
      Machine m(config);
      m.program({test.insn, ebreak()});
      m.hart.set_reg(a0, Machine::kTcm);
      m.hart.set_reg(a1, Machine::kDram);
      m.hart.set_reg(a3, Machine::kMmio);
      EXPECT_EQ(m.hart.run(~0ull), StopReason::kEbreak);
      EXPECT_EQ(m.hart.cycles(), test.cycles) << test.name << " cache " << cache;
      EXPECT_EQ(m.hart.instructions(), 1u) << test.name;
    }
  }
  Machine m(config);
  m.program({ecall(), ebreak()});
  m.program({csrrw(zero, kMepc, a0), mret()}, 0x100);
  m.hart.write_csr(kMtvec, 0x100);
  m.hart.set_reg(a0, 4);
  EXPECT_EQ(m.hart.run(~0ull), StopReason::kEbreak);
  EXPECT_EQ(m.hart.cycles(), 300100000u);
}

TEST(RiscvCycles, ALoopIsTheSumOfItsInstructions) {
  // 100 turns of: load, add, store, addi, bne; the last bne falls through.
  Machine m;
  m.program({lw(a1, 0, a0), add(a2, a2, a1), sw(a2, 4, a0), addi(a3, a3, -1), bne(a3, zero, -16), ebreak()});
  m.hart.set_reg(a0, Machine::kTcm);
  m.hart.set_reg(a3, 100);
  EXPECT_EQ(m.hart.run(~0ull), StopReason::kEbreak);
  EXPECT_EQ(m.hart.cycles(), 99u * (2 + 1 + 1 + 1 + 3) + (2 + 1 + 1 + 1 + 1));
  EXPECT_EQ(m.hart.instructions(), 500u);
}

TEST(RiscvCycles, TheBudgetCutsRunsButNotTheResult) {
  const auto load = [](Machine& m) {
    m.program({lw(a1, 0, a0), add(a2, a2, a3), mul(a2, a2, a2), sw(a2, 0, a4), addi(a3, a3, -1), bne(a3, zero, -20),
               ebreak()});
    m.hart.set_reg(a0, Machine::kDram);
    m.hart.set_reg(a4, Machine::kMmio);
    m.hart.set_reg(a3, 1000);
  };
  Machine whole;
  load(whole);
  EXPECT_EQ(whole.hart.run(~0ull), StopReason::kEbreak);
  for (const std::uint64_t budget : {1, 7, 100}) {
    Machine m;
    load(m);
    StopReason reason;
    std::uint64_t end = 0;
    while ((reason = m.hart.run(budget)) == StopReason::kBudget) {
      EXPECT_GE(m.hart.cycles(), end + budget);
      EXPECT_LE(m.hart.cycles(), end + budget + 28);  // at most one block
      end = m.hart.cycles();
    }
    EXPECT_EQ(reason, StopReason::kEbreak);
    EXPECT_EQ(m.hart.cycles(), whole.hart.cycles());
    EXPECT_EQ(m.hart.instructions(), whole.hart.instructions());
    EXPECT_EQ(m.hart.reg(a2), whole.hart.reg(a2));
    ASSERT_EQ(m.accesses.size(), whole.accesses.size());
    for (std::size_t i = 0; i < m.accesses.size(); ++i) ASSERT_EQ(m.accesses[i].cycles, whole.accesses[i].cycles);
  }
}

}  // namespace
}  // namespace wordline::testing::csr_test
