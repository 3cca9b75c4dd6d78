// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/riscv/block_cache.h"
#include "models/riscv/translate/translator.h"
#include "models/units/keyed_random.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/endless_code.h"
#include "testbenches/models/riscv/machine.h"

// Translated code against the interpreter: two machines with the same program, the same budgets and the same interrupts
// must be the same at every stop, in everything that can be seen. Each test that compares first makes sure that the
// second machine does run translated code; on a host that cannot, both interpret.
namespace wordline::testing::translator_test {
namespace {

using namespace assembler;
using namespace endless_code;
using riscv::StopReason;

/// A machine whose bus and probe do things to the hart now and then: the same things for the same program.
struct Lively {
  Lively(riscv::HartConfig config, const Program& program, std::uint64_t number) : machine(config), draws(number) {
    program.load(machine);
    riscv::Hart& hart = machine.hart;
    for (unsigned reg = 1; reg < 32; ++reg) hart.set_reg(reg, draws.one_in(2) ? draws.word() : draws.below(64));
    hart.set_reg(kToTcm, Machine::kTcm + 0x400);
    hart.set_reg(kToDram, Machine::kDram + 0x400);
    hart.set_reg(kToAny, Machine::kTcm + Machine::kTcmSize - 256);  // up to its end, and beyond
    hart.set_reg(kToBus, Machine::kMmio);
    hart.set_reg(kToCode, kProgram + 0x200);  // its own code
    hart.write_csr(kMtvec, kHandler);
    hart.write_csr(kMie, 0x888);
    hart.set_pc(kProgram);
    machine.on_access = machine.on_probe = [this] { act(); };
  }
  void act() {
    riscv::Hart& hart = machine.hart;
    // What a callback sees must be right, not only what is there at the end.
    seen = keyed_hash(seen, hart.cycles(), hart.instructions());
    for (unsigned reg = 0; reg < 32; ++reg) seen = keyed_hash(seen, hart.reg(reg), hart.pc());
    switch (draws.below(24)) {
      case 0:
        return hart.stall(draws.below(50));
      case 1:
      case 2:
        return hart.set_interrupt(draws.one_in(2) ? riscv::kIrqExternal : riscv::kIrqTimer, draws.one_in(2));
      case 3:
        return hart.request_stop();
      case 4:
        if (draws.one_in(20)) hart.invalidate_code();
        return;
      case 5:
        return hart.report_only(std::uint64_t{draws.word()} << 32 | draws.word(), draws.one_in(2));
      default:
        return;
    }
  }

