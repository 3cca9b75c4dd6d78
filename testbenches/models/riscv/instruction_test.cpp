// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/units/keyed_random.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::instruction_test {
namespace {

using namespace assembler;
using riscv::StopReason;

struct RegisterCase {
  const char* name;
  Word funct7, funct3, a, b, expected;
};

TEST(RiscvInstruction, RegisterOperations) {
  const RegisterCase cases[] = {
      {"add", 0, 0, 0xffffffff, 2, 1},
      {"sub", 0x20, 0, 1, 2, 0xffffffff},
      {"sll masks the amount", 0, 1, 1, 33, 2},
      {"slt", 0, 2, 0x80000000, 0, 1},
      {"sltu", 0, 3, 0x80000000, 0, 0},
      {"xor", 0, 4, 0xf0f0, 0xff00, 0x0ff0},
      {"srl", 0, 5, 0x80000000, 31, 1},
      {"sra", 0x20, 5, 0x80000000, 31, 0xffffffff},
      {"or", 0, 6, 0xf0, 0x0f, 0xff},
      {"and", 0, 7, 0xf8, 0x1f, 0x18},
      {"mul", 1, 0, 0x12345678, 0x9abcdef0, 0x242d2080},
      {"mulh", 1, 1, 0xffffffff, 0xffffffff, 0},
      {"mulhsu", 1, 2, 0xffffffff, 0xffffffff, 0xffffffff},
      {"mulhu", 1, 3, 0xffffffff, 0xffffffff, 0xfffffffe},
      {"div truncates to zero", 1, 4, static_cast<Word>(-7), 2, static_cast<Word>(-3)},
      {"div by zero", 1, 4, 7, 0, 0xffffffff},
      {"div overflow", 1, 4, 0x80000000, 0xffffffff, 0x80000000},
      {"divu", 1, 5, 0xfffffffe, 2, 0x7fffffff},
      {"divu by zero", 1, 5, 7, 0, 0xffffffff},
      {"rem has the dividend's sign", 1, 6, static_cast<Word>(-7), 2, 0xffffffff},
      {"rem by zero", 1, 6, 7, 0, 7},
      {"rem overflow", 1, 6, 0x80000000, 0xffffffff, 0},
      {"remu", 1, 7, 7, 4, 3},
      {"remu by zero", 1, 7, 7, 0, 7},
  };
  for (const RegisterCase& c : cases) {
    Machine m;
    m.program({r(c.funct7, a1, a0, c.funct3, a2, 0x33), r(c.funct7, a1, a0, c.funct3, zero, 0x33), ebreak()});
    m.hart.set_reg(a0, c.a);
    m.hart.set_reg(a1, c.b);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak) << c.name;
    EXPECT_EQ(m.hart.reg(a2), c.expected) << c.name;
    EXPECT_EQ(m.hart.reg(zero), 0u) << c.name;
  }
}

TEST(RiscvInstruction, ImmediateOperations) {
  struct Case {
    const char* name;
    Word insn, a, expected;
  };
  const Case cases[] = {
      {"addi", addi(a2, a0, -1), 0, 0xffffffff},
      {"slti", i(-1, a0, 2, a2, 0x13), static_cast<Word>(-2), 1},
      {"sltiu sign-extends, then compares unsigned", i(-1, a0, 3, a2, 0x13), 5, 1},
      {"xori", i(-1, a0, 4, a2, 0x13), 0x0f, 0xfffffff0},
      {"ori", i(0x700, a0, 6, a2, 0x13), 0x0f, 0x70f},
      {"andi", i(-16, a0, 7, a2, 0x13), 0xff, 0xf0},
      {"slli", i(31, a0, 1, a2, 0x13), 1, 0x80000000},
      {"srli", i(4, a0, 5, a2, 0x13), 0x80000000, 0x08000000},
      {"srai", i(0x404, a0, 5, a2, 0x13), 0x80000000, 0xf8000000},
      {"lui", lui(a2, 0xabcde), 0, 0xabcde000},
      {"auipc", auipc(a2, 0x10), 0, 0x10000 + 4},
  };
  for (const Case& c : cases) {
    Machine m;
    m.program({nop(), c.insn, ebreak()});
    m.hart.set_reg(a0, c.a);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak) << c.name;
    EXPECT_EQ(m.hart.reg(a2), c.expected) << c.name;
  }
}

