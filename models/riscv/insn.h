// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/riscv/hart.h"

/// Decoded instructions. Private to models/riscv and its tests.
namespace wordline::riscv {

// clang-format off
#define WORDLINE_RISCV_OPS(X)                                                                                      \
  X(Li) X(Addi) X(Slti) X(Sltiu) X(Xori) X(Ori) X(Andi) X(Slli) X(Srli) X(Srai)                                    \
  X(Add) X(Sub) X(Sll) X(Slt) X(Sltu) X(Xor) X(Srl) X(Sra) X(Or) X(And)                                            \
  X(Mul) X(Mulh) X(Mulhsu) X(Mulhu) X(Div) X(Divu) X(Rem) X(Remu)                                                  \
  X(Sh1add) X(Sh2add) X(Sh3add) X(Andn) X(Orn) X(Xnor) X(Clz) X(Ctz) X(Cpop) X(Min) X(Minu) X(Max) X(Maxu)         \
  X(SextB) X(SextH) X(ZextH) X(Rol) X(Ror) X(Rori) X(OrcB) X(Rev8)                                                 \
  X(Lb) X(Lh) X(Lw) X(Lbu) X(Lhu) X(Sb) X(Sh) X(Sw)                                                                \
  X(Beq) X(Bne) X(Blt) X(Bge) X(Bltu) X(Bgeu) X(Jal) X(Jalr)                                                       \
  X(Fence) X(FenceI) X(Ecall) X(Ebreak) X(Mret) X(Wfi) X(Csr) X(Atomic)                                            \
  X(Illegal) X(FetchFault) X(End) X(AlignedLh) X(AlignedLw) X(AlignedLhu) X(AlignedSh) X(AlignedSw)                \
  X(ObserveTag) X(ObserveContext) X(ObserveMark)
// clang-format on

/// Li: lui, auipc and c.li, imm = the value. End: no instruction; the block goes on in the next one. AlignedLh and so
/// on: the same without Aligned, but for a misaligned address, which traps. ObserveTag and so on: a Csr that writes an
/// observation CSR and reads nothing. decode() does not make these two kinds.
enum class Op : std::uint8_t {
#define X(name) k##name,
  WORDLINE_RISCV_OPS(X)
#undef X
      kCount
};

/// One executed slot. imm: operand; target address of branches and Jal; CSR number | funct3 << 12; funct5 of Atomic;
/// mtval of Illegal and FetchFault.
/// The op is needed no more once there is a handler: loads and stores keep the memory region they used last.
struct Insn {
  const void* handler;
  std::uint32_t imm;
  std::uint8_t rd;  // 32 instead of x0
  std::uint8_t rs1, rs2;
  union {
    Op op;
    std::uint8_t slice;
  };
};

/// What only slow paths need to know about a slot.
struct InsnInfo {
  std::uint16_t offset;  // bytes from the block's pc
  std::uint16_t index;   // instructions before it
  std::uint32_t before;  // static cycles before it
  std::uint32_t resume;  // where translated code goes on with it (Translator::run()); 0: nowhere
};

/// Expands a compressed instruction; 0 (itself illegal) when it is reserved or needs F or D.
[[nodiscard]] std::uint32_t expand_compressed(std::uint16_t raw);

/// Decodes a 32-bit instruction (or an expanded one) at `pc`. Sets everything but `handler`; what is not RV32IMA +
/// Zicsr + Zifencei + Zba + Zbb becomes Illegal with imm = `mtval`.
[[nodiscard]] Insn decode(std::uint32_t raw, std::uint32_t pc, std::uint32_t mtval);

/// The instruction ends a basic block.
[[nodiscard]] bool ends_block(Op op);

/// The variant of a load or store that traps when it is misaligned; others are returned as they are.
[[nodiscard]] Op aligned_only(Op op);

/// The variant of a Csr that only writes an observation CSR; others are returned as they are.
[[nodiscard]] Op observation_only(const Insn& insn, const ObservationCsrs& csrs);

/// A CSR instruction with an immediate in place of rs1.
[[nodiscard]] constexpr bool immediate_csr(const Insn& insn) { return (insn.imm >> 12 & 4u) != 0; }

/// A load into a register, LR apart.
[[nodiscard]] bool is_load(Op op);

/// `insn` has `reg` (not x0) among its operands.
[[nodiscard]] bool reads(const Insn& insn, unsigned reg);

/// Cycles known at decode: a branch as not taken, nothing for loads, stores and what traps.
[[nodiscard]] std::uint32_t static_cycles(Op op, const CycleCosts& costs);

}  // namespace wordline::riscv
