// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "models/riscv/elf_loader.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::program_test {
namespace {

using riscv::ElfFile;
using riscv::StopReason;

constexpr unsigned kA0 = 10;

struct Outcome {
  std::uint64_t cycles, instructions;
  std::uint32_t result;
};

Outcome run_program(const std::string& path, bool block_cache) {
  riscv::HartConfig config;
  config.block_cache = block_cache;
  Machine m(config);
  const ElfFile elf(path);
  elf.load([&m](std::uint32_t address, std::uint32_t bytes) { return m.hart.host_pointer(address, bytes); });
  m.hart.reset(elf.entry());
  EXPECT_EQ(m.hart.run(100'000'000), StopReason::kEbreak) << "at " << elf.function_name(m.hart.pc());
  EXPECT_EQ(elf.function_name(m.hart.pc()), "_start");
  return {m.hart.cycles(), m.hart.instructions(), m.hart.reg(kA0)};
}

class RiscvProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(RiscvProgram, ChecksItself) {
  const std::string path = std::string(WORDLINE_RISCV_PROGRAMS "/") + GetParam();
  const Outcome cached = run_program(path, true), decoded = run_program(path, false);
  EXPECT_EQ(cached.result, 0u) << "the number of the check in selfcheck.c";
  EXPECT_GT(cached.instructions, 100000u);
  EXPECT_EQ(decoded.result, 0u);
  EXPECT_EQ(cached.instructions, decoded.instructions);
  EXPECT_EQ(cached.cycles, decoded.cycles);
}

INSTANTIATE_TEST_SUITE_P(Extensions, RiscvProgram,
                         ::testing::Values("selfcheck_imac_O2.elf", "selfcheck_ima_O2.elf", "selfcheck_imac_Os.elf"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

TEST(RiscvElf, SymbolsAndSegments) {
  const ElfFile elf(WORDLINE_RISCV_PROGRAMS "/selfcheck_imac_O2.elf");
  EXPECT_EQ(elf.entry(), 0u);
  EXPECT_EQ(elf.function_name(0), "_start");
  EXPECT_EQ(elf.function_name(0x20000), "0x00020000");
  std::uint32_t main = 0, initialised = 0, none = 0;
  ASSERT_TRUE(elf.symbol("main", main));
  ASSERT_TRUE(elf.symbol("initialised", initialised));
  EXPECT_FALSE(elf.symbol("no such thing", none));
  EXPECT_EQ(elf.function_name(main), "main");
  EXPECT_EQ(elf.function_name(main + 2), "main");
  EXPECT_EQ(initialised >> 28, 1u);
  std::uint32_t bytes = 0, zeros = 0;
  for (const riscv::Segment& segment : elf.segments()) {
    bytes += static_cast<std::uint32_t>(segment.bytes.size());
    zeros += segment.zero_bytes;
  }
  EXPECT_GT(bytes, 500u);
  EXPECT_GE(zeros, 2000u + 1024u);  // sieve and order
}

std::string message_of(const std::string& path) {
  try {
    const ElfFile elf(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

class DamagedFile {
 public:
  explicit DamagedFile(const std::function<void(std::string&)>& damage) {
    std::ifstream in(WORDLINE_RISCV_PROGRAMS "/selfcheck_imac_O2.elf", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    damage(bytes);
    char name[] = "/tmp/wordline_elf_XXXXXX";
    const int file = ::mkstemp(name);
    path_ = name;
    EXPECT_EQ(::write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(file);
  }
  ~DamagedFile() { ::unlink(path_.c_str()); }
  std::string message() const { return message_of(path_); }

 private:
  std::string path_;
};

TEST(RiscvElf, BadFilesAreNamed) {
  EXPECT_NE(message_of("/nonexistent.elf").find("/nonexistent.elf: cannot be opened"), std::string::npos);
  EXPECT_NE(message_of("/proc/self/exe").find("not for RISC-V"), std::string::npos);
  const auto expect = [](const char* part, const std::function<void(std::string&)>& damage) {
    const std::string message = DamagedFile(damage).message();
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("not an ELF file", [](std::string& bytes) { bytes[0] = 'x'; });
  expect("not a linked executable", [](std::string& bytes) { bytes[16] = 3; });
  expect("floating-point", [](std::string& bytes) { bytes[36] = static_cast<char>(bytes[36] | 4); });
  expect("not for RISC-V", [](std::string& bytes) { bytes[18] = 40; });
  expect("cut off", [](std::string& bytes) { bytes.resize(4200); });
  const ElfFile elf(WORDLINE_RISCV_PROGRAMS "/selfcheck_imac_O2.elf");
  EXPECT_THROW(elf.load([](std::uint32_t, std::uint32_t) -> std::byte* { return nullptr; }), std::runtime_error);
}

}  // namespace
}  // namespace wordline::testing::program_test