TEST(RiscvInstruction, LoadsAndStoresInMemory) {
  Machine m;
  m.program({sw(a1, 8, a0), lb(a2, 8, a0), lbu(a3, 9, a0), lh(a4, 10, a0), lhu(a5, 10, a0), sb(zero, 8, a0),
             sh(a1, 10, a0), lw(t0, 8, a0), ebreak()});
  m.hart.set_reg(a0, Machine::kTcm);
  m.hart.set_reg(a1, 0x8765'43a1);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a2), 0xffffffa1u);
  EXPECT_EQ(m.hart.reg(a3), 0x43u);
  EXPECT_EQ(m.hart.reg(a4), 0xffff8765u);
  EXPECT_EQ(m.hart.reg(a5), 0x8765u);
  EXPECT_EQ(m.hart.reg(t0), 0x43a14300u);
  EXPECT_TRUE(m.accesses.empty());
}

TEST(RiscvInstruction, MisalignedAccessesWorkInMemory) {
  Machine m;
  m.program({sw(a1, 1, a0), lw(a2, 1, a0), lhu(a3, 3, a0), ebreak()});
  m.hart.set_reg(a0, Machine::kTcm);
  m.hart.set_reg(a1, 0x11223344);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a2), 0x11223344u);
  EXPECT_EQ(m.hart.reg(a3), 0x1122u);
}

TEST(RiscvInstruction, MisalignedAccessesTrapWhenTheyAreToldTo) {
  struct Case {
    const char* name;
    Word insn;
    Word cause;
  };
  const Case cases[] = {{"lh", lh(a2, 1, a0), riscv::kCauseLoadMisaligned},
                        {"lhu", lhu(a2, 3, a0), riscv::kCauseLoadMisaligned},
                        {"lw", lw(a2, 2, a0), riscv::kCauseLoadMisaligned},
                        {"sh", sh(a1, 5, a0), riscv::kCauseStoreMisaligned},
                        {"sw", sw(a1, 6, a0), riscv::kCauseStoreMisaligned},
                        {"lh, aligned", lh(a2, 2, a0), 0},
                        {"lhu, aligned", lhu(a2, 2, a0), 0},
                        {"lw, aligned", lw(a2, 4, a0), 0},
                        {"sh, aligned", sh(a1, 6, a0), 0},
                        {"sw, aligned", sw(a1, 8, a0), 0},
                        {"lb", lb(a2, 1, a0), 0},
                        {"lbu", lbu(a2, 3, a0), 0},
                        {"sb", sb(a1, 1, a0), 0}};
  for (const Case& c : cases) {
    riscv::HartConfig config;
    config.trap_misaligned = true;
    Machine m(config);
    m.program({nop(), c.insn, ebreak()});
    m.program({ebreak()}, 0x100);
    m.hart.write_csr(kMtvec, 0x100);
    m.hart.set_reg(a0, Machine::kTcm);
    m.hart.set_reg(a1, ~Word{0});
    m.hart.set_reg(a2, 0x1234);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak) << c.name;
    EXPECT_EQ(m.hart.pc(), c.cause != 0 ? 0x100u : 8u) << c.name;
    EXPECT_EQ(m.csr(kMcause), c.cause) << c.name;
    if (c.cause == 0) continue;
    const int offset =
        c.cause == riscv::kCauseLoadMisaligned ? static_cast<int>(c.insn) >> 20 : static_cast<int>(c.insn >> 7 & 31);
    EXPECT_EQ(m.csr(kMepc), 4u) << c.name;
    EXPECT_EQ(m.csr(kMtval), Machine::kTcm + static_cast<Word>(offset)) << c.name;
    EXPECT_EQ(m.hart.reg(a2), 0x1234u) << c.name;
    for (unsigned at = 0; at < 12; at += 4) EXPECT_EQ(m.word(Machine::kTcm + at), 0u) << c.name;
  }
}

