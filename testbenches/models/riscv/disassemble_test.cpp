// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/disassemble.h"

#include <gtest/gtest.h>

#include "models/riscv/hart.h"

namespace wordline::riscv::disassemble_test {
namespace {

// Words and texts from GNU objdump -M no-aliases, numbers in its manner.
TEST(Disassemble, AsObjdumpSays) {
  const struct {
    std::uint32_t raw;
    const char* text;
  } cases[] = {
      {0x00a02823, "sw a0, 16(zero)"},
      {0xfe842783, "lw a5, -24(s0)"},
      {0x123450b7, "lui ra, 0x12345"},
      {0x00001297, "auipc t0, 0x1"},
      {0xfff50513, "addi a0, a0, -1"},
      {0x40c5d533, "sra a0, a1, a2"},
      {0x02c5d533, "divu a0, a1, a2"},
      {0xfe0518e3, "bne a0, zero, 0xff0"},
      {0x008000ef, "jal ra, 0x1008"},
      {0x00008067, "jalr zero, 0(ra)"},
      {0x7c0c5073, "csrrwi zero, 0x7c0, 24"},
      {0x34202573, "csrrs a0, 0x342, zero"},
      {0x1005252f, "lr.w a0, (a0)"},
      {0x18b5262f, "sc.w a2, a1, (a0)"},
      {0x00b5252f, "amoadd.w a0, a1, (a0)"},
      {0x0000100f, "fence.i"},
      {0x30200073, "mret"},
      {0xffffffff, "illegal"},
      {0xc11c, "sw a5, 0(a0)"},
      {0x1141, "addi sp, sp, -16"},
      {0x20c5a533, "sh1add a0, a1, a2"},
      {0x6045d513, "rori a0, a1, 4"},
      {0x60459513, "sext.b a0, a1"},
      {0x2875d513, "orc.b a0, a1"},
      {0x0805c533, "zext.h a0, a1"},
      {0x40c5f533, "andn a0, a1, a2"},
      {0x8082, "jalr zero, 0(ra)"},
      {0x9002, "ebreak"},
  };
  for (const auto& c : cases) EXPECT_EQ(disassemble(c.raw, 0x1000), c.text) << std::hex << c.raw;
}

TEST(Disassemble, NamesOfCauses) {
  EXPECT_STREQ(cause_name(kCauseStoreFault), "store access fault");
  EXPECT_STREQ(cause_name(kCauseIllegal), "illegal instruction");
  EXPECT_STREQ(cause_name(99), "exception");
}

}  // namespace
}  // namespace wordline::riscv::disassemble_test
