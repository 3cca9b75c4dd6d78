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
#include "testbenches/models/riscv/machine.h"

// Translated code against the interpreter: two machines with the same program, the same budgets and the same interrupts
// must be the same at every stop, in everything that can be seen. Each test that compares first makes sure that the
// second machine does run translated code; on a host that cannot, both interpret.
namespace wordline::testing {
namespace {

using namespace assembler;
using riscv::StopReason;

class Draws {
 public:
  explicit Draws(std::uint64_t number) : number_(number) {}
  std::uint32_t word() { return static_cast<std::uint32_t>(keyed_hash(20251117, number_, draw_++)); }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(keyed_hash(20251117, number_, draw_++) % bound);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t number_, draw_ = 0;
};

constexpr Word kProgram = 0x1000, kHandler = 0x800, kSteps = 220;
constexpr Word kToTcm = s0, kToDram = 16, kToBus = 17, kToAny = 29, kToCode = 27;  // never written but kToAny

/// Every instruction of the hart at random, in a program that goes round for ever: what traps is skipped by the
/// handler.
class Program {
 public:
  explicit Program(std::uint64_t number) : draws_(number), changes_itself_(draws_.one_in(4)) {
    for (unsigned n = 0; n < kSteps; ++n) {
      starts_.push_back(here());
      step();
    }
    starts_.push_back(here());
    word(jal(0, static_cast<int>(kProgram) - static_cast<int>(kProgram + here())));
    for (const auto& [at, branch] : jumps_) {
      const std::uint32_t to = starts_[draws_.below(kSteps + 1)];
      const int offset = static_cast<int>(to) - static_cast<int>(at);
      put(at, branch == 0 ? jal(kLink, offset) : b(offset, branch >> 5 & 31, branch & 31, branch >> 10));
    }
  }
  void load(Machine& m) const {
    std::memcpy(m.hart.host_pointer(kProgram, static_cast<std::uint32_t>(bytes_.size())), bytes_.data(), bytes_.size());
    // Steps over what has trapped, two bytes or four; where that runs wild, at the beginning again.
    m.program({csrrs(t5, kMepc, 0), lui(t6, 2), b(12, t6, t5, 7) /* bgeu */, addi(t5, t5, 2), jal(0, 8), lui(t5, 1),
               csrrw(0, kMepc, t5), mret()},
              kHandler);
  }
  Draws& draws() { return draws_; }
  /// Where one of the steps begins.
  std::uint32_t somewhere() { return kProgram + starts_[draws_.below(kSteps)]; }

