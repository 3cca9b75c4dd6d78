// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unicorn/unicorn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <vector>

#include "models/riscv/hart.h"
#include "testbenches/models/riscv/random_code.h"

// The hart against Unicorn (QEMU's RISC-V) on keyed-random code. After every sequence: all registers, the trap CSRs,
// the program counter and all data memory. Unicorn leaves the entry of a trap to its user: Reference::trap() is that,
// written from the Privileged Architecture; MRET and the CSR instructions are Unicorn's.
namespace wordline::testing {
namespace {

using namespace random_code;

struct State {
  std::array<std::uint32_t, 32> registers{};
  std::array<std::uint32_t, 6> csrs{};  // mscratch, mepc, mcause, mtval; MIE and MPIE; MSIE and MTIE
  std::uint32_t pc = 0;
  std::array<std::uint8_t, kDataSize> data{};
  std::uint64_t instructions = 0, traps = 0, cycles = 0;
};

class Reference {
 public:
  Reference() {
    check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_));
    check(uc_mem_map(engine_, kCode, kCodeSize, UC_PROT_ALL));
    check(uc_mem_map(engine_, kData, kDataSize, UC_PROT_READ | UC_PROT_WRITE));
    const std::vector<Word> code = handler();
    check(uc_mem_write(engine_, kHandler, code.data(), code.size() * sizeof(Word)));
    uc_hook hook;
    check(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(&Reference::count), this, 1, 0));
    check(uc_hook_add(engine_, &hook, UC_HOOK_INTR, reinterpret_cast<void*>(&Reference::exception), this, 1, 0));
    check(uc_hook_add(engine_, &hook, UC_HOOK_MEM_UNMAPPED, reinterpret_cast<void*>(&Reference::nothing_there), this, 1,
                      0));
  }
  ~Reference() { uc_close(engine_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// Until the end of the sequence, or `limit` instructions, those that trap among them.
  State run(const Sequence& sequence, std::uint64_t limit) {
    check(uc_ctl_remove_cache(engine_, std::uint64_t{kCode}, std::uint64_t{kCode + kCodeSize}));
    check(uc_mem_write(engine_, kCode, sequence.bytes().data(), sequence.bytes().size()));
    check(uc_mem_write(engine_, kData, sequence.data.data(), kDataSize));
    for (int index = 1; index < 32; ++index)
      check(uc_reg_write(engine_, UC_RISCV_REG_X0 + index, &sequence.registers[index]));
    for (const int csr : {UC_RISCV_REG_MSCRATCH, UC_RISCV_REG_MEPC, UC_RISCV_REG_MCAUSE, UC_RISCV_REG_MTVAL,
                          UC_RISCV_REG_MSTATUS, UC_RISCV_REG_MIE}) {
      set(csr, 0);
    }
    set(UC_RISCV_REG_MTVEC, kHandler);
    executed_ = traps_ = 0;
    limit_ = limit;
    std::uint32_t from = kCode;
    for (;;) {
      faulted_ = false;
      const uc_err error = uc_emu_start(engine_, from, sequence.end(), 0, 0);
      if (error == UC_ERR_INSN_INVALID) {  // EBREAK ends this way, illegal instructions in exception()
        trap(riscv::kCauseBreakpoint, last_);
      } else if (faulted_) {
        trap(write_ ? riscv::kCauseStoreFault : riscv::kCauseLoadFault, address_);
      } else {
        EXPECT_EQ(error, UC_ERR_OK) << uc_strerror(error);
        break;
      }
      from = kHandler;
      if (executed_ == limit_) break;
    }
    State state;
    for (int index = 1; index < 32; ++index) state.registers[index] = get(UC_RISCV_REG_X0 + index);
    state.csrs = {get(UC_RISCV_REG_MSCRATCH), get(UC_RISCV_REG_MEPC) & ~1U,     get(UC_RISCV_REG_MCAUSE),
                  get(UC_RISCV_REG_MTVAL),    get(UC_RISCV_REG_MSTATUS) & 0x88, get(UC_RISCV_REG_MIE) & 0x88};
    state.pc = get(UC_RISCV_REG_PC);
    check(uc_mem_read(engine_, kData, state.data.data(), kDataSize));
    state.instructions = executed_ - traps_;
    state.traps = traps_;
    return state;
  }

 private:
  static void check(uc_err error) {
    if (error != UC_ERR_OK) throw std::runtime_error(uc_strerror(error));
  }
  std::uint32_t get(int id) const {
    std::uint32_t value = 0;
    check(uc_reg_read(engine_, id, &value));
    return value;
  }
  void set(int id, std::uint32_t value) { check(uc_reg_write(engine_, id, &value)); }

  /// Privileged Architecture 20211203, 3.1.6.1 (the stack of privilege and interrupt-enable bits), 3.1.14 to 3.1.16.
  void trap(std::uint32_t cause, std::uint32_t tval) {
    const std::uint32_t status = get(UC_RISCV_REG_MSTATUS);
    set(UC_RISCV_REG_MSTATUS, 3U << 11 | (status & 0x8) << 4);
    set(UC_RISCV_REG_MEPC, last_);
    set(UC_RISCV_REG_MCAUSE, cause);
    set(UC_RISCV_REG_MTVAL, tval);
    set(UC_RISCV_REG_PC, kHandler);
    ++traps_;
  }

  // Called before each instruction; the one behind the limit is not run.
  static void count(uc_engine* engine, std::uint64_t address, std::uint32_t, void* self) {
    auto* reference = static_cast<Reference*>(self);
    if (reference->executed_ == reference->limit_) {
      uc_emu_stop(engine);
    } else {
      ++reference->executed_;
      reference->last_ = static_cast<std::uint32_t>(address);
    }
  }
  // QEMU's translator says 8 for every ECALL.
  static void exception(uc_engine* engine, std::uint32_t number, void* self) {
    constexpr std::uint32_t kAnyEcall = 8;
    auto* reference = static_cast<Reference*>(self);
    const std::uint32_t cause = number == kAnyEcall ? riscv::kCauseEcall : number;
    std::uint32_t tval = 0;
    if (cause == riscv::kCauseIllegal) {
      std::uint16_t halves[2];
      check(uc_mem_read(engine, reference->last_, halves, sizeof halves));
      tval = halves[0] | ((halves[0] & 3) == 3 ? static_cast<std::uint32_t>(halves[1]) << 16 : 0);
    }
    reference->trap(cause, tval);
  }
  static bool nothing_there(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t, void* self) {
    auto* reference = static_cast<Reference*>(self);
    reference->faulted_ = true;
    reference->write_ = type == UC_MEM_WRITE_UNMAPPED;
    reference->address_ = static_cast<std::uint32_t>(address);
    return false;
  }
  uc_engine* engine_ = nullptr;
  std::uint64_t executed_ = 0, traps_ = 0, limit_ = 0;
  std::uint32_t last_ = 0, address_ = 0;
  bool faulted_ = false, write_ = false;
};

struct NoBus : riscv::Bus {
  bool read(std::uint32_t, unsigned, std::uint32_t&) override { return false; }
  bool write(std::uint32_t, unsigned, std::uint32_t) override { return false; }
};

/// Counts traps; the EBREAK at `end` is none.
struct Traps : riscv::Probe {
  explicit Traps(std::uint32_t at) : end(at) {}
  void tag(std::uint32_t) override {}
  void context(std::uint32_t) override {}
  void mark(std::uint32_t) override {}
  bool exception(std::uint32_t, std::uint32_t) override {
    if (hart->pc() == end) return false;
    ++count;
    return true;
  }
  const riscv::Hart* hart = nullptr;
  std::uint32_t end;
  std::uint64_t count = 0;
};

enum class Mode { kEachTime, kInterpreted, kTranslated };

riscv::HartConfig small_costs(Mode mode) {
  riscv::HartConfig config;
  config.block_cache = mode != Mode::kEachTime;
  config.translate = mode == Mode::kTranslated;
  config.translate_after = 1;
  config.stop_on_ebreak = false;
  riscv::CycleCosts& c = config.costs;
  c.alu = c.mul = c.div = c.branch_not_taken = c.branch_taken = c.jump = c.jump_register = c.amo = c.trap = c.mret = 1;
  c.load_use = 1;  // a limit in cycles then cuts the code elsewhere, too
  return config;
}

State run_hart(const Sequence& sequence, std::uint64_t limit, Mode mode) {
  NoBus bus;
  Traps traps(sequence.end());
  riscv::Hart hart(small_costs(mode), bus, &traps);
  traps.hart = &hart;
  std::vector<std::byte> code(kCodeSize), data(kDataSize);
  std::memcpy(code.data(), sequence.bytes().data(), sequence.bytes().size());
  std::memcpy(data.data(), sequence.data.data(), kDataSize);
  const Word stop = ebreak();
  std::memcpy(code.data() + (sequence.end() - kCode), &stop, sizeof stop);
  const std::vector<Word> trap = handler();
  std::memcpy(code.data() + (kHandler - kCode), trap.data(), trap.size() * sizeof(Word));
  hart.add_region({kCode, kCodeSize, code.data(), 1, 1, true, false});
  hart.add_region({kData, kDataSize, data.data(), 1, 1, false, true});
  hart.reset(kCode);
  hart.write_csr(kMtvec, kHandler);
  for (unsigned index = 1; index < 32; ++index) hart.set_reg(index, sequence.registers[index]);
  riscv::StopReason reason = hart.run(limit);
  while (reason == riscv::StopReason::kBudget && !sequence.begins_at(hart.pc())) reason = hart.run(1);
  EXPECT_TRUE(reason == riscv::StopReason::kException || reason == riscv::StopReason::kBudget) << to_string(reason);
  State state;
  for (unsigned index = 0; index < 32; ++index) state.registers[index] = hart.reg(index);
  constexpr Word kCsrs[] = {kMscratch, kMepc, kMcause, kMtval, kMstatus, kMie};
  for (std::size_t n = 0; n < state.csrs.size(); ++n) EXPECT_TRUE(hart.read_csr(kCsrs[n], state.csrs[n]));
  state.csrs[4] &= 0x88;
  state.csrs[5] &= 0x88;
  state.pc = hart.pc();
  std::memcpy(state.data.data(), data.data(), kDataSize);
  state.instructions = hart.instructions();
  state.traps = traps.count;
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
  std::uint64_t instructions = 0, traps = 0, finished = 0;
};

/// One sequence on both; false: they differ (and the test has failed).
bool same_as_unicorn(Reference& reference, std::uint64_t number, Totals& totals) {
  constexpr std::uint64_t kLimit = 400;
  const Sequence sequence(number);
  // The hart first: it stops between blocks, and the reference can stop anywhere.
  const State hart = run_hart(sequence, kLimit, number % 2 == 0 ? Mode::kTranslated : Mode::kInterpreted);
  const State expected = reference.run(sequence, hart.instructions + hart.traps);
  EXPECT_EQ(hart.registers, expected.registers);
  EXPECT_EQ(hart.csrs, expected.csrs);
  EXPECT_EQ(hart.traps, expected.traps);
  EXPECT_EQ(hart.pc, expected.pc);
  EXPECT_EQ(hart.data, expected.data);
  EXPECT_EQ(hart.instructions, expected.instructions);
  totals.instructions += hart.instructions;
  totals.traps += hart.traps;
  totals.finished += hart.pc == sequence.end() ? 1 : 0;
  if (totals.finished % 16 == 0) {  // the decode-each-time mode is the same machine
    const State plain = run_hart(sequence, hart.cycles, Mode::kEachTime);
    EXPECT_EQ(plain.registers, hart.registers);
    EXPECT_EQ(plain.csrs, hart.csrs);
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
  EXPECT_GT(totals.traps, kSequences / 2u);
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
  std::cout << totals.instructions << " instructions and " << totals.traps << " traps in " << number - 1'000'000
            << " sequences, the same as Unicorn\n";
}

}  // namespace
}  // namespace wordline::testing