  Machine machine;
  Draws draws;
  std::uint64_t seen = 0;
};

void expect_same(const Lively& one, const Lively& other) {
  const riscv::Hart &a = one.machine.hart, &c = other.machine.hart;
  ASSERT_EQ(a.pc(), c.pc());
  ASSERT_EQ(a.cycles(), c.cycles());
  ASSERT_EQ(a.instructions(), c.instructions());
  ASSERT_EQ(one.seen, other.seen);
  for (unsigned reg = 0; reg < 32; ++reg) ASSERT_EQ(a.reg(reg), c.reg(reg)) << "x" << reg;
  for (const Word csr : {kMstatus, kMie, kMepc, kMcause, kMtval, kMscratch, kMip, kMinstret, Machine::kTagCsr}) {
    ASSERT_EQ(one.machine.csr(csr), other.machine.csr(csr)) << std::hex << csr;
  }
  ASSERT_EQ(a.tag_costs().cycles, c.tag_costs().cycles);
  ASSERT_EQ(a.tag_costs().entries, c.tag_costs().entries);
}

struct Compared {
  std::uint64_t instructions = 0, translated = 0;
};

void compare(std::uint64_t number, Compared& totals) {
  Program program(number);
  Draws& draws = program.draws();
  riscv::HartConfig config = drawn_config(draws);
  config.translate = false;
  Lively interpreted(config, program, number);
  config.translate = true;
  config.translate_after = draws.below(4);
  Lively translated(config, program, number);
  for (unsigned n = 0; n < 500; ++n) {
    const std::uint64_t budget = n % 4 == 0 ? 1 + draws.below(8) : 1 + draws.below(600);
    const StopReason expected = interpreted.machine.hart.run(budget);
    ASSERT_EQ(translated.machine.hart.run(budget), expected) << "number " << number << ", stop " << n;
    expect_same(interpreted, translated);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "number " << number << ", stop " << n << ", interpreted pc " << std::hex
                    << interpreted.machine.hart.pc();
      return;
    }
    if (expected == StopReason::kLockup) break;
    if (draws.one_in(10)) {  // out of a loop, or of traps that never end
      const std::uint32_t at = program.somewhere();
      for (Lively* each : {&interpreted, &translated}) {
        for (const std::uint32_t irq : {riscv::kIrqExternal, riscv::kIrqTimer, riscv::kIrqSoftware}) {
          each->machine.hart.set_interrupt(irq, false);
        }
        each->machine.hart.set_pc(at);
      }
    } else if (draws.one_in(8) || expected == StopReason::kWfi) {
      const std::uint32_t irq = draws.one_in(2) ? riscv::kIrqExternal : riscv::kIrqSoftware;
      const bool level = expected == StopReason::kWfi || draws.one_in(4);
      for (Lively* each : {&interpreted, &translated}) {
        each->machine.hart.set_interrupt(irq, level);
        if (expected == StopReason::kWfi) each->machine.hart.skip_idle(7);
      }
    }
  }
  Machine &a = interpreted.machine, &c = translated.machine;
  EXPECT_EQ(a.code, c.code);
  EXPECT_EQ(a.tcm, c.tcm);
  EXPECT_EQ(a.dram, c.dram);
  ASSERT_EQ(a.accesses.size(), c.accesses.size());
  for (std::size_t n = 0; n < a.accesses.size(); ++n) {
    EXPECT_EQ(a.accesses[n].address, c.accesses[n].address);
    EXPECT_EQ(a.accesses[n].value, c.accesses[n].value);
    EXPECT_EQ(a.accesses[n].cycles, c.accesses[n].cycles);
    EXPECT_EQ(a.accesses[n].instructions, c.accesses[n].instructions);
  }
  ASSERT_EQ(a.probes.size(), c.probes.size());
  for (std::size_t n = 0; n < a.probes.size(); ++n) {
    EXPECT_EQ(a.probes[n].csr, c.probes[n].csr);
    EXPECT_EQ(a.probes[n].value, c.probes[n].value);
    EXPECT_EQ(a.probes[n].cycles, c.probes[n].cycles);
  }
  const auto blocks = a.hart.blocks().profile(), others = c.hart.blocks().profile();
  EXPECT_EQ(a.hart.blocks().decoded(), c.hart.blocks().decoded());
  ASSERT_EQ(blocks.size(), others.size());
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    EXPECT_EQ(blocks[n].pc, others[n].pc);
    EXPECT_EQ(blocks[n].executions, others[n].executions) << std::hex << blocks[n].pc;
  }
  EXPECT_EQ(a.hart.blocks().translated(), 0u);
  totals.instructions += c.hart.instructions();
  totals.translated += c.hart.blocks().translated();
}

class RiscvTranslator : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = riscv::Translator::why_not(); !why.empty()) GTEST_SKIP() << why;
  }
};

class RiscvTranslatorPrograms : public RiscvTranslator, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(RiscvTranslatorPrograms, AreTheSameAsInterpreted) {
  constexpr std::uint64_t kPrograms = 40;
  Compared totals;
  for (std::uint64_t n = 0; n < kPrograms && !HasFailure(); ++n) compare(GetParam() * kPrograms + n, totals);
  EXPECT_GT(totals.instructions, 5000 * kPrograms);
  EXPECT_GT(totals.translated, 20 * kPrograms);
}

INSTANTIATE_TEST_SUITE_P(Keyed, RiscvTranslatorPrograms, ::testing::Range<std::uint64_t>(0, 8));

// WORDLINE_TRANSLATOR=1000 in the environment: so many programs, other ones than above.
TEST_F(RiscvTranslator, AsManyProgramsAsAskedFor) {
  const char* asked = std::getenv("WORDLINE_TRANSLATOR");
  const std::uint64_t wanted = asked == nullptr ? 2 : std::strtoull(asked, nullptr, 10);
  ASSERT_GT(wanted, 0u) << "WORDLINE_TRANSLATOR is a number of programs";
  Compared totals;
  for (std::uint64_t n = 0; n < wanted && !HasFailure(); ++n) compare(1'000'000 + n, totals);
  std::cout << totals.instructions << " instructions, " << totals.translated << " blocks translated\n";
}

riscv::HartConfig early(std::uint32_t after = 1) {
  riscv::HartConfig config;
  config.translate_after = after;
  return config;
}

