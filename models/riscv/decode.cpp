// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/insn.h"

namespace wordline::riscv {
namespace {

constexpr std::uint32_t bits(std::uint32_t value, unsigned high, unsigned low) {
  return (value >> low) & ((2u << (high - low)) - 1u);
}
constexpr std::uint32_t bit(std::uint32_t value, unsigned index) { return (value >> index) & 1u; }
constexpr std::uint32_t sign_extend(std::uint32_t value, unsigned width) {
  const std::uint32_t sign = 1u << (width - 1);
  return (value ^ sign) - sign;
}

// 32-bit formats, for the expansion of compressed instructions
constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t rs2, std::uint32_t rs1, std::uint32_t funct3,
                               std::uint32_t rd, std::uint32_t opcode) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t i_type(std::uint32_t imm, std::uint32_t rs1, std::uint32_t funct3, std::uint32_t rd,
                               std::uint32_t opcode) {
  return (imm & 0xfffu) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t s_type(std::uint32_t imm, std::uint32_t rs2, std::uint32_t rs1, std::uint32_t funct3) {
  return bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | bits(imm, 4, 0) << 7 | 0x23u;
}
constexpr std::uint32_t b_type(std::uint32_t imm, std::uint32_t rs1, std::uint32_t funct3) {
  return bit(imm, 12) << 31 | bits(imm, 10, 5) << 25 | rs1 << 15 | funct3 << 12 | bits(imm, 4, 1) << 8 |
         bit(imm, 11) << 7 | 0x63u;
}
constexpr std::uint32_t j_type(std::uint32_t imm, std::uint32_t rd) {
  return bit(imm, 20) << 31 | bits(imm, 10, 1) << 21 | bit(imm, 11) << 20 | bits(imm, 19, 12) << 12 | rd << 7 | 0x6fu;
}

constexpr std::uint32_t kAddi = 0x13, kLoad = 0x03, kReg = 0x33, kJalr = 0x67, kSp = 2, kRa = 1;

std::uint32_t expand_quadrant0(std::uint32_t c) {
  const std::uint32_t rd = 8 + bits(c, 4, 2), rs1 = 8 + bits(c, 9, 7);
  const std::uint32_t offset = bit(c, 5) << 6 | bits(c, 12, 10) << 3 | bit(c, 6) << 2;
  switch (bits(c, 15, 13)) {
    case 0: {  // c.addi4spn
      const std::uint32_t imm = bits(c, 10, 7) << 6 | bits(c, 12, 11) << 4 | bit(c, 5) << 3 | bit(c, 6) << 2;
      return imm == 0 ? 0 : i_type(imm, kSp, 0, rd, kAddi);
    }
    case 2:
      return i_type(offset, rs1, 2, rd, kLoad);  // c.lw
    case 6:
      return s_type(offset, rd, rs1, 2);  // c.sw
    default:
      return 0;
  }
}

std::uint32_t expand_quadrant1(std::uint32_t c) {
  const std::uint32_t rd = bits(c, 11, 7), rdp = 8 + bits(c, 9, 7), rs2p = 8 + bits(c, 4, 2);
  const std::uint32_t imm6 = sign_extend(bit(c, 12) << 5 | bits(c, 6, 2), 6), shamt = bits(c, 6, 2);
  const std::uint32_t jump = sign_extend(bit(c, 12) << 11 | bit(c, 8) << 10 | bits(c, 10, 9) << 8 | bit(c, 6) << 7 |
                                             bit(c, 7) << 6 | bit(c, 2) << 5 | bit(c, 11) << 4 | bits(c, 5, 3) << 1,
                                         12);
  const std::uint32_t branch =
      sign_extend(bit(c, 12) << 8 | bits(c, 6, 5) << 6 | bit(c, 2) << 5 | bits(c, 11, 10) << 3 | bits(c, 4, 3) << 1, 9);
  switch (bits(c, 15, 13)) {
    case 0:
      return i_type(imm6, rd, 0, rd, kAddi);  // c.addi, c.nop
    case 1:
      return j_type(jump, kRa);  // c.jal
    case 2:
      return i_type(imm6, 0, 0, rd, kAddi);  // c.li
    case 3: {
      if (rd == kSp) {  // c.addi16sp
        const std::uint32_t imm =
            sign_extend(bit(c, 12) << 9 | bits(c, 4, 3) << 7 | bit(c, 5) << 6 | bit(c, 2) << 5 | bit(c, 6) << 4, 10);
        return imm == 0 ? 0 : i_type(imm, kSp, 0, kSp, kAddi);
      }
      return imm6 == 0 ? 0 : (imm6 << 12 | rd << 7 | 0x37u);  // c.lui
    }
    case 4:
      switch (bits(c, 11, 10)) {
        case 0:
          return bit(c, 12) != 0 ? 0 : i_type(shamt, rdp, 5, rdp, kAddi);  // c.srli
        case 1:
          return bit(c, 12) != 0 ? 0 : i_type(0x400u | shamt, rdp, 5, rdp, kAddi);  // c.srai
        case 2:
          return i_type(imm6, rdp, 7, rdp, kAddi);  // c.andi
        default: {
          if (bit(c, 12) != 0) return 0;
          constexpr std::uint32_t kFunct3[4] = {0, 4, 6, 7};  // c.sub, c.xor, c.or, c.and
          const std::uint32_t which = bits(c, 6, 5);
          return r_type(which == 0 ? 0x20u : 0u, rs2p, rdp, kFunct3[which], rdp, kReg);
        }
      }
    case 5:
      return j_type(jump, 0);  // c.j
    case 6:
      return b_type(branch, rdp, 0);  // c.beqz
    default:
      return b_type(branch, rdp, 1);  // c.bnez
  }
}

std::uint32_t expand_quadrant2(std::uint32_t c) {
  const std::uint32_t rd = bits(c, 11, 7), rs2 = bits(c, 6, 2);
  switch (bits(c, 15, 13)) {
    case 0:
      return bit(c, 12) != 0 ? 0 : i_type(rs2, rd, 1, rd, kAddi);  // c.slli
    case 2:                                                        // c.lwsp
      return rd == 0 ? 0 : i_type(bits(c, 3, 2) << 6 | bit(c, 12) << 5 | bits(c, 6, 4) << 2, kSp, 2, rd, kLoad);
    case 4:
      if (bit(c, 12) == 0) {
        if (rs2 != 0) return r_type(0, rs2, 0, 0, rd, kReg);  // c.mv
        return rd == 0 ? 0 : i_type(0, rd, 0, 0, kJalr);      // c.jr
      }
      if (rs2 != 0) return r_type(0, rs2, rd, 0, rd, kReg);  // c.add
      if (rd != 0) return i_type(0, rd, 0, kRa, kJalr);      // c.jalr
      return 0x00100073u;                                    // c.ebreak
    case 6:
      return s_type(bits(c, 8, 7) << 6 | bits(c, 12, 9) << 2, rs2, kSp, 2);  // c.swsp
    default:
      return 0;
  }
}

/// Zbb's operations with one operand, by the field rs2.
Op op_unary(std::uint32_t which) {
  constexpr Op kUnary[6] = {Op::kClz, Op::kCtz, Op::kCpop, Op::kIllegal, Op::kSextB, Op::kSextH};
  return which < 6 ? kUnary[which] : Op::kIllegal;
}

Op op_imm(std::uint32_t raw) {
  const std::uint32_t funct7 = raw >> 25;
  switch (bits(raw, 14, 12)) {
    case 0:
      return Op::kAddi;
    case 1:
      if (funct7 == 0x30) return op_unary(bits(raw, 24, 20));
      return funct7 == 0 ? Op::kSlli : Op::kIllegal;
    case 2:
      return Op::kSlti;
    case 3:
      return Op::kSltiu;
    case 4:
      return Op::kXori;
    case 5:
      if (funct7 == 0x30) return Op::kRori;
      if (raw >> 20 == 0x287) return Op::kOrcB;
      if (raw >> 20 == 0x698) return Op::kRev8;
      return funct7 == 0 ? Op::kSrli : funct7 == 0x20 ? Op::kSrai : Op::kIllegal;
    case 6:
      return Op::kOri;
    default:
      return Op::kAndi;
  }
}

Op op_reg(std::uint32_t raw) {
  constexpr Op kBase[8] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu, Op::kXor, Op::kSrl, Op::kOr, Op::kAnd};
  constexpr Op kInverted[8] = {Op::kSub,  Op::kIllegal, Op::kIllegal, Op::kIllegal,
                               Op::kXnor, Op::kSra,     Op::kOrn,     Op::kAndn};
  constexpr Op kMinMax[8] = {Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal,
                             Op::kMin,     Op::kMinu,    Op::kMax,     Op::kMaxu};
  constexpr Op kMulDiv[8] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu, Op::kDiv, Op::kDivu, Op::kRem, Op::kRemu};
  const std::uint32_t funct3 = bits(raw, 14, 12);
  switch (raw >> 25) {
    case 0:
      return kBase[funct3];
    case 1:
      return kMulDiv[funct3];
    case 0x20:
      return kInverted[funct3];
    case 0x10:
      return funct3 == 2 ? Op::kSh1add : funct3 == 4 ? Op::kSh2add : funct3 == 6 ? Op::kSh3add : Op::kIllegal;
    case 0x05:
      return kMinMax[funct3];
    case 0x30:
      return funct3 == 1 ? Op::kRol : funct3 == 5 ? Op::kRor : Op::kIllegal;
    case 0x04:
      return funct3 == 4 && bits(raw, 24, 20) == 0 ? Op::kZextH : Op::kIllegal;
    default:
      return Op::kIllegal;
  }
}

