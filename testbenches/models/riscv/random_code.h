// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/models/riscv/assembler.h"

/// Keyed-random RV32IMAC_Zicsr code for the lockstep tests: ALU, M, A, loads and stores (misaligned ones too), branches
/// and jumps forwards and backwards, compressed instructions, CSRs, and every synchronous exception of a machine-mode
/// hart but fetch faults and misaligned ones. A handler behind the code looks at the trap CSRs and returns behind the
/// instruction.
namespace wordline::testing::random_code {

using namespace assembler;

constexpr std::uint32_t kCode = 0x1000, kCodeSize = 0x1000, kHandler = 0x1e00, kData = 0x10000000, kDataSize = 0x1000;
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
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::uint32_t end() const { return kCode + starts_.back(); }
  /// A step does. Between the instructions of a step a register may hold bits that only one side has.
  bool begins_at(std::uint32_t pc) const { return std::binary_search(starts_.begin(), starts_.end(), pc - kCode); }

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
    switch (random_.below(18)) {
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
      case 10:
        return emit_csr();
      case 11:
        return random_.below(3) == 0 ? emit_trap() : emit_compressed();
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

  // Bits that the reference has and a machine-mode hart does not have are masked where they are read.
  void emit_csr() {
    constexpr Word kWhole[] = {kMscratch, kMcause, kMtval};
    constexpr Word kOps[] = {1, 2, 3, 5, 6, 7};
    switch (random_.below(6)) {
      case 0:
      case 1:
      case 2:
        return put32(i(static_cast<int>(kWhole[random_.below(3)]), any(), kOps[random_.below(6)], writable(), 0x73));
      case 3: {  // bit 0 of mepc is always 0, in the reference not yet when it is read
        const std::uint32_t rd = writable_not_zero();
        put32(i(static_cast<int>(kMepc), any(), kOps[random_.below(6)], rd, 0x73));
        starts_.back() = here() - 4;  // one step
        return put32(andi(rd, rd, -2));
      }
      case 4:
        return put32(csrrs(writable(), random_.below(2) == 0 ? kMtvec : kMhartid, zero));
      default: {  // MIE and MPIE, or MSIE and MTIE: nothing is ever pending
        const Word csr = random_.below(2) == 0 ? kMstatus : kMie;
        const std::uint32_t rd = writable_not_zero();
        put32(andi(t3, any(), 0x88));
        starts_.back() = here() - 4;  // one step
        put32(random_.below(2) == 0 ? csrrs(rd, csr, t3) : csrrc(rd, csr, t3));
        return put32(andi(rd, rd, 0x88));
      }
    }
  }
  void emit_trap() {
    constexpr Word kIllegal[] = {
        0xffffffff,
        0x0000000b,                         // custom-0
        0x0000007b,                         // custom-3
        i(0, s0, 3, a0, 0x03),              // ld
        i(0, s0, 7, a0, 0x03),              // no load
        s(0, a0, s0, 3),                    // sd
        b(8, a0, a0, 2),                    // no branch
        i(0x020, a0, 1, a0, 0x13),          // slli by 32
        r(0x02, a0, a0, 0, a0, 0x33),       // no operation
        r(0x01 << 2, a0, s0, 3, a0, 0x2f),  // amoswap.d
        r(0x1f << 2, a0, s0, 2, a0, 0x2f),  // no AMO
        i(0, ra, 1, a0, 0x67),              // jalr with funct3
        i(0x340, a0, 4, a0, 0x73),          // no CSR operation
        csrrw(a0, kMhartid, a0),            // read-only
        csrrs(a0, 0x5c0, zero),             // not there
    };
    // Of 0000h Unicorn does not say where, 9c41h it takes for C.SUBW.
    constexpr Word kIllegalShort[] = {0x4002, 0x8002, 0x6081};
    switch (random_.below(7)) {
      case 0:
        return put32(ecall());
      case 1:
        return put32(ebreak());
      case 2:
        return put16(0x9002);  // c.ebreak
      case 3:
        return put16(kIllegalShort[random_.below(3)]);
      case 4:
        return put32(i(random_.within(0, 0x1ff) * 4, zero, random_.below(3), writable(), 0x03));  // nothing is there
      case 5:
        return put32(s(random_.within(0, 0x1ff) * 4, any(), zero, random_.below(3)));
      default:
        return put32(kIllegal[random_.below(sizeof kIllegal / sizeof kIllegal[0])]);
    }
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

/// Writes the trap CSRs into data memory, returns behind the instruction.
inline std::vector<Word> handler() {
  return {csrrs(t5, kMcause, zero),
          sw(t5, 0x7f0, kBase),
          csrrs(t5, kMtval, zero),
          sw(t5, 0x7f4, kBase),
          csrrs(t5, kMstatus, zero),
          andi(t5, t5, 0x88),
          sw(t5, 0x7f8, kBase),
          csrrs(t5, kMepc, zero),
          lhu(t6, 0, t5),
          andi(t6, t6, 3),
          addi(t6, t6, -3),
          i(1, t6, 3, t6, 0x13) /* sltiu: four bytes */,
          add(t6, t6, t6),
          add(t5, t5, t6),
          addi(t5, t5, 2),
          csrrw(zero, kMepc, t5),
          mret()};
}

}  // namespace wordline::testing::random_code
