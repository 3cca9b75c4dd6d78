// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Zba and Zbb against definitions bit by bit.
#include <gtest/gtest.h>

#include <functional>

#include "models/units/keyed_random.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::bit_manipulation_test {
namespace {

using namespace assembler;
using riscv::StopReason;

bool bit(Word value, unsigned index) { return (value >> (index % 32) & 1u) != 0; }

/// Bit i of the result from a function of i.
Word from_bits(const std::function<bool(unsigned)>& f) {
  Word out = 0;
  for (unsigned i = 0; i < 32; ++i) out |= f(i) ? 1u << i : 0;
  return out;
}
Word zeros(Word value, bool from_top) {
  unsigned n = 0;
  while (n < 32 && !bit(value, from_top ? 31 - n : n)) ++n;
  return n;
}
Word ones(Word value) {
  Word n = 0;
  for (unsigned i = 0; i < 32; ++i) n += bit(value, i) ? 1 : 0;
  return n;
}
bool less(Word a, Word b) {
  return static_cast<std::int64_t>(static_cast<std::int32_t>(a)) < static_cast<std::int32_t>(b);
}

struct Operation {
  const char* name;
  Word insn;  // a2 from a0 and a1
  std::function<Word(Word, Word)> meaning;
};

Word two(Word funct7, Word funct3) { return r(funct7, a1, a0, funct3, a2, 0x33); }
Word one(Word imm12, Word funct3) { return imm12 << 20 | a0 << 15 | funct3 << 12 | a2 << 7 | 0x13; }

std::vector<Operation> operations() {
  const auto byte_has_a_bit = [](Word a, unsigned i) { return (a >> i / 8 * 8 & 0xff) != 0; };
  return {
      {"sh1add", two(0x10, 2), [](Word a, Word b) { return a + a + b; }},
      {"sh2add", two(0x10, 4), [](Word a, Word b) { return 4 * a + b; }},
      {"sh3add", two(0x10, 6), [](Word a, Word b) { return 8 * a + b; }},
      {"andn", two(0x20, 7),
       [](Word a, Word b) { return from_bits([=](unsigned i) { return bit(a, i) && !bit(b, i); }); }},
      {"orn", two(0x20, 6),
       [](Word a, Word b) { return from_bits([=](unsigned i) { return bit(a, i) || !bit(b, i); }); }},
      {"xnor", two(0x20, 4),
       [](Word a, Word b) { return from_bits([=](unsigned i) { return bit(a, i) == bit(b, i); }); }},
      {"min", two(5, 4), [](Word a, Word b) { return less(a, b) ? a : b; }},
      {"minu", two(5, 5), [](Word a, Word b) { return a < b ? a : b; }},
      {"max", two(5, 6), [](Word a, Word b) { return less(a, b) ? b : a; }},
      {"maxu", two(5, 7), [](Word a, Word b) { return a < b ? b : a; }},
      {"rol", two(0x30, 1),
       [](Word a, Word b) { return from_bits([=](unsigned i) { return bit(a, i + 32 - b % 32); }); }},
      {"ror", two(0x30, 5), [](Word a, Word b) { return from_bits([=](unsigned i) { return bit(a, i + b % 32); }); }},
      {"rori 7", one(0x607, 5), [](Word a, Word) { return from_bits([=](unsigned i) { return bit(a, i + 7); }); }},
      {"rori 0", one(0x600, 5), [](Word a, Word) { return a; }},
      {"clz", one(0x600, 1), [](Word a, Word) { return zeros(a, true); }},
      {"ctz", one(0x601, 1), [](Word a, Word) { return zeros(a, false); }},
      {"cpop", one(0x602, 1), [](Word a, Word) { return ones(a); }},
      {"sext.b", one(0x604, 1),
       [](Word a, Word) { return from_bits([=](unsigned i) { return bit(a, i < 7 ? i : 7); }); }},
      {"sext.h", one(0x605, 1),
       [](Word a, Word) { return from_bits([=](unsigned i) { return bit(a, i < 15 ? i : 15); }); }},
      {"zext.h", r(4, 0, a0, 4, a2, 0x33),
       [](Word a, Word) { return from_bits([=](unsigned i) { return i < 16 && bit(a, i); }); }},
      {"orc.b", one(0x287, 5),
       [=](Word a, Word) { return from_bits([=](unsigned i) { return byte_has_a_bit(a, i); }); }},
      {"rev8", one(0x698, 5),
       [](Word a, Word) { return from_bits([=](unsigned i) { return bit(a, 24 - i / 8 * 8 + i % 8); }); }},
  };
}

TEST(RiscvBitManipulation, AsDefinedBitByBit) {
  static constexpr Word kCorners[] = {0, 1, 31, 32, 0x80, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff0100};
  for (const Operation& operation : operations()) {
    Machine m;
    m.program({operation.insn, ebreak()});
    for (std::uint64_t n = 0; n < 200; ++n) {
      const auto draw = [n](std::uint64_t which) {
        const auto hash = static_cast<Word>(keyed_hash(77, n, which));
        return hash % 3 == 0 ? kCorners[hash / 3 % 10] : hash;
      };
      const Word a = draw(0), b = draw(1);
      m.hart.set_pc(0);
      m.hart.set_reg(a0, a);
      m.hart.set_reg(a1, b);
      const std::uint64_t before = m.hart.cycles();
      ASSERT_EQ(m.hart.run(1000), StopReason::kEbreak) << operation.name;
      ASSERT_EQ(m.hart.reg(a2), operation.meaning(a, b)) << operation.name << std::hex << " of " << a << ", " << b;
      ASSERT_EQ(m.hart.cycles() - before, 1u) << operation.name;
    }
  }
}

TEST(RiscvBitManipulation, NeighboursInTheEncodingAreIllegal) {
  const Word illegal[] = {
      one(0x603, 1),             // between cpop and sext.b
      one(0x606, 1),             // behind sext.h
      r(4, 1, a0, 4, a2, 0x33),  // pack: Zbkb
      two(5, 1),                 // clmul: Zbc
      two(0x14, 1),              // bset: Zbs
      one(0x281, 1),             // bseti
      one(0x687, 5),             // brev8: Zbkb
      two(0x10, 0),
      two(0x20, 1),
      two(0x30, 4),
  };
  for (const Word raw : illegal) {
    Machine m;
    m.program({raw});
    m.program({ebreak()}, 0x100);
    m.hart.write_csr(kMtvec, 0x100);
    EXPECT_EQ(m.hart.run(1000), StopReason::kEbreak) << std::hex << raw;
    EXPECT_EQ(m.csr(kMcause), 2u) << std::hex << raw;
  }
}

}  // namespace
}  // namespace wordline::testing::bit_manipulation_test