TEST_F(RiscvTranslator, HotCodeIsTranslatedAndColdCodeIsNot) {
  Machine m;
  m.program({addi(a0, a0, 1), bne(a0, a1, -4), ebreak()});
  m.hart.set_reg(a1, 15);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.blocks().translated(), 0u);
  m.hart.set_reg(a1, 1000);
  m.hart.set_pc(0);
  EXPECT_EQ(m.hart.run(100'000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.blocks().translated(), 1u);
  EXPECT_EQ(m.hart.reg(a0), 1000u);
  EXPECT_EQ(m.hart.blocks().profile()[0].executions, 1000u);
}

TEST_F(RiscvTranslator, CodeThatRewritesItselfForEverTakesNoMoreMemory) {
  // Each turn runs a function until it is translated, then changes it.
  Machine m(early());
  m.program({addi(a1, zero, 4), jal(ra, 0x400 - 4), addi(a1, a1, -1), bne(a1, zero, -8), sw(a2, 0x400, zero),
             add(a2, a2, a3), jal(zero, -24)});
  m.program({addi(a0, zero, 0), jalr(zero, 0, ra)}, 0x400);
  m.hart.set_reg(a2, addi(a0, zero, 0));
  m.hart.set_reg(a3, 1 << 20);
  std::size_t most = 0;
  for (int n = 0; n < 50; ++n) {
    EXPECT_EQ(m.hart.run(2000), StopReason::kBudget);
    if (n == 5) most = m.hart.blocks().translated_bytes();
    if (n > 5) {
      EXPECT_LE(m.hart.blocks().translated_bytes(), most + 2000);
    }
  }
  EXPECT_GT(most, 0u);
  EXPECT_GT(m.hart.blocks().decoded(), 1000u);
}

TEST_F(RiscvTranslator, WhenItsMemoryIsFullItBeginsAnew) {
  // More blocks than there are counters, each twice.
  constexpr std::uint32_t kBlocks = 140'000, kBase = 0x90000000;
  Machine m(early());
  std::vector<std::byte> large(kBlocks * 8 + 16);
  m.hart.add_region({kBase, static_cast<std::uint32_t>(large.size()), large.data(), 1, 1, true, true});
  for (std::uint32_t n = 0; n < kBlocks; ++n) m.program({addi(a0, a0, 1), jal(zero, 4)}, kBase + 8 * n);
  m.program({addi(a1, a1, 1), bne(a1, a2, 8), ebreak(), jalr(zero, 0, a3)}, kBase + 8 * kBlocks);
  m.hart.set_reg(a2, 4);
  m.hart.set_reg(a3, kBase);
  m.hart.set_pc(kBase);
  EXPECT_EQ(m.hart.run(100'000'000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 4 * kBlocks);
  EXPECT_EQ(m.hart.instructions(), 4u * 2 * kBlocks + 4 * 2 + 3);
  EXPECT_GT(m.hart.blocks().decoded(), kBlocks + 3u) << "never full";
}

struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `prepare`d machines to their EBREAK, interpreted and translated, and compares them.
void expect_same_at_the_end(const std::function<void(Machine&)>& prepare) {
  riscv::HartConfig config = early();
  Machine translated(config);
  config.translate = false;
  Machine interpreted(config);
  for (Machine* m : {&translated, &interpreted}) {
    // What traps is stepped over.
    m->program({csrrs(t6, kMepc, zero), addi(t6, t6, 4), csrrw(zero, kMepc, t6), mret()}, 0x100);
    m->hart.write_csr(kMtvec, 0x100);
    m->hart.set_pc(0x1000);
    prepare(*m);
    EXPECT_EQ(m->hart.run(1'000'000), StopReason::kEbreak);
  }
  EXPECT_GT(translated.hart.blocks().translated(), 0u);
  EXPECT_EQ(translated.hart.cycles(), interpreted.hart.cycles());
  EXPECT_EQ(translated.hart.instructions(), interpreted.hart.instructions());
  EXPECT_EQ(translated.hart.blocks().decoded(), interpreted.hart.blocks().decoded());
  for (unsigned reg = 0; reg < 32; ++reg) EXPECT_EQ(translated.hart.reg(reg), interpreted.hart.reg(reg)) << "x" << reg;
  EXPECT_EQ(translated.tcm, interpreted.tcm);
  EXPECT_EQ(translated.code, interpreted.code);
  EXPECT_EQ(translated.accesses.size(), interpreted.accesses.size());
}

TEST_F(RiscvTranslator, MemoryEndsWhereItEnds) {
  // Byte by byte over the end: whole in memory, across the end, on the bus.
  for (const Word access : {lb(a1, 0, a0), lh(a1, 0, a0), lw(a1, 0, a0), lbu(a1, 0, a0), lhu(a1, 0, a0), sb(a0, 0, a0),
                            sh(a0, 0, a0), sw(a0, 0, a0)}) {
    expect_same_at_the_end([access](Machine& m) {
      m.program({access, add(a3, a3, a1), addi(a0, a0, 1), bne(a0, a2, -12), ebreak()}, 0x1000);
      constexpr std::uint32_t kEnd = Machine::kTcm + Machine::kTcmSize;
      for (std::size_t n = 1; n <= 32; ++n) m.tcm[m.tcm.size() - n] = static_cast<std::byte>(7 * n);
      m.hart.set_reg(a0, kEnd - 32);
      m.hart.set_reg(a2, kEnd + 16);
    });
  }
}

TEST_F(RiscvTranslator, AStoreThatReachesIntoTheNextLineOfCodeIsSeen) {
  // The store walks up to the function in the next line; its last byte makes the function write another register.
  expect_same_at_the_end([](Machine& m) {
    m.program({addi(a4, a4, 1), jalr(zero, 0, ra)}, 0x400);
    m.program({jal(ra, 0x400 - 0x1000), sw(a1, 0, a0), addi(a0, a0, 1), bne(a0, a2, -12), ebreak()}, 0x1000);
    m.hart.set_reg(a0, 0x3c0);
    m.hart.set_reg(a1, 0x93U << 24);
    m.hart.set_reg(a2, 0x3ff);
  });
}

TEST_F(RiscvTranslator, AnOddTargetIsMadeEven) {
  expect_same_at_the_end([](Machine& m) {
    m.program({addi(a4, a4, 1), jalr(zero, 0, ra)}, 0x400);
    m.program({addi(t0, zero, 0x400), jalr(ra, 1, t0), addi(a0, a0, 1), bne(a0, a2, -12), ebreak()}, 0x1000);
    m.hart.set_reg(a2, 50);
  });
}

TEST_F(RiscvTranslator, AnExceptionOfACallbackComesOutOfRun) {
  for (const Word what : {csrrw(zero, Machine::kMarkCsr, a0), sw(a0, 0, a3)}) {
    Machine m(early());
    m.program({addi(a0, a0, 1), what, bne(a0, a1, -8), ebreak()});
    m.hart.set_reg(a1, 100);
    m.hart.set_reg(a3, Machine::kMmio);
    unsigned calls = 0;
    m.on_access = m.on_probe = [&] {
      if (++calls == 50) throw Thrown("fifty");
    };
    EXPECT_THROW((void)m.hart.run(100'000), Thrown);
    EXPECT_EQ(m.hart.reg(a0), 50u);
    EXPECT_EQ(m.hart.pc(), 4u);
    EXPECT_EQ(m.hart.instructions(), 49u * 3 + 1);
    EXPECT_EQ(m.hart.run(100'000), StopReason::kEbreak);  // the instruction again
    EXPECT_EQ(m.hart.reg(a0), 100u);
    EXPECT_GT(m.hart.blocks().translated(), 0u);
  }
}

TEST_F(RiscvTranslator, AnObservationThatIsRefusedIsIllegal) {
  Machine m(early());
  m.program({addi(a0, a0, 1), csrrw(zero, Machine::kTagCsr, a0), jal(zero, -8)});
  m.program({ebreak()}, 0x100);
  m.hart.write_csr(kMtvec, 0x100);
  EXPECT_EQ(m.hart.run(100'000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), riscv::kTags);
  EXPECT_EQ(m.csr(kMcause), riscv::kCauseIllegal);
  EXPECT_EQ(m.csr(kMtval), csrrw(zero, Machine::kTagCsr, a0));
  EXPECT_EQ(m.csr(kMepc), 4u);
  EXPECT_EQ(m.hart.instructions(), riscv::kTags * 3u - 2);
}

TEST_F(RiscvTranslator, NotForADebuggerOrAProfile) {
  struct Hook : riscv::DebugHook {
    void before_instruction() override { ++calls; }
    unsigned calls = 0;
  };
  Machine m(early());
  m.program({addi(a0, a0, 1), jal(zero, -4)});
  Hook hook;
  m.hart.set_debug_hook(&hook);
  EXPECT_EQ(m.hart.run(300), StopReason::kBudget);
  EXPECT_EQ(hook.calls, m.hart.instructions());
  EXPECT_EQ(m.hart.blocks().translated(), 0u);
  m.hart.set_debug_hook(nullptr);
  EXPECT_EQ(m.hart.run(300), StopReason::kBudget);
  EXPECT_EQ(m.hart.blocks().translated(), 1u);
  const std::uint64_t before = m.hart.instructions();
  m.hart.set_debug_hook(&hook);
  hook.calls = 0;
  EXPECT_EQ(m.hart.run(300), StopReason::kBudget);
  EXPECT_EQ(hook.calls, m.hart.instructions() - before);
}

}  // namespace
}  // namespace wordline::testing::translator_test
