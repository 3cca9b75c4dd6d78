// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unicorn/unicorn.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

// The hart against Unicorn (QEMU's RISC-V) on keyed-random code: ALU, M, A, loads and stores (misaligned ones too),
// branches and jumps forwards and backwards, compressed instructions. After every sequence: all registers, the program
// counter and all data memory.
namespace wordline::testing {
namespace {

using namespace assembler;

constexpr std::uint32_t kCode = 0x1000, kData = 0x10000000, kDataSize = 0x1000;
constexpr std::uint32_t kBase = s0;  // holds kData + 0x800 and is never written
constexpr unsigned kSteps = 60;      // instructions of a sequence

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t sequence) : seed_(seed), sequence_(sequence) {}
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(keyed_hash(seed_, sequence_, draw_++) % bound);
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(keyed_hash(seed_, sequence_, draw_++)); }
  int within(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }
  /// Numbers on which arithmetic goes wrong, half of the time.
  std::uint32_t operand() {
    constexpr std::uint32_t kCorners[] = {0,    1,      2,      31,         32,         0x7f,
                                          0x80, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff};
    return below(2) == 0 ? kCorners[below(12)] : word() >> below(32);
  }

 private:
  std::uint64_t seed_, sequence_, draw_ = 0;
};

/// Random code; every control transfer goes to the start of an instruction.
class Sequence {
 public:
  explicit Sequence(std::uint64_t number) : random_(20221003, number) {
    for (unsigned n = 0; n < kSteps; ++n) {
      starts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      emit_one();
    }
    starts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    for (const Fixup& fixup : fixups_) patch(fixup);
    for (unsigned index = 1; index < 32; ++index) registers[index] = random_.operand();
    registers[kBase] = kData + 0x800;
    for (auto& byte : data) byte = static_cast<std::uint8_t>(random_.word());
  }
  std::vector<std::uint8_t> bytes() const { return bytes_; }
  std::uint32_t end() const { return kCode + starts_.back(); }

  std::array<std::uint32_t, 32> registers{};
  std::array<std::uint8_t, kDataSize> data{};

 private:
  enum class Kind { kBranch, kJal, kCompressedJump, kCompressedBranch };
  struct Fixup {
    std::uint32_t at;
    unsigned step;
    Kind kind;
  };