 private:
  static constexpr Word kLink = 5;
  std::uint32_t here() const { return static_cast<std::uint32_t>(bytes_.size()); }
  void put(std::uint32_t at, Word value) { std::memcpy(bytes_.data() + at, &value, 4); }
  void word(Word value) {
    bytes_.resize(bytes_.size() + 4);
    put(here() - 4, value);
  }
  void half(Word value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  Word any() { return draws_.below(32); }
  Word to() {
    const Word reg = draws_.below(32);
    return reg == kToTcm || reg == kToDram || reg == kToBus || reg == kToAny || reg == kToCode ? 0 : reg;
  }
  int offset(unsigned bytes) {
    const int at = static_cast<int>(draws_.below(1024)) - 512;
    return draws_.one_in(8) ? at : at & -static_cast<int>(bytes);
  }
  Word base() {
    constexpr Word kBases[] = {kToTcm, kToTcm, kToDram, kToDram, kToAny, kToAny, kToBus};
    return changes_itself_ && draws_.one_in(20) ? kToCode : kBases[draws_.below(7)];
  }

  void step() {
    if (draws_.one_in(3))
      half(draws_.one_in(2) ? 0x0001 : 0x0001 | to() << 7 | draws_.below(32) << 2);  // c.nop, c.addi
    switch (draws_.below(16)) {
      case 0:
      case 1:
      case 2: {
        constexpr Word kImmediate[] = {0, 0, 2, 3, 4, 6, 7};
        return word(i(static_cast<int>(draws_.below(4096)) - 2048, any(), kImmediate[draws_.below(7)], to(), 0x13));
      }
      case 3: {  // constants for shifts, and what has one operand
        constexpr Word kShifts[][2] = {{0x000, 1}, {0x000, 5}, {0x400, 5}, {0x600, 5}};
        constexpr Word kUnary[][2] = {{0x600, 1}, {0x601, 1}, {0x602, 1}, {0x604, 1},
                                      {0x605, 1}, {0x287, 5}, {0x698, 5}};
        if (draws_.one_in(2)) {
          const auto& shift = kShifts[draws_.below(4)];
          return word(i(static_cast<int>(shift[0] | draws_.below(32)), any(), shift[1], to(), 0x13));
        }
        const auto& unary = kUnary[draws_.below(7)];
        return word(i(static_cast<int>(unary[0]), any(), unary[1], to(), 0x13));
      }
      case 4:
        return word(r(draws_.one_in(4) ? 1 : 0, any(), any(), draws_.below(8), to(), 0x33));
      case 5: {
        constexpr Word kOps[][2] = {{0x20, 0}, {0x20, 5}, {0x20, 4}, {0x20, 6}, {0x20, 7}, {0x10, 2},
                                    {0x10, 4}, {0x10, 6}, {0x05, 4}, {0x05, 5}, {0x05, 6}, {0x05, 7},
                                    {0x30, 1}, {0x30, 5}, {0x01, 0}, {0x01, 3}};
        const auto& op = kOps[draws_.below(16)];
        return word(draws_.one_in(16) ? r(4, 0, any(), 4, to(), 0x33) : r(op[0], any(), any(), op[1], to(), 0x33));
      }
      case 6:
      case 7: {
        constexpr Word kLoads[] = {0, 1, 2, 4, 5};
        const Word load = kLoads[draws_.below(5)];
        return word(i(offset(1U << (load & 3)), base(), load, to(), 0x03));
      }
      case 8:
      case 9: {
        const Word store = draws_.below(3);
        return word(s(offset(1U << store), any(), base(), store));
      }
      case 10: {
        constexpr Word kBranches[] = {0, 1, 4, 5, 6, 7};
        jumps_.push_back({here(), kBranches[draws_.below(6)] << 10 | any() << 5 | any() | 1});
        return word(0);
      }
      case 11:
        jumps_.push_back({here(), draws_.one_in(3) ? 0 : 1 << 10 | (1 + draws_.below(31)) << 5});
        return word(0);
      case 12:
        return other();
      case 13:
        return observe();
      case 14:  // another memory for loads and stores that stay the same
        return word(add(kToAny, draws_.one_in(2) ? kToTcm : kToDram, 0));
      default:
        if (draws_.one_in(2))
          return word(draws_.one_in(2) ? lui(to(), draws_.word() >> 12) : auipc(to(), draws_.word() >> 12));
        word(auipc(1, 0));  // an indirect jump some instructions on, with and without a link
        return word(jalr(draws_.one_in(2) ? 0 : 1, 8 + 4 * static_cast<int>(draws_.below(3)), 1));
    }
  }
  void other() {
    switch (draws_.below(12)) {
      case 0:
        return word(fence());
      case 1:
        return word(draws_.one_in(4) ? fence_i() : fence());
      case 2:
        return word(draws_.one_in(2) ? ecall() : 0xffffffff);
      case 3:
        return word(csrrs(to(), draws_.one_in(2) ? 0xc00 : 0xc02, 0));
      case 4:
        return word(csrrw(to(), kMscratch, any()));
      case 5:
        return word(draws_.one_in(2) ? csrrsi(0, kMstatus, 8) : csrrci(0, kMstatus, 8));
      case 6:
        return word(draws_.one_in(3) ? wfi() : csrrw(0, kMinstret, any()));
      case 7:
      case 8:
        word(addi(t3, draws_.one_in(2) ? kToTcm : kToDram, 4 * static_cast<int>(draws_.below(100))));
        return word(draws_.one_in(2) ? lr(to(), t3) : amo(draws_.below(8) * 4, to(), any(), t3));
      case 9:
        return word(add(kToAny, changes_itself_ && draws_.one_in(4) ? kToCode : kToBus, 0));
      case 10:
        return word(csrrs(to(), Machine::kTagCsr, 0));
      default:
        return word(lw(to(), 0, 0x0));  // of the code's first word, by x0
    }
  }
  void observe() {
    constexpr Word kCsrs[] = {Machine::kTagCsr, Machine::kMarkCsr, Machine::kContextCsr};
    const Word csr = kCsrs[draws_.below(3)];
    if (draws_.one_in(2)) return word(csrrwi(draws_.one_in(4) ? to() : 0, csr, draws_.below(32)));
    if (draws_.one_in(2)) word(andi(t2, any(), 31));
    return word(csrrw(0, csr, draws_.one_in(8) ? any() : t2));
  }

  Draws draws_;
  bool changes_itself_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::pair<std::uint32_t, Word>> jumps_;  // address, condition and registers; 0: jal
};

riscv::HartConfig drawn_config(Draws& draws) {
  riscv::HartConfig config;
  config.stop_on_ebreak = false;
  config.trap_misaligned = draws.one_in(2);
  riscv::CycleCosts& c = config.costs;
  for (std::uint32_t* cost : {&c.alu, &c.mul, &c.div, &c.branch_not_taken, &c.branch_taken, &c.jump, &c.jump_register,
                              &c.csr, &c.amo, &c.fence, &c.bus_load, &c.bus_store, &c.trap, &c.mret}) {
    *cost = 1 + draws.below(5);
  }
  c.load_use = draws.below(2);
  return config;
}

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
        return hart.tell_probe(std::uint64_t{draws.word()} << 32 | draws.word(), draws.one_in(2));
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
}  // namespace wordline::testing
