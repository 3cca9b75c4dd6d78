// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/engine_registers.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wordline::testing::engine_registers_test {
namespace {

namespace regs = registers::engines;
using engines::EngineRegisters;

std::uint32_t read(const EngineRegisters& registers, std::uint32_t offset) {
  std::uint32_t value = 0xdead;
  EXPECT_TRUE(registers.read(offset, value));
  return value;
}

TEST(EngineRegisters, KeepWhatNobodyClaims) {
  EngineRegisters registers;
  EXPECT_EQ(read(registers, regs::scan_end), 0U);
  EXPECT_TRUE(registers.write(regs::scan_end, 77, 1_ns));
  EXPECT_EQ(read(registers, regs::scan_end), 77U);
  EXPECT_EQ(registers[regs::scan_end], 77U);
}

TEST(EngineRegisters, ACommandReachesItsOwnerAndReadsAsZero) {
  EngineRegisters registers;
  std::uint32_t seen = 0;
  Picoseconds when{};
  registers.command(regs::scan, [&](std::uint32_t value, Picoseconds at) {
    seen = value;
    when = at;
  });
  EXPECT_TRUE(registers.write(regs::scan, 5, 3_ns));
  EXPECT_EQ(seen, 5U);
  EXPECT_EQ(when, 3_ns);
  EXPECT_EQ(read(registers, regs::scan), 0U);
}

TEST(EngineRegisters, ACounterWrapsAndCannotBeWritten) {
  EngineRegisters registers;
  std::uint64_t count = 3;
  registers.counter(regs::scanned, count);
  EXPECT_TRUE(registers.write(regs::scanned, 9, 0_ns));
  EXPECT_EQ(read(registers, regs::scanned), 3U);
  count = 0x1'0000'0002;
  EXPECT_EQ(read(registers, regs::scanned), 2U);
}

TEST(EngineRegisters, OneOwnerEach) {
  EngineRegisters registers;
  std::uint64_t count = 0;
  registers.counter(regs::scanned, count);
  EXPECT_THROW(registers.counter(regs::scanned, count), std::logic_error);
}

TEST(EngineRegisters, EndWithTheBlock) {
  EngineRegisters registers;
  std::uint32_t value = 0;
  EXPECT_FALSE(registers.read(regs::kStride, value));
  EXPECT_FALSE(registers.write(regs::kStride, 1, 0_ns));
}

}  // namespace
}  // namespace wordline::testing::engine_registers_test
