// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/translate/guest_registers.h"

namespace wordline::riscv::translate {

const std::array<GuestRegisters::Placed, 9>& GuestRegisters::placed() {
  static const std::array<Placed, 9> kPlaced{{{2, x86::ebx},
                                              {8, x86::r12d},
                                              {9, x86::r13d},
                                              {10, x86::r14d},
                                              {11, x86::r15d},
                                              {12, x86::esi},
                                              {13, x86::edi},
                                              {14, x86::r8d},
                                              {15, x86::r9d}}};
  return kPlaced;
}

const x86::Gpd* GuestRegisters::host(unsigned reg) {
  if (reg == 2) return &placed()[0].host;
  return reg >= 8 && reg <= 15 ? &placed()[reg - 7].host : nullptr;
}

asmjit::Operand GuestRegisters::source(unsigned reg) {
  if (reg == 0) return asmjit::Imm(0);
  if (const x86::Gpd* in = host(reg)) return *in;
  return home(reg);
}

x86::Gpd GuestRegisters::in_register(unsigned reg, const x86::Gpd& scratch) const {
  if (const x86::Gpd* in = host(reg)) return *in;
  a.emit(x86::Inst::kIdMov, scratch, source(reg));
  return scratch;
}

void GuestRegisters::finish(unsigned rd, const x86::Gpd& from) const {
  if (rd == 32) return;
  const x86::Gpd* in = host(rd);
  if (in == nullptr) {
    a.mov(home(rd), from);
  } else if (*in != from) {
    a.mov(*in, from);
  }
}

void GuestRegisters::set(unsigned rd, std::uint32_t value) const {
  if (rd == 32) return;
  if (const x86::Gpd* in = host(rd)) {
    a.mov(*in, value);
  } else {
    a.mov(home(rd), value);
  }
}

void GuestRegisters::address(unsigned reg, std::uint32_t offset) const {
  const auto disp = static_cast<std::int32_t>(offset);
  if (reg == 0) {
    a.mov(x86::eax, offset);
  } else if (const x86::Gpd* in = host(reg)) {
    a.lea(x86::eax, x86::ptr(in->r64(), disp));
  } else {
    a.mov(x86::eax, home(reg));
    if (disp != 0) a.add(x86::eax, disp);
  }
}

}  // namespace wordline::riscv::translate
