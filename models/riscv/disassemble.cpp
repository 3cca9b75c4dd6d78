// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/disassemble.h"

#include <fmt/core.h>

#include <cctype>

#include "models/riscv/insn.h"

namespace wordline::riscv {
namespace {

std::string name_of(Op op) {
#define X(name) #name,
  static const char* const kNames[] = {WORDLINE_RISCV_OPS(X)};
#undef X
  std::string name = kNames[static_cast<unsigned>(op)];
  // "OrcB" is orc.b, "SextH" sext.h; of the others only the first letter is large.
  for (std::size_t i = name.size(); i-- > 1;)
    if (std::isupper(static_cast<unsigned char>(name[i])) != 0) name.insert(i, ".");
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

const char* atomic_name(std::uint32_t funct5) {
  switch (funct5) {
    case 0x00:
      return "amoadd.w";
    case 0x01:
      return "amoswap.w";
    case 0x02:
      return "lr.w";
    case 0x03:
      return "sc.w";
    case 0x04:
      return "amoxor.w";
    case 0x08:
      return "amoor.w";
    case 0x0c:
      return "amoand.w";
    case 0x10:
      return "amomin.w";
    case 0x14:
      return "amomax.w";
    case 0x18:
      return "amominu.w";
    default:
      return "amomaxu.w";
  }
}

std::string csr_text(const Insn& insn) {
  static const char* const kNames[8] = {"", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"};
  const std::uint32_t funct3 = insn.imm >> 12;
  const std::string operand = (funct3 & 4u) != 0 ? std::to_string(insn.rs1) : register_name(insn.rs1);
  return fmt::format("{} {}, {:#x}, {}", kNames[funct3], register_name(insn.rd), insn.imm & 0xfffu, operand);
}

}  // namespace

const char* register_name(unsigned index) {
  static const char* const kNames[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                         "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                         "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return kNames[index < 32 ? index : 0];
}

const char* cause_name(std::uint32_t cause) {
  switch (cause) {
    case kCauseFetchFault:
      return "instruction access fault";
    case kCauseIllegal:
      return "illegal instruction";
    case kCauseBreakpoint:
      return "breakpoint";
    case kCauseLoadMisaligned:
      return "misaligned load";
    case kCauseLoadFault:
      return "load access fault";
    case kCauseStoreMisaligned:
      return "misaligned store";
    case kCauseStoreFault:
      return "store access fault";
    case kCauseEcall:
      return "environment call";
    default:
      return "exception";
  }
}

std::string disassemble(std::uint32_t raw, std::uint32_t pc) {
  if ((raw & 3u) != 3u) raw = expand_compressed(static_cast<std::uint16_t>(raw));
  const Insn insn = decode(raw, pc, 0);
  std::string name = name_of(insn.op);
  const char* const rd = register_name(insn.rd);
  const char* const rs1 = register_name(insn.rs1);
  const char* const rs2 = register_name(insn.rs2);
  const auto immediate = static_cast<std::int32_t>(insn.imm);
  switch (insn.op) {
    case Op::kIllegal:
      return "illegal";
    case Op::kLi:
      return fmt::format("{} {}, {:#x}", (raw & 0x20u) != 0 ? "lui" : "auipc", rd, raw >> 12);
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu:
    case Op::kJalr:
      return fmt::format("{} {}, {}({})", name, rd, immediate, rs1);
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
      return fmt::format("{} {}, {}({})", name, rs2, immediate, rs1);
    case Op::kBeq:
    case Op::kBne:
    case Op::kBlt:
    case Op::kBge:
    case Op::kBltu:
    case Op::kBgeu:
      return fmt::format("{} {}, {}, {:#x}", name, rs1, rs2, insn.imm);
    case Op::kJal:
      return fmt::format("{} {}, {:#x}", name, rd, insn.imm);
    case Op::kCsr:
      return csr_text(insn);
    case Op::kAtomic:
      if (insn.imm == 0x02) return fmt::format("{} {}, ({})", atomic_name(insn.imm), rd, rs1);  // lr.w has no rs2
      return fmt::format("{} {}, {}, ({})", atomic_name(insn.imm), rd, rs2, rs1);
    case Op::kFenceI:
      return "fence.i";
    case Op::kFence:
    case Op::kEcall:
    case Op::kEbreak:
    case Op::kMret:
    case Op::kWfi:
      return name;
    default:
      break;
  }
  if ((insn.op >= Op::kClz && insn.op <= Op::kCpop) || (insn.op >= Op::kSextB && insn.op <= Op::kZextH) ||
      insn.op >= Op::kOrcB)
    return fmt::format("{} {}, {}", name, rd, rs1);
  if ((raw & 0x7fu) == 0x13u) return fmt::format("{} {}, {}, {}", name, rd, rs1, immediate);
  return fmt::format("{} {}, {}, {}", name, rd, rs1, rs2);
}

}  // namespace wordline::riscv
