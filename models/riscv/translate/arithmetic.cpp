// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/translate/arithmetic.h"

namespace wordline::riscv::translate {
namespace {

using asmjit::Imm;
using asmjit::Operand;
using Id = x86::Inst::Id;

/// One instruction of the guest at a time.
class Arithmetic {
 public:
  Arithmetic(const GuestRegisters& registers, const Insn& insn) : r_(registers), a_(registers.a), insn_(insn) {}

  /// rd = rs1 op rs2
  void two(Id id, bool commutes) {
    unsigned first = insn_.rs1, second = insn_.rs2;
    if (commutes && insn_.rd == second) std::swap(first, second);
    const Operand other = r_.source(second);
    if (insn_.rd == first && r_.host(insn_.rd) == nullptr && !other.isMem()) {
      a_.emit(id, r_.home(insn_.rd), other);
      return;
    }
    const x86::Gpd result = insn_.rd == second && first != second ? x86::eax : r_.target(insn_.rd);
    if (insn_.rd != first || r_.host(first) == nullptr) a_.emit(x86::Inst::kIdMov, result, r_.source(first));
    a_.emit(id, result, other);
    r_.finish(insn_.rd, result);
  }
  /// rd = rs1 op constant
  void immediate(Id id, std::uint32_t value) {
    const Imm constant(static_cast<std::int32_t>(value));
    if (insn_.rd == insn_.rs1 && r_.host(insn_.rd) == nullptr) {
      a_.emit(id, r_.home(insn_.rd), constant);
      return;
    }
    const x86::Gpd result = r_.target(insn_.rd);
    if (insn_.rd != insn_.rs1) a_.emit(x86::Inst::kIdMov, result, r_.source(insn_.rs1));
    a_.emit(id, result, constant);
    r_.finish(insn_.rd, result);
  }
  void add_immediate() {
    const x86::Gpd* from = r_.host(insn_.rs1);
    const x86::Gpd* to = r_.host(insn_.rd);
    if (insn_.rs1 == 0) {
      r_.set(insn_.rd, insn_.imm);
    } else if (insn_.imm == 0) {
      copy(insn_.rs1);
    } else if (from != nullptr && to != nullptr && from != to) {
      a_.lea(*to, x86::ptr(from->r64(), static_cast<std::int32_t>(insn_.imm)));
    } else {
      immediate(x86::Inst::kIdAdd, insn_.imm);
    }
  }
  void copy(unsigned from) {
    if (from == insn_.rd) return;
    if (from == 0) return r_.set(insn_.rd, 0);
    const x86::Gpd value = r_.in_register(from, r_.target(insn_.rd));
    r_.finish(insn_.rd, value);
  }
  void add() {
    if (insn_.rs1 == 0) return copy(insn_.rs2);
    if (insn_.rs2 == 0) return copy(insn_.rs1);
    const x86::Gpd *to = r_.host(insn_.rd), *one = r_.host(insn_.rs1), *other = r_.host(insn_.rs2);
    if (to != nullptr && one != nullptr && other != nullptr && to != one && to != other) {
      a_.lea(*to, x86::ptr(one->r64(), other->r64()));
      return;
    }
    two(x86::Inst::kIdAdd, true);
  }
  /// By the low five bits of rs2, as the host does.
  void shift(Id id) {
    a_.emit(x86::Inst::kIdMov, x86::ecx, r_.source(insn_.rs2));
    const x86::Gpd result = r_.target(insn_.rd);
    if (insn_.rd != insn_.rs1 || r_.host(insn_.rd) == nullptr) {
      a_.emit(x86::Inst::kIdMov, result, r_.source(insn_.rs1));
    }
    a_.emit(id, result, x86::cl);
    r_.finish(insn_.rd, result);
  }
  /// rd = rs1 < `other`, signed (setl) or not (setb)
  void less(Id set, const Operand& other) {
    const x86::Gpd value = r_.in_register(insn_.rs1, x86::ecx);
    a_.xor_(x86::eax, x86::eax);
    a_.emit(Id(x86::Inst::kIdCmp), value, other);
    a_.emit(set, x86::al);
    r_.finish(insn_.rd, x86::eax);
  }
  /// The upper half of a product.
  void multiply_high(bool first_signed, bool second_signed) {
    widen(x86::rax, insn_.rs1, first_signed);
    widen(x86::rcx, insn_.rs2, second_signed);
    a_.imul(x86::rax, x86::rcx);
    a_.shr(x86::rax, 32);
    r_.finish(insn_.rd, x86::eax);
  }
  void multiply() {
    const x86::Gpd other = r_.in_register(insn_.rs2, x86::ecx);
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    a_.imul(x86::eax, other);
    r_.finish(insn_.rd, x86::eax);
  }
  /// The host traps where the guest has results: by 0, and the smallest number by -1.
  void divide(bool is_signed, bool remainder) {
    const asmjit::Label by_zero = a_.newLabel(), by_minus_one = a_.newLabel(), done = a_.newLabel();
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    a_.emit(x86::Inst::kIdMov, x86::ecx, r_.source(insn_.rs2));
    a_.test(x86::ecx, x86::ecx);
    a_.jz(by_zero);
    if (is_signed) {
      a_.cmp(x86::ecx, -1);
      a_.je(by_minus_one);
      a_.cdq();
      a_.idiv(x86::ecx);
    } else {
      a_.xor_(x86::edx, x86::edx);
      a_.div(x86::ecx);
    }
    if (remainder) a_.mov(x86::eax, x86::edx);
    a_.jmp(done);
    if (is_signed) {
      a_.bind(by_minus_one);
      if (remainder) {
        a_.xor_(x86::eax, x86::eax);
      } else {
        a_.neg(x86::eax);
      }
      a_.jmp(done);
    }
    a_.bind(by_zero);
    if (!remainder) a_.mov(x86::eax, -1);
    a_.bind(done);
    r_.finish(insn_.rd, x86::eax);
  }
  /// rd = rs2 + (rs1 << by)
  void shift_add(unsigned by) {
    a_.emit(x86::Inst::kIdMov, x86::ecx, r_.source(insn_.rs1));
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs2));
    a_.lea(x86::eax, x86::ptr(x86::rax, x86::rcx, by));
    r_.finish(insn_.rd, x86::eax);
  }
  /// eax = rs2, inverted, op rs1
  void inverted(Id id) {
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs2));
    a_.not_(x86::eax);
    a_.emit(id, x86::eax, r_.source(insn_.rs1));
    r_.finish(insn_.rd, x86::eax);
  }
  /// rs1, or rs2 when the condition of `move` holds for rs1 compared with rs2.
  void select(Id move) {
    const x86::Gpd other = r_.in_register(insn_.rs2, x86::ecx);
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    a_.cmp(x86::eax, other);
    a_.emit(move, x86::eax, other);
    r_.finish(insn_.rd, x86::eax);
  }
  /// `scan` leaves its target as it is, or undefined, when there is no bit: `none` comes in its place.
  void count(Id scan, std::uint32_t none) {
    const x86::Gpd value = r_.in_register(insn_.rs1, x86::ecx);
    a_.mov(x86::edx, none);
    a_.emit(scan, x86::eax, value);
    a_.cmovz(x86::eax, x86::edx);
  }
  void count_leading() {
    count(x86::Inst::kIdBsr, 63);
    a_.xor_(x86::eax, 31);
    r_.finish(insn_.rd, x86::eax);
  }
  void count_trailing() {
    count(x86::Inst::kIdBsf, 32);
    r_.finish(insn_.rd, x86::eax);
  }
  bool count_ones() {
    if (!asmjit::CpuInfo::host().features().x86().hasPOPCNT()) return false;
    const x86::Gpd value = r_.in_register(insn_.rs1, x86::ecx);
    a_.popcnt(x86::eax, value);
    r_.finish(insn_.rd, x86::eax);
    return true;
  }
  void extend(Id id, const x86::Gp& part) {
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    a_.emit(id, x86::eax, part);
    r_.finish(insn_.rd, x86::eax);
  }
  void reverse_bytes() {
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    a_.bswap(x86::eax);
    r_.finish(insn_.rd, x86::eax);
  }
  void invert_second_of_xor() {
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    a_.emit(Id(x86::Inst::kIdXor), x86::eax, r_.source(insn_.rs2));
    a_.not_(x86::eax);
    r_.finish(insn_.rd, x86::eax);
  }
  /// All ones in each byte that has a bit set.
  void or_combine() {
    a_.emit(x86::Inst::kIdMov, x86::eax, r_.source(insn_.rs1));
    for (const int by : {4, 2, 1}) {
      a_.mov(x86::ecx, x86::eax);
      a_.shr(x86::ecx, by);
      a_.or_(x86::eax, x86::ecx);
    }
    a_.and_(x86::eax, 0x01010101);
    a_.imul(x86::eax, x86::eax, 0xff);
    r_.finish(insn_.rd, x86::eax);
  }

 private:
  void widen(const x86::Gpq& to, unsigned reg, bool is_signed) {
    a_.emit(x86::Inst::kIdMov, to.r32(), r_.source(reg));
    if (is_signed) a_.movsxd(to, to.r32());
  }

  const GuestRegisters& r_;
  x86::Assembler& a_;
  const Insn& insn_;
};

}  // namespace