Op op_system(std::uint32_t raw) {
  switch (raw) {
    case 0x00000073u:
      return Op::kEcall;
    case 0x00100073u:
      return Op::kEbreak;
    case 0x30200073u:
      return Op::kMret;
    case 0x10500073u:
      return Op::kWfi;
    default:
      return bits(raw, 13, 12) != 0 ? Op::kCsr : Op::kIllegal;
  }
}

Op op_atomic(std::uint32_t raw) {
  if (bits(raw, 14, 12) != 2) return Op::kIllegal;
  switch (raw >> 27) {
    case 0x02:
      return bits(raw, 24, 20) == 0 ? Op::kAtomic : Op::kIllegal;  // lr.w
    case 0x00:
    case 0x01:
    case 0x03:
    case 0x04:
    case 0x08:
    case 0x0c:
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1c:
      return Op::kAtomic;
    default:
      return Op::kIllegal;
  }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t raw) {
  switch (raw & 3u) {
    case 0:
      return expand_quadrant0(raw);
    case 1:
      return expand_quadrant1(raw);
    case 2:
      return expand_quadrant2(raw);
    default:
      return 0;
  }
}

Insn decode(std::uint32_t raw, std::uint32_t pc, std::uint32_t mtval) {
  constexpr Op kLoads[8] = {Op::kLb, Op::kLh, Op::kLw, Op::kIllegal, Op::kLbu, Op::kLhu, Op::kIllegal, Op::kIllegal};
  constexpr Op kStores[8] = {Op::kSb,      Op::kSh,      Op::kSw,      Op::kIllegal,
                             Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal};
  constexpr Op kBranches[8] = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal,
                               Op::kBlt, Op::kBge, Op::kBltu,    Op::kBgeu};
  const std::uint32_t funct3 = bits(raw, 14, 12), rd = bits(raw, 11, 7);
  const std::uint32_t imm_i = sign_extend(raw >> 20, 12);
  Insn insn{};
  insn.rd = static_cast<std::uint8_t>(rd == 0 ? 32 : rd);
  insn.rs1 = static_cast<std::uint8_t>(bits(raw, 19, 15));
  insn.rs2 = static_cast<std::uint8_t>(bits(raw, 24, 20));
  insn.imm = imm_i;
  insn.op = Op::kIllegal;
  switch (raw & 0x7fu) {
    case 0x37:  // lui
    case 0x17:  // auipc
      insn.op = Op::kLi;
      insn.imm = (raw & 0xfffff000u) + ((raw & 0x20u) != 0 ? 0 : pc);
      break;
    case 0x13:
      insn.op = op_imm(raw);
      if (funct3 == 1 || funct3 == 5) insn.imm = insn.rs2;
      break;
    case 0x33:
      insn.op = op_reg(raw);
      break;
    case 0x03:
      insn.op = kLoads[funct3];
      break;
    case 0x23:
      insn.op = kStores[funct3];
      insn.imm = sign_extend(raw >> 25 << 5 | rd, 12);
      break;
    case 0x63:
      insn.op = kBranches[funct3];
      insn.imm =
          pc + sign_extend(bit(raw, 31) << 12 | bit(raw, 7) << 11 | bits(raw, 30, 25) << 5 | bits(raw, 11, 8) << 1, 13);
      break;
    case 0x6f:
      insn.op = Op::kJal;
      insn.imm =
          pc +
          sign_extend(bit(raw, 31) << 20 | bits(raw, 19, 12) << 12 | bit(raw, 20) << 11 | bits(raw, 30, 21) << 1, 21);
      break;
    case 0x67:
      if (funct3 == 0) insn.op = Op::kJalr;
      break;
    case 0x0f:
      if (funct3 <= 1) insn.op = funct3 == 0 ? Op::kFence : Op::kFenceI;
      break;
    case 0x73:
      insn.op = op_system(raw);
      insn.imm = raw >> 20 | funct3 << 12;
      break;
    case 0x2f:
      insn.op = op_atomic(raw);
      insn.imm = raw >> 27;
      break;
    default:
      break;
  }
  if (insn.op == Op::kIllegal) insn.imm = mtval;
  return insn;
}