TEST(RiscvInstruction, MemoryEndsExactly) {
  Machine m;
  m.program({lbu(a2, 3, a0), lhu(a3, 2, a0), lw(a4, 0, a0), lw(a5, 2, a0), ebreak()});
  m.program({ebreak()}, 0x100);
  m.hart.write_csr(kMtvec, 0x100);
  const std::uint32_t last = Machine::kTcm + Machine::kTcmSize - 4;
  m.program({0xa1b2c3d4}, last);
  m.hart.set_reg(a0, last);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a2), 0xa1u);
  EXPECT_EQ(m.hart.reg(a3), 0xa1b2u);
  EXPECT_EQ(m.hart.reg(a4), 0xa1b2c3d4u);
  EXPECT_EQ(m.csr(kMcause), riscv::kCauseLoadMisaligned);  // straddles the end: not in one region
  EXPECT_EQ(m.csr(kMtval), last + 2);
}

TEST(RiscvInstruction, BranchesAndJumps) {
  struct Case {
    Word funct3, a, b;
    bool taken;
  };
  const Case cases[] = {{0, 5, 5, true},           {0, 5, 6, false},         {1, 5, 6, true},
                        {1, 5, 5, false},          {4, 0x80000000, 0, true}, {4, 0, 0x80000000, false},
                        {4, 3, 3, false},          {5, 0, 0x80000000, true}, {5, 3, 3, true},
                        {5, 0x80000000, 0, false}, {6, 0, 1, true},          {6, 0x80000000, 0, false},
                        {7, 0x80000000, 0, true},  {7, 1, 1, true},          {7, 0, 1, false}};
  for (const Case& c : cases) {
    Machine m;
    m.program({b(12, a1, a0, c.funct3), addi(a2, zero, 1), ebreak(), addi(a2, zero, 2), ebreak()});
    m.hart.set_reg(a0, c.a);
    m.hart.set_reg(a1, c.b);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
    EXPECT_EQ(m.hart.reg(a2), c.taken ? 2u : 1u) << c.funct3 << ' ' << c.a << ' ' << c.b;
  }
  Machine m;  // jal forwards, jalr back with the low bit cleared, rd == rs1
  m.program({jal(ra, 12), addi(a0, zero, 7), ebreak(), addi(ra, ra, 1), jalr(ra, 0, ra)});
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 7u);
  EXPECT_EQ(m.hart.reg(ra), 20u);
  EXPECT_EQ(m.hart.pc(), 8u);
}

TEST(RiscvInstruction, AtomicOperations) {
  struct Case {
    Word funct5, memory, operand, expected;
  };
  const Case cases[] = {{0x01, 1, 2, 2},          {0x00, 1, 2, 3},          {0x04, 6, 3, 5},
                        {0x0c, 6, 3, 2},          {0x08, 6, 3, 7},          {0x10, 0xffffffff, 1, 0xffffffff},
                        {0x14, 0xffffffff, 1, 1}, {0x18, 0xffffffff, 1, 1}, {0x1c, 0xffffffff, 1, 0xffffffff}};
  for (const Case& c : cases) {
    Machine m;
    m.program({amo(c.funct5, a2, a1, a0), ebreak()});
    m.program({c.memory}, Machine::kTcm);
    m.hart.set_reg(a0, Machine::kTcm);
    m.hart.set_reg(a1, c.operand);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
    EXPECT_EQ(m.hart.reg(a2), c.memory) << c.funct5;
    EXPECT_EQ(m.word(Machine::kTcm), c.expected) << c.funct5;
  }
}