bool emit_arithmetic(const GuestRegisters& registers, Op op, const Insn& insn) {
  namespace I = x86::Inst;
  if (op < Op::kLi || op > Op::kRev8) return false;
  if (insn.rd == 32) return true;  // the result goes nowhere
  Arithmetic it(registers, insn);
  const Imm constant(static_cast<std::int32_t>(insn.imm));
  // clang-format off
  switch (op) {
    case Op::kLi: registers.set(insn.rd, insn.imm); return true;
    case Op::kAddi: it.add_immediate(); return true;
    case Op::kSlti: it.less(I::kIdSetl, constant); return true;
    case Op::kSltiu: it.less(I::kIdSetb, constant); return true;
    case Op::kXori: it.immediate(I::kIdXor, insn.imm); return true;
    case Op::kOri: it.immediate(I::kIdOr, insn.imm); return true;
    case Op::kAndi: it.immediate(I::kIdAnd, insn.imm); return true;
    case Op::kSlli: it.immediate(I::kIdShl, insn.imm); return true;
    case Op::kSrli: it.immediate(I::kIdShr, insn.imm); return true;
    case Op::kSrai: it.immediate(I::kIdSar, insn.imm); return true;
    case Op::kAdd: it.add(); return true;
    case Op::kSub: it.two(I::kIdSub, false); return true;
    case Op::kSll: it.shift(I::kIdShl); return true;
    case Op::kSlt: it.less(I::kIdSetl, registers.source(insn.rs2)); return true;
    case Op::kSltu: it.less(I::kIdSetb, registers.source(insn.rs2)); return true;
    case Op::kXor: it.two(I::kIdXor, true); return true;
    case Op::kSrl: it.shift(I::kIdShr); return true;
    case Op::kSra: it.shift(I::kIdSar); return true;
    case Op::kOr: it.two(I::kIdOr, true); return true;
    case Op::kAnd: it.two(I::kIdAnd, true); return true;
    case Op::kMul: it.multiply(); return true;
    case Op::kMulh: it.multiply_high(true, true); return true;
    case Op::kMulhsu: it.multiply_high(true, false); return true;
    case Op::kMulhu: it.multiply_high(false, false); return true;
    case Op::kDiv: it.divide(true, false); return true;
    case Op::kDivu: it.divide(false, false); return true;
    case Op::kRem: it.divide(true, true); return true;
    case Op::kRemu: it.divide(false, true); return true;
    case Op::kSh1add: it.shift_add(1); return true;
    case Op::kSh2add: it.shift_add(2); return true;
    case Op::kSh3add: it.shift_add(3); return true;
    case Op::kAndn: it.inverted(I::kIdAnd); return true;
    case Op::kOrn: it.inverted(I::kIdOr); return true;
    case Op::kXnor: it.invert_second_of_xor(); return true;
    case Op::kClz: it.count_leading(); return true;
    case Op::kCtz: it.count_trailing(); return true;
    case Op::kCpop: return it.count_ones();
    case Op::kMin: it.select(I::kIdCmovge); return true;
    case Op::kMinu: it.select(I::kIdCmovae); return true;
    case Op::kMax: it.select(I::kIdCmovl); return true;
    case Op::kMaxu: it.select(I::kIdCmovb); return true;
    case Op::kSextB: it.extend(I::kIdMovsx, x86::al); return true;
    case Op::kSextH: it.extend(I::kIdMovsx, x86::ax); return true;
    case Op::kZextH: it.extend(I::kIdMovzx, x86::ax); return true;
    case Op::kRol: it.shift(I::kIdRol); return true;
    case Op::kRor: it.shift(I::kIdRor); return true;
    case Op::kRori: it.immediate(I::kIdRor, insn.imm); return true;
    case Op::kOrcB: it.or_combine(); return true;
    case Op::kRev8: it.reverse_bytes(); return true;
    default: return false;
  }
  // clang-format on
}

}  // namespace wordline::riscv::translate
