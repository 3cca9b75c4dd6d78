// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/riscv/block_cache.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::block_cache_test {
namespace {

using namespace assembler;
using riscv::StopReason;

constexpr std::uint64_t kEnough = 10'000'000;  // cycles; a program that never ends fails its test

TEST(RiscvBlockCache, DecodesALoopOnce) {
  Machine m;
  m.program({addi(a0, a0, 1), bne(a0, a1, -4), ebreak()});
  m.hart.set_reg(a1, 100000);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.blocks().decoded(), 2u);
  EXPECT_EQ(m.hart.reg(a0), 100000u);
  const auto profile = m.hart.blocks().profile();
  ASSERT_EQ(profile.size(), 2u);
  EXPECT_EQ(profile[0].executions, 100000u);
  EXPECT_EQ(profile[0].instructions, 2u);
  EXPECT_EQ(profile[1].pc, 8u);
}

TEST(RiscvBlockCache, LongStraightCodeIsCutAndGoesOn) {
  Machine m;
  for (std::uint32_t n = 0; n < 1000; ++n) m.program({addi(a0, a0, 1)}, 4 * n);
  m.program({ebreak()}, 4000);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 1000u);
  EXPECT_EQ(m.hart.cycles(), 1000u);
  EXPECT_EQ(m.hart.blocks().decoded(), 1000u / riscv::kMaxBlock + 1);
}

// A function is called, overwritten, and called again.
void call_patch_call(Machine& m, Word between) {
  m.program({jal(ra, 0x400), add(a3, a0, zero), sw(a1, 0x400, zero), between, jal(ra, 0x400 - 16), ebreak()});
  m.program({addi(a0, zero, 1), jalr(zero, 0, ra)}, 0x400);
  m.hart.set_reg(a1, addi(a0, zero, 2));
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a3), 1u);
}

TEST(RiscvBlockCache, SelfModifyingCodeWithFenceI) {
  Machine m;
  call_patch_call(m, fence_i());
  EXPECT_EQ(m.hart.reg(a0), 2u);
}

TEST(RiscvBlockCache, StoresToDecodedCodeAreSeen) {
  Machine m;
  call_patch_call(m, nop());
  EXPECT_EQ(m.hart.reg(a0), 2u);
}

TEST(RiscvBlockCache, EveryKindOfStoreIsSeen) {
  // The immediate of the patched addi sits in bits 20..31: byte 3 and half 2 hold its upper part; amo writes the word.
  const Word new_insn = addi(a0, zero, 0x100);
  const struct {
    Word store, value;
  } cases[] = {{sb(a1, 0x403, zero), new_insn >> 24},
               {sh(a1, 0x402, zero), new_insn >> 16},
               {sw(a1, 0x400, zero), new_insn},
               {sw(a1, 0x3fe, zero), new_insn << 16 | 0x0013},  // misaligned, from the line before
               {amo(1, zero, a1, a2), new_insn}};
  for (const auto& c : cases) {
    Machine m;
    m.program({jal(ra, 0x400), c.store, jal(ra, 0x400 - 8), ebreak()});
    m.program({addi(a0, zero, 0), jalr(zero, 0, ra)}, 0x400);
    m.hart.set_reg(a1, c.value);
    m.hart.set_reg(a2, 0x400);
    EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
    if (c.store == sw(a1, 0x3fe, zero)) {
      EXPECT_EQ(m.word(0x400) & 0xffffu, new_insn & 0xffffu);
      EXPECT_EQ(m.hart.reg(a0), 0u);  // only the lower half was written, with what it held before
    } else {
      EXPECT_EQ(m.hart.reg(a0), 0x100u) << std::hex << c.store;
    }
    EXPECT_GE(m.hart.blocks().decoded(), 5u) << std::hex << c.store;  // everything was decoded again
  }
}

TEST(RiscvBlockCache, LinesThatHoldCodeNoMoreCostNothing) {
  // The function at 0x400 runs once; then its memory is data. Only the first store throws blocks away.
  Machine m;
  m.program({jal(ra, 0x400), sw(a1, 0x400, zero), addi(a1, a1, 1), bne(a1, a2, -8), ebreak()});
  m.program({jalr(zero, 0, ra)}, 0x400);
  m.hart.set_reg(a2, 1000);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.word(0x400), 999u);
  EXPECT_EQ(m.hart.blocks().decoded(), 3u + 2u);
}