TEST(RiscvInstruction, LoadReservedStoreConditional) {
  Machine m;
  m.program({lr(a2, a0), sc(a3, a1, a0), sc(a4, a1, a0),   // the second has no reservation
             lr(a2, a0), sw(zero, 0, a0), sc(a5, a1, a0),  // broken by a store
             lr(a2, a0), addi(a0, a0, 4), sc(t0, a1, a0),  // another word
             ebreak()});
  m.hart.set_reg(a0, Machine::kTcm);
  m.hart.set_reg(a1, 9);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a3), 0u);
  EXPECT_EQ(m.hart.reg(a4), 1u);
  EXPECT_EQ(m.hart.reg(a5), 1u);
  EXPECT_EQ(m.hart.reg(t0), 1u);
  EXPECT_EQ(m.word(Machine::kTcm), 0u);
  EXPECT_EQ(m.word(Machine::kTcm + 4), 0u);
}

// Two harts on one memory, in slices of random length: each adds one a thousand times by LR and SC.
TEST(RiscvInstruction, ReservationsAcrossHarts) {
  Machine m;
  riscv::HartConfig config;
  config.hart_id = 1;
  riscv::Hart other(config, m);
  other.add_region({Machine::kCode, Machine::kCodeSize, m.code.data(), 1, 1, true, true});
  other.add_region({Machine::kTcm, Machine::kTcmSize, m.tcm.data(), 2, 1, false, true});
  other.reset(Machine::kCode);
  m.program({lr(a2, a0), addi(a2, a2, 1), add(a3, a3, a4), sc(a5, a2, a0), bne(a5, zero, -16), addi(a1, a1, -1),
             bne(a1, zero, -24), ebreak()});
  unsigned both = 0;
  bool done[2] = {false, false};
  for (riscv::Hart* hart : {&m.hart, &other}) {
    hart->set_reg(a0, Machine::kTcm);
    hart->set_reg(a1, 1000);
    hart->set_reg(a4, 1);
  }
  for (std::uint64_t slice = 0; !done[0] || !done[1]; ++slice) {
    const unsigned which = slice % 2;
    riscv::Hart& hart = which == 0 ? m.hart : other;
    both += done[1 - which] ? 0 : 1;
    if (!done[which]) done[which] = hart.run(1 + keyed_hash(1, 2, slice) % 20) == StopReason::kEbreak;
    ASSERT_LT(slice, 100'000u);
  }
  EXPECT_EQ(m.word(Machine::kTcm), 2000u);
  EXPECT_GT(both, 200u) << "they ran side by side";
  EXPECT_GT(m.hart.reg(a3) + other.reg(a3), 2000u) << "some SC has failed, and was tried again";
}

TEST(RiscvInstruction, BusAccesses) {
  Machine m;
  m.bus_words[Machine::kMmio + 2] = 0xff80;
  m.program({lh(a2, 2, a0), lhu(a3, 2, a0), sb(a1, 5, a0), sw(a1, 8, a0), ebreak()});
  m.hart.set_reg(a0, Machine::kMmio);
  m.hart.set_reg(a1, 0x12345678);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a2), 0xffffff80u);
  EXPECT_EQ(m.hart.reg(a3), 0xff80u);
  ASSERT_EQ(m.accesses.size(), 4u);
  EXPECT_EQ(m.accesses[2].value, 0x78u);
  EXPECT_EQ(m.accesses[2].size, 1u);
  EXPECT_EQ(m.accesses[3].value, 0x12345678u);
}

TEST(RiscvInstruction, CompressedMixedWith32Bit) {
  Machine m;
  m.half(0, 0x4529);  // c.li a0, 10
  m.half(2, 0x0505);  // c.addi a0, 1
  m.program({addi(a1, a0, 1)}, 4);
  m.half(8, 0x2011);   // c.jal +4
  m.half(10, 0x9002);  // c.ebreak
  m.half(12, 0x852e);  // c.mv a0, a1
  m.half(14, 0x8082);  // c.jr ra
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.pc(), 10u);
  EXPECT_EQ(m.hart.reg(a0), 12u);
  EXPECT_EQ(m.hart.reg(ra), 10u);
  EXPECT_EQ(m.hart.instructions(), 6u);
}