bool ends_block(Op op) {
  switch (op) {
    case Op::kBeq:
    case Op::kBne:
    case Op::kBlt:
    case Op::kBge:
    case Op::kBltu:
    case Op::kBgeu:
    case Op::kJal:
    case Op::kJalr:
    case Op::kFenceI:
    case Op::kEcall:
    case Op::kEbreak:
    case Op::kMret:
    case Op::kWfi:
    case Op::kIllegal:
    case Op::kFetchFault:
    case Op::kEnd:
      return true;
    default:
      return false;
  }
}

Op aligned_only(Op op) {
  switch (op) {
    case Op::kLh:
      return Op::kAlignedLh;
    case Op::kLw:
      return Op::kAlignedLw;
    case Op::kLhu:
      return Op::kAlignedLhu;
    case Op::kSh:
      return Op::kAlignedSh;
    case Op::kSw:
      return Op::kAlignedSw;
    default:
      return op;
  }
}

Op observation_only(const Insn& insn, const ObservationCsrs& csrs) {
  constexpr std::uint32_t kWrite = 1;  // funct3 of csrrw, and of csrrwi but for the bit that says immediate
  if (insn.op != Op::kCsr || insn.rd != 32 || (insn.imm >> 12 & 3u) != kWrite) return insn.op;
  const std::uint32_t csr = insn.imm & 0xfffu;
  if (csr == csrs.tag) return Op::kObserveTag;
  if (csr == csrs.context) return Op::kObserveContext;
  return csr == csrs.mark ? Op::kObserveMark : Op::kCsr;
}