TEST(RiscvBlockCache, AnIndirectJumpThatChangesItsTarget) {
  // One function, called from three places in turn: the return remembers the last target, and must not trust it.
  Machine m;
  m.program({jal(ra, 0x400), addi(a0, a0, 1), jal(ra, 0x400 - 8), addi(a0, a0, 10), jal(ra, 0x400 - 16),
             addi(a0, a0, 100), addi(a1, a1, -1), bne(a1, zero, -28), ebreak()});
  m.program({addi(a2, a2, 1), jalr(zero, 0, ra)}, 0x400);
  m.hart.set_reg(a1, 7);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 777u);
  EXPECT_EQ(m.hart.reg(a2), 21u);
}

TEST(RiscvBlockCache, StoresBesideCodeCostNothing) {
  Machine m;  // data in the executable region, 64 bytes away from the code
  m.program({sw(a0, 0x80, zero), addi(a0, a0, 1), bne(a0, a1, -8), ebreak()});
  m.hart.set_reg(a1, 1000);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.blocks().decoded(), 2u);
  EXPECT_EQ(m.word(0x80), 999u);
}

TEST(RiscvBlockCache, CodeChangedByOthersNeedsAFenceOrInvalidate) {
  Machine m;
  m.program({addi(a0, zero, 1), ebreak()});
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  m.program({addi(a0, zero, 2)});  // as a DMA would
  m.hart.set_pc(0);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 1u);
  m.hart.invalidate_code();
  m.hart.set_pc(0);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 2u);
}

TEST(RiscvBlockCache, ALoopThatPatchesItselfEveryTurn) {
  // The block's own immediate counts up; the store takes effect at the next turn.
  for (const bool cache : {true, false}) {
    riscv::HartConfig config;
    config.block_cache = cache;
    Machine m(config);
    m.program({lw(a1, 8, zero), add(a1, a1, a2), addi(a0, zero, 0), sw(a1, 8, zero), addi(a3, a3, 1), bne(a3, a4, -20),
               ebreak()});
    m.hart.set_reg(a2, 1u << 20);
    m.hart.set_reg(a4, 50);
    EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
    EXPECT_EQ(m.hart.reg(a0), 49u) << cache;
    EXPECT_EQ(m.hart.blocks().profile().empty(), !cache);
  }
}

TEST(RiscvBlockCache, MoreCodeThanTheDirectMap) {
  // 40000 blocks of two instructions, twice: the second time none is decoded again, though they share table entries.
  Machine m;
  constexpr std::uint32_t kBlocks = 40000;
  for (std::uint32_t n = 0; n < kBlocks; ++n) m.program({addi(a0, a0, 1), jal(zero, 4)}, Machine::kDram + 8 * n);
  m.program({addi(a1, a1, 1), bne(a1, a2, 8), ebreak(), jalr(zero, 0, a3)}, Machine::kDram + 8 * kBlocks);
  m.hart.set_reg(a2, 2);
  m.hart.set_reg(a3, Machine::kDram);
  m.hart.set_pc(Machine::kDram);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a0), 2 * kBlocks);
  EXPECT_EQ(m.hart.blocks().decoded(), kBlocks + 3u);
}

TEST(RiscvRegions, BadOnesAreRefused) {
  Machine m;
  std::vector<std::byte> memory(64);
  const auto add = [&](std::uint32_t base, std::uint32_t size) {
    m.hart.add_region({base, size, memory.data(), 1, 1, false, true});
  };
  EXPECT_THROW(add(0x20000000, 0), std::invalid_argument);
  EXPECT_THROW(add(0x20000002, 4), std::invalid_argument);
  EXPECT_THROW(add(0x20000000, 6), std::invalid_argument);
  EXPECT_THROW(add(Machine::kTcm + 4, 64), std::invalid_argument);
  EXPECT_THROW(add(0xfffffff0, 64), std::invalid_argument);
  EXPECT_NO_THROW(add(0xffffffc0, 64));  // up to the last byte
  // a second region in the 256 MiB of another one
  std::vector<std::byte> second(64, std::byte{7});
  m.hart.add_region({Machine::kTcm + 0x100000, 64, second.data(), 3, 4, false, true});
  m.program({lbu(a1, 63, a0), sb(zero, 0, a0), sw(zero, 0, a2), lw(a3, 0, a2), ebreak()});
  m.hart.set_reg(a0, Machine::kTcm + 0x100000);
  m.hart.set_reg(a2, 0xfffffffc);
  EXPECT_EQ(m.hart.run(kEnough), StopReason::kEbreak);
  EXPECT_EQ(m.hart.reg(a1), 7u);
  EXPECT_EQ(second[0], std::byte{0});
  EXPECT_EQ(m.hart.cycles(), 3u + 4 + 1 + 1);
  EXPECT_TRUE(m.accesses.empty());
}

}  // namespace
}  // namespace wordline::testing::block_cache_test
