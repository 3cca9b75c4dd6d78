// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// RV32IMAC encodings, written from the tables of the Unprivileged ISA manual and not from the decoder under test.
namespace wordline::testing::assembler {

using Word = std::uint32_t;
constexpr unsigned zero = 0, ra = 1, sp = 2, t0 = 5, t1 = 6, t2 = 7, s0 = 8, s1 = 9, a0 = 10, a1 = 11, a2 = 12, a3 = 13,
                   a4 = 14, a5 = 15, t3 = 28, t5 = 30, t6 = 31;

constexpr Word r(Word funct7, Word rs2, Word rs1, Word funct3, Word rd, Word opcode) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word i(int imm, Word rs1, Word funct3, Word rd, Word opcode) {
  return static_cast<Word>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word s(int imm, Word rs2, Word rs1, Word funct3) {
  const Word u = static_cast<Word>(imm);
  return (u >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u & 0x1f) << 7 | 0x23;
}
constexpr Word b(int imm, Word rs2, Word rs1, Word funct3) {
  const Word u = static_cast<Word>(imm);
  return (u >> 12 & 1) << 31 | (u >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u >> 1 & 0xf) << 8 |
         (u >> 11 & 1) << 7 | 0x63;
}

constexpr Word lui(Word rd, Word upper20) { return upper20 << 12 | rd << 7 | 0x37; }
constexpr Word auipc(Word rd, Word upper20) { return upper20 << 12 | rd << 7 | 0x17; }
constexpr Word addi(Word rd, Word rs1, int imm) { return i(imm, rs1, 0, rd, 0x13); }
constexpr Word andi(Word rd, Word rs1, int imm) { return i(imm, rs1, 7, rd, 0x13); }
constexpr Word nop() { return addi(0, 0, 0); }
constexpr Word add(Word rd, Word rs1, Word rs2) { return r(0, rs2, rs1, 0, rd, 0x33); }
constexpr Word mul(Word rd, Word rs1, Word rs2) { return r(1, rs2, rs1, 0, rd, 0x33); }
constexpr Word div(Word rd, Word rs1, Word rs2) { return r(1, rs2, rs1, 4, rd, 0x33); }
constexpr Word lb(Word rd, int imm, Word rs1) { return i(imm, rs1, 0, rd, 0x03); }
constexpr Word lh(Word rd, int imm, Word rs1) { return i(imm, rs1, 1, rd, 0x03); }
constexpr Word lw(Word rd, int imm, Word rs1) { return i(imm, rs1, 2, rd, 0x03); }
constexpr Word lbu(Word rd, int imm, Word rs1) { return i(imm, rs1, 4, rd, 0x03); }
constexpr Word lhu(Word rd, int imm, Word rs1) { return i(imm, rs1, 5, rd, 0x03); }
constexpr Word sb(Word rs2, int imm, Word rs1) { return s(imm, rs2, rs1, 0); }
constexpr Word sh(Word rs2, int imm, Word rs1) { return s(imm, rs2, rs1, 1); }
constexpr Word sw(Word rs2, int imm, Word rs1) { return s(imm, rs2, rs1, 2); }
constexpr Word beq(Word rs1, Word rs2, int offset) { return b(offset, rs2, rs1, 0); }
constexpr Word bne(Word rs1, Word rs2, int offset) { return b(offset, rs2, rs1, 1); }
constexpr Word jal(Word rd, int offset) {
  const Word u = static_cast<Word>(offset);
  return (u >> 20 & 1) << 31 | (u >> 1 & 0x3ff) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}
constexpr Word jalr(Word rd, int imm, Word rs1) { return i(imm, rs1, 0, rd, 0x67); }
constexpr Word fence() { return 0x0ff0000f; }
constexpr Word fence_i() { return 0x0000100f; }
constexpr Word ecall() { return 0x00000073; }
constexpr Word ebreak() { return 0x00100073; }
constexpr Word mret() { return 0x30200073; }
constexpr Word wfi() { return 0x10500073; }
constexpr Word csrrw(Word rd, Word csr, Word rs1) { return i(static_cast<int>(csr), rs1, 1, rd, 0x73); }
constexpr Word csrrs(Word rd, Word csr, Word rs1) { return i(static_cast<int>(csr), rs1, 2, rd, 0x73); }
constexpr Word csrrc(Word rd, Word csr, Word rs1) { return i(static_cast<int>(csr), rs1, 3, rd, 0x73); }
constexpr Word csrrwi(Word rd, Word csr, Word imm) { return i(static_cast<int>(csr), imm, 5, rd, 0x73); }
constexpr Word csrrsi(Word rd, Word csr, Word imm) { return i(static_cast<int>(csr), imm, 6, rd, 0x73); }
constexpr Word csrrci(Word rd, Word csr, Word imm) { return i(static_cast<int>(csr), imm, 7, rd, 0x73); }
constexpr Word amo(Word funct5, Word rd, Word rs2, Word rs1) { return r(funct5 << 2, rs2, rs1, 2, rd, 0x2f); }
constexpr Word lr(Word rd, Word rs1) { return amo(2, rd, 0, rs1); }
constexpr Word sc(Word rd, Word rs2, Word rs1) { return amo(3, rd, rs2, rs1); }

constexpr Word kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305, kMscratch = 0x340, kMepc = 0x341,
               kMcause = 0x342, kMtval = 0x343, kMip = 0x344, kMcycle = 0xb00, kMinstret = 0xb02, kMcycleh = 0xb80,
               kMinstreth = 0xb82, kCycle = 0xc00, kMhartid = 0xf14;

}  // namespace wordline::testing::assembler