bool is_load(Op op) { return op == Op::kLb || op == Op::kLh || op == Op::kLw || op == Op::kLbu || op == Op::kLhu; }

bool reads(const Insn& insn, unsigned reg) {
  constexpr std::uint32_t kLr = 0x02;
  if (reg == 0) return false;
  switch (insn.op) {
    case Op::kLi:
    case Op::kJal:
    case Op::kFence:
    case Op::kFenceI:
    case Op::kEcall:
    case Op::kEbreak:
    case Op::kMret:
    case Op::kWfi:
    case Op::kIllegal:
    case Op::kFetchFault:
    case Op::kEnd:
      return false;
    case Op::kCsr:
      return !immediate_csr(insn) && insn.rs1 == reg;
    case Op::kAddi:
    case Op::kSlti:
    case Op::kSltiu:
    case Op::kXori:
    case Op::kOri:
    case Op::kAndi:
    case Op::kSlli:
    case Op::kSrli:
    case Op::kSrai:
    case Op::kRori:
    case Op::kClz:
    case Op::kCtz:
    case Op::kCpop:
    case Op::kSextB:
    case Op::kSextH:
    case Op::kZextH:
    case Op::kOrcB:
    case Op::kRev8:
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu:
    case Op::kJalr:
      return insn.rs1 == reg;
    case Op::kAtomic:
      return insn.rs1 == reg || (insn.imm != kLr && insn.rs2 == reg);
    default:  // two operands
      return insn.rs1 == reg || insn.rs2 == reg;
  }
}

std::uint32_t static_cycles(Op op, const CycleCosts& costs) {
  switch (op) {
    case Op::kMul:
    case Op::kMulh:
    case Op::kMulhsu:
    case Op::kMulhu:
      return costs.mul;
    case Op::kDiv:
    case Op::kDivu:
    case Op::kRem:
    case Op::kRemu:
      return costs.div;
    case Op::kBeq:
    case Op::kBne:
    case Op::kBlt:
    case Op::kBge:
    case Op::kBltu:
    case Op::kBgeu:
      return costs.branch_not_taken;
    case Op::kJal:
      return costs.jump;
    case Op::kJalr:
      return costs.jump_register;
    case Op::kFence:
      return costs.fence;
    case Op::kFenceI:
      return costs.fence_i;
    case Op::kMret:
      return costs.mret;
    case Op::kWfi:
      return costs.wfi;
    case Op::kCsr:
    case Op::kObserveTag:
    case Op::kObserveContext:
    case Op::kObserveMark:
      return costs.csr;
    case Op::kAtomic:
      return costs.amo;
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu:
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
    case Op::kAlignedLh:
    case Op::kAlignedLw:
    case Op::kAlignedLhu:
    case Op::kAlignedSh:
    case Op::kAlignedSw:
    case Op::kEcall:
    case Op::kEbreak:
    case Op::kIllegal:
    case Op::kFetchFault:
    case Op::kEnd:
    case Op::kCount:
      return 0;
    default:
      return costs.alu;
  }
}

}  // namespace wordline::riscv