TEST(RiscvInstruction, CompressedStackAccessesAndIndirectCalls) {
  Machine m;
  const std::uint16_t code[] = {
      0xc7aa,  // c.swsp a0, 204(sp)
      0x45be,  // c.lwsp a1, 204(sp)
      0xd82a,  // c.swsp a0, 48(sp)
      0x5642,  // c.lwsp a2, 48(sp)
      0x9682,  // c.jalr a3
      0x9002,  // c.ebreak
      0x7101,  // c.addi16sp sp, -512
      0x1ff8,  // c.addi4spn a4, sp, 1020
      0x8082,  // c.jr ra
  };
  for (std::uint32_t n = 0; n < 9; ++n) m.half(2 * n, code[n]);
  m.hart.set_reg(sp, Machine::kTcm + 0x400);
  m.hart.set_reg(a0, 0xcafe);
  m.hart.set_reg(a3, 12);
  EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak);
  EXPECT_EQ(m.hart.pc(), 10u);
  EXPECT_EQ(m.hart.reg(ra), 10u);
  EXPECT_EQ(m.hart.reg(a1), 0xcafeu);
  EXPECT_EQ(m.hart.reg(a2), 0xcafeu);
  EXPECT_EQ(m.word(Machine::kTcm + 0x400 + 204), 0xcafeu);
  EXPECT_EQ(m.word(Machine::kTcm + 0x400 + 48), 0xcafeu);
  EXPECT_EQ(m.hart.reg(sp), Machine::kTcm + 0x200);
  EXPECT_EQ(m.hart.reg(a4), Machine::kTcm + 0x200 + 1020);
}

TEST(RiscvInstruction, ReservedEncodingsAreIllegal) {
  const std::uint32_t reserved[] = {
      0x00000000,
      0xffffffff,
      0x2000,
      0x6000,
      0xa000,
      0xe000,                        // all zero, all one, c.fld, c.flw, c.fsd, c.fsw
      0x8002,                        // c.jr x0
      0x4002,                        // c.lwsp x0
      0x6101,                        // c.addi16sp 0
      0x6081,                        // c.lui ra, 0
      0x1502,                        // c.slli with shamt[5]
      0x9c01,                        // c.subw: RV64
      0x0000'0004,                   // c.addi4spn 0
      r(0x02, a1, a0, 0, a2, 0x33),  // funct7 of nothing
      i(0x020, a0, 1, a2, 0x13),     // slli by 32
      i(0, a0, 3, a2, 0x03),         // ld
      s(0, a1, a0, 3),               // sd
      b(8, a1, a0, 2),               // branch funct3 2
      i(0, a0, 1, ra, 0x67),         // jalr funct3 1
      amo(2, a2, a1, a0),            // lr with rs2
      amo(5, a2, a1, a0),            // no such AMO
      0x10200073,                    // sret
      i(0, a0, 4, a2, 0x73),         // system funct3 4
  };
  for (const std::uint32_t raw : reserved) {
    Machine m;
    m.program({addi(a5, zero, 1), raw});
    m.program({ebreak()}, 0x100);
    m.hart.write_csr(kMtvec, 0x100);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak) << std::hex << raw;
    EXPECT_EQ(m.csr(kMcause), 2u) << std::hex << raw;
    EXPECT_EQ(m.csr(kMepc), 4u) << std::hex << raw;
    EXPECT_EQ(m.csr(kMtval), (raw & 3) == 3 ? raw : raw & 0xffff) << std::hex << raw;
    EXPECT_EQ(m.hart.instructions(), 1u) << std::hex << raw;
  }
}

}  // namespace
}  // namespace wordline::testing::instruction_test