  void put16(std::uint32_t value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  void put32(std::uint32_t value) {
    put16(value & 0xffff);
    put16(value >> 16);
  }
  std::uint32_t any() { return random_.below(32); }
  std::uint32_t writable() {  // not the base; x0 now and then
    const std::uint32_t reg = random_.below(32);
    return reg == kBase ? 0 : reg;
  }
  std::uint32_t compressed() { return random_.below(8); }               // x8..x15
  std::uint32_t compressed_writable() { return 1 + random_.below(7); }  // x9..x15
  std::uint32_t writable_not_zero() {
    const std::uint32_t reg = writable();
    return reg == 0 ? 15 : reg;
  }
  std::uint32_t not_zero() { return 1 + random_.below(31); }

  void emit_one() {
    switch (random_.below(16)) {
      case 0:
      case 1:
        return emit_immediate();
      case 2:
      case 3:
        return put32(register_operation());
      case 4:
        return put32(r(1, any(), any(), random_.below(8), writable(), 0x33));  // M
      case 5: {
        constexpr Word kLoads[5] = {0, 1, 2, 4, 5};
        return put32(i(random_.within(-0x7f0, 0x7f0), kBase, kLoads[random_.below(5)], writable(), 0x03));
      }
      case 6:
        return put32(s(random_.within(-0x7f0, 0x7f0), any(), kBase, random_.below(3)));
      case 7: {
        constexpr Word kBranches[6] = {0, 1, 4, 5, 6, 7};
        fixups_.push_back({here(), step(), Kind::kBranch});
        return put32(b(0, any(), any(), kBranches[random_.below(6)]));
      }
      case 8: {
        if (random_.below(2) == 0)
          return put32(random_.below(2) == 0 ? lui(writable(), random_.below(1 << 20))
                                             : auipc(writable(), random_.below(1 << 20)));
        fixups_.push_back({here(), step(), Kind::kJal});
        return put32(jal(writable(), 0));
      }
      case 9:
        return emit_atomic();
      default:
        return emit_compressed();
    }
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(bytes_.size()); }
  unsigned step() const { return static_cast<unsigned>(starts_.size()) - 1; }

  Word register_operation() {
    const Word funct3 = random_.below(8);
    const Word funct7 = (funct3 == 0 || funct3 == 5) && random_.below(2) == 0 ? 0x20 : 0;
    return r(funct7, any(), any(), funct3, writable(), 0x33);
  }
  void emit_immediate() {
    const Word funct3 = random_.below(8);
    int imm = random_.within(-2048, 2047);
    if (funct3 == 1) imm &= 31;
    if (funct3 == 5) imm = (imm & 31) | (random_.below(2) == 0 ? 0x400 : 0);
    put32(i(imm, any(), funct3, writable(), 0x13));
  }
  void emit_atomic() {  // the address in a register of its own, aligned
    constexpr Word kOperations[9] = {0, 1, 4, 8, 12, 16, 20, 24, 28};
    put32(addi(t3, kBase, random_.within(-500, 500) * 4));
    starts_.back() = here() - 4;  // one step of two instructions: nothing jumps between them
    if (random_.below(3) != 0) return put32(amo(kOperations[random_.below(9)], writable(), any(), t3));
    put32(lr(writable_but_t3(), t3));
    put32(sc(writable(), any(), t3));
  }
  std::uint32_t writable_but_t3() {
    const std::uint32_t reg = writable();
    return reg == t3 ? 0 : reg;
  }

  void emit_compressed() {
    const Word imm5 = random_.below(32), sign = random_.below(2);
    switch (random_.below(18)) {
      case 0:
        return put16(0x0000 | (1 + random_.below(255)) << 5 | compressed_writable() << 2);  // c.addi4spn
      case 1:
        return put16(0x4000 | lw_offset() | 0u << 7 | compressed_writable() << 2);  // c.lw (x8)
      case 2:
        return put16(0xc000 | lw_offset() | 0u << 7 | compressed() << 2);  // c.sw (x8)
      case 3:
        return put16(0x0001 | sign << 12 | writable() << 7 | imm5 << 2);  // c.addi
      case 4:
        return put16(0x4001 | sign << 12 | writable() << 7 | imm5 << 2);  // c.li
      case 5: {                                                           // c.lui
        const std::uint32_t rd = writable_not_zero() == 2 ? 15 : 9;
        return put16(0x6001 | sign << 12 | rd << 7 | (1 + random_.below(31)) << 2);
      }
      case 6:
        return put16(0x6101 | sign << 12 | (1 + random_.below(31)) << 2);  // c.addi16sp
      case 7:
        return put16(0x8001 | compressed_writable() << 7 | imm5 << 2);  // c.srli
      case 8:
        return put16(0x8401 | compressed_writable() << 7 | imm5 << 2);  // c.srai
      case 9:
        return put16(0x8801 | sign << 12 | compressed_writable() << 7 | imm5 << 2);  // c.andi
      case 10:
        return put16(0x8c01 | compressed_writable() << 7 | random_.below(4) << 5 | compressed() << 2);  // c.sub..
      case 11:
        return put16(0x0002 | writable_not_zero() << 7 | imm5 << 2);  // c.slli
      case 12:
        return put16(0x8002 | writable() << 7 | not_zero() << 2);  // c.mv
      case 13:
        return put16(0x9002 | writable_not_zero() << 7 | not_zero() << 2);  // c.add
      case 14:
      case 15:  // c.j, c.jal
        fixups_.push_back({here(), step(), Kind::kCompressedJump});
        return put16(random_.below(2) == 0 ? 0xa001 : 0x2001);
      default:  // c.beqz, c.bnez
        fixups_.push_back({here(), step(), Kind::kCompressedBranch});
        return put16((random_.below(2) == 0 ? 0xc001 : 0xe001) | compressed() << 7);
    }
  }
  Word lw_offset() { return random_.below(8) << 10 | random_.below(2) << 6 | random_.below(2) << 5; }

  // Mostly forwards; backwards at most three steps, so a loop can spin: runs are bounded by an instruction count.
  void patch(const Fixup& fixup) {
    const bool conditional = fixup.kind == Kind::kBranch || fixup.kind == Kind::kCompressedBranch;
    const bool backwards = random_.below(conditional ? 8 : 40) == 0 && fixup.step >= 3;
    unsigned to = backwards ? fixup.step - 1 - random_.below(3) : fixup.step + 1 + random_.below(6);
    if (to > kSteps) to = kSteps;
    const int offset = static_cast<int>(starts_[to]) - static_cast<int>(fixup.at);
    const Word u = static_cast<Word>(offset);
    Word insn = bytes_[fixup.at] | static_cast<Word>(bytes_[fixup.at + 1]) << 8;
    switch (fixup.kind) {
      case Kind::kBranch:
      case Kind::kJal: {
        insn |= static_cast<Word>(bytes_[fixup.at + 2]) << 16 | static_cast<Word>(bytes_[fixup.at + 3]) << 24;
        insn |= fixup.kind == Kind::kJal ? jal(0, offset) : b(offset, 0, 0, 0);
        bytes_[fixup.at + 2] = static_cast<std::uint8_t>(insn >> 16);
        bytes_[fixup.at + 3] = static_cast<std::uint8_t>(insn >> 24);
        break;
      }
      case Kind::kCompressedJump:
        insn |= (u >> 11 & 1) << 12 | (u >> 4 & 1) << 11 | (u >> 8 & 3) << 9 | (u >> 10 & 1) << 8 | (u >> 6 & 1) << 7 |
                (u >> 7 & 1) << 6 | (u >> 1 & 7) << 3 | (u >> 5 & 1) << 2;
        break;
      case Kind::kCompressedBranch:
        insn |= (u >> 8 & 1) << 12 | (u >> 3 & 3) << 10 | (u >> 6 & 3) << 5 | (u >> 1 & 3) << 3 | (u >> 5 & 1) << 2;
        break;
    }
    bytes_[fixup.at] = static_cast<std::uint8_t>(insn);
    bytes_[fixup.at + 1] = static_cast<std::uint8_t>(insn >> 8);
  }

  Random random_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> starts_;
  std::vector<Fixup> fixups_;
};

struct State {
  std::array<std::uint32_t, 32> registers{};
  std::uint32_t pc = 0;
  std::array<std::uint8_t, kDataSize> data{};
  std::uint64_t instructions = 0, cycles = 0;
};

class Reference {
 public:
  Reference() {
    check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_));
    check(uc_mem_map(engine_, kCode & ~0xfffu, 0x1000, UC_PROT_ALL));
    check(uc_mem_map(engine_, kData, kDataSize, UC_PROT_READ | UC_PROT_WRITE));
    uc_hook hook;
    check(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(&Reference::count), this, 1, 0));
  }
  ~Reference() { uc_close(engine_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  State run(const Sequence& sequence, std::uint64_t limit) {
    const auto bytes = sequence.bytes();
    check(uc_ctl_remove_cache(engine_, std::uint64_t{kCode}, std::uint64_t{kCode + 0x1000}));
    check(uc_mem_write(engine_, kCode, bytes.data(), bytes.size()));
    check(uc_mem_write(engine_, kData, sequence.data.data(), kDataSize));
    for (int index = 1; index < 32; ++index)
      check(uc_reg_write(engine_, UC_RISCV_REG_X0 + index, &sequence.registers[index]));
    executed_ = 0;
    limit_ = limit;
    const uc_err error = uc_emu_start(engine_, kCode, sequence.end(), 0, 0);
    EXPECT_EQ(error, UC_ERR_OK) << uc_strerror(error);
    State state;
    for (int index = 1; index < 32; ++index)
      check(uc_reg_read(engine_, UC_RISCV_REG_X0 + index, &state.registers[index]));
    check(uc_reg_read(engine_, UC_RISCV_REG_PC, &state.pc));
    check(uc_mem_read(engine_, kData, state.data.data(), kDataSize));
    state.instructions = executed_;
    return state;
  }

 private:
  static void check(uc_err error) {
    if (error != UC_ERR_OK) throw std::runtime_error(uc_strerror(error));
  }
  // Called before each instruction; the one behind the limit is not run.
  static void count(uc_engine* engine, std::uint64_t, std::uint32_t, void* self) {
    auto* reference = static_cast<Reference*>(self);
    if (reference->executed_ == reference->limit_) {
      uc_emu_stop(engine);
    } else {
      ++reference->executed_;
    }
  }
  uc_engine* engine_ = nullptr;
  std::uint64_t executed_ = 0, limit_ = 0;
};

struct NoBus : riscv::Bus {
  bool read(std::uint32_t, unsigned, std::uint32_t&) override { return false; }
  bool write(std::uint32_t, unsigned, std::uint32_t) override { return false; }
};

riscv::HartConfig small_costs(bool block_cache) {
  riscv::HartConfig config;
  config.block_cache = block_cache;
  riscv::CycleCosts& c = config.costs;
  c.alu = c.mul = c.div = c.branch_not_taken = c.branch_taken = c.jump = c.jump_register = c.amo = 1;
  c.load_use = 1;  // a limit in cycles then cuts the code elsewhere, too
  return config;
}

State run_hart(const Sequence& sequence, std::uint64_t limit, bool block_cache) {
  NoBus bus;
  riscv::Hart hart(small_costs(block_cache), bus);
  std::vector<std::byte> code(0x1000), data(kDataSize);
  const auto bytes = sequence.bytes();
  std::memcpy(code.data(), bytes.data(), bytes.size());
  std::memcpy(data.data(), sequence.data.data(), kDataSize);
  const Word stop = ebreak();
  std::memcpy(code.data() + bytes.size(), &stop, 4);
  hart.add_region({kCode, 0x1000, code.data(), 1, 1, true, false});
  hart.add_region({kData, kDataSize, data.data(), 1, 1, false, true});
  hart.reset(kCode);
  for (unsigned index = 1; index < 32; ++index) hart.set_reg(index, sequence.registers[index]);
  const riscv::StopReason reason = hart.run(limit);
  EXPECT_TRUE(reason == riscv::StopReason::kEbreak || reason == riscv::StopReason::kBudget) << to_string(reason);
  State state;
  for (unsigned index = 0; index < 32; ++index) state.registers[index] = hart.reg(index);
  state.pc = hart.pc();
  std::memcpy(state.data.data(), data.data(), kDataSize);
  state.instructions = hart.instructions();
  state.cycles = hart.cycles();
  return state;
}

std::string dump(const Sequence& sequence) {
  std::ostringstream text;
  text << std::hex;
  for (const std::uint8_t byte : sequence.bytes()) text << (byte >> 4) << (byte & 15);
  return text.str();
}

struct Totals {
  std::uint64_t instructions = 0, finished = 0;
};

/// One sequence on both; false: they differ (and the test has failed).
bool same_as_unicorn(Reference& reference, std::uint64_t number, Totals& totals) {
  constexpr std::uint64_t kLimit = 400;
  const Sequence sequence(number);
  // The hart first: it stops between blocks, and the reference can stop anywhere.
  const State hart = run_hart(sequence, kLimit, true);
  const State expected = reference.run(sequence, hart.instructions);
  EXPECT_EQ(hart.registers, expected.registers);
  EXPECT_EQ(hart.pc, expected.pc);
  EXPECT_EQ(hart.data, expected.data);
  EXPECT_EQ(hart.instructions, expected.instructions);
  totals.instructions += hart.instructions;
  totals.finished += hart.pc == sequence.end() ? 1 : 0;
  if (totals.finished % 16 == 0) {  // the decode-each-time mode is the same machine
    const State plain = run_hart(sequence, hart.cycles, false);
    EXPECT_EQ(plain.registers, hart.registers);
    EXPECT_EQ(plain.pc, hart.pc);
    EXPECT_EQ(plain.cycles, hart.cycles);
    EXPECT_EQ(plain.instructions, hart.instructions);
  }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << "sequence " << number << ": " << dump(sequence);
  return !::testing::Test::HasFailure();
}

class RiscvLockstep : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RiscvLockstep, SameAsUnicorn) {
  constexpr std::uint64_t kSequences = 2000;
  Reference reference;
  Totals totals;
  for (std::uint64_t n = 0; n < kSequences; ++n)
    if (!same_as_unicorn(reference, GetParam() * kSequences + n, totals)) return;
  EXPECT_GT(totals.instructions, 20u * kSequences);
  EXPECT_GT(totals.finished, kSequences / 2u);
}

INSTANTIATE_TEST_SUITE_P(Keyed, RiscvLockstep, ::testing::Range<std::uint64_t>(0, 8));

// WORDLINE_LOCKSTEP=10000000 in the environment: so many instructions, other sequences than above.
TEST(RiscvLockstepSoak, AsManyInstructionsAsAskedFor) {
  const char* asked = std::getenv("WORDLINE_LOCKSTEP");
  const std::uint64_t wanted = asked == nullptr ? 20'000 : std::strtoull(asked, nullptr, 10);
  ASSERT_GT(wanted, 0u) << "WORDLINE_LOCKSTEP is a number of instructions";
  Reference reference;
  Totals totals;
  std::uint64_t number = 1'000'000;
  while (totals.instructions < wanted)
    if (!same_as_unicorn(reference, number++, totals)) return;
  std::cout << totals.instructions << " instructions in " << number - 1'000'000 << " sequences, the same as Unicorn\n";
}

}  // namespace
}  // namespace wordline::testing
