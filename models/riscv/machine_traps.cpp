// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/machine_traps.h"

namespace wordline::riscv {
namespace {

constexpr std::uint32_t kMstatus = 0x300, kMie = 0x304, kMtvec = 0x305, kMscratch = 0x340, kMepc = 0x341,
                        kMcause = 0x342, kMtval = 0x343, kMip = 0x344;
constexpr std::uint32_t kInterrupts = 1u << kIrqSoftware | 1u << kIrqTimer | 1u << kIrqExternal;
constexpr std::uint32_t kInterruptCause = 0x80000000u;
constexpr std::uint32_t kEnable = 1u << 3, kEnabledBefore = 1u << 7;  // mstatus.MIE, MPIE
constexpr std::uint32_t kMpp = 3u << 11;                              // machine mode, the only one

}  // namespace

std::optional<std::uint32_t> MachineTraps::first() const {
  const std::uint32_t pending = mip_ & mie_;
  for (const std::uint32_t irq : {kIrqExternal, kIrqSoftware, kIrqTimer})
    if ((pending >> irq & 1u) != 0) return kInterruptCause | irq;
  return std::nullopt;
}

std::uint32_t MachineTraps::enter(std::uint32_t cause, std::uint32_t tval, std::uint32_t pc) {
  mepc_ = pc;
  mcause_ = cause;
  mtval_ = tval;
  mstatus_mpie_ = mstatus_mie_;
  mstatus_mie_ = false;
  const bool vectored = (cause & kInterruptCause) != 0 && (mtvec_ & 1u) != 0;
  const std::uint32_t base = mtvec_ & ~3u;
  return vectored ? base + 4 * (cause & 31u) : base;
}

std::uint32_t MachineTraps::leave() {
  mstatus_mie_ = mstatus_mpie_;
  mstatus_mpie_ = true;
  return mepc_;
}

bool MachineTraps::read(std::uint32_t csr, std::uint32_t& value) const {
  switch (csr) {
    case kMstatus:
      value = kMpp | (mstatus_mpie_ ? kEnabledBefore : 0) | (mstatus_mie_ ? kEnable : 0);
      return true;
    case kMie:
      value = mie_;
      return true;
    case kMip:
      value = mip_;
      return true;
    case kMtvec:
      value = mtvec_;
      return true;
    case kMscratch:
      value = mscratch_;
      return true;
    case kMepc:
      value = mepc_;
      return true;
    case kMcause:
      value = mcause_;
      return true;
    case kMtval:
      value = mtval_;
      return true;
    default:
      return false;
  }
}

bool MachineTraps::write(std::uint32_t csr, std::uint32_t value) {
  switch (csr) {
    case kMstatus:
      mstatus_mie_ = (value & kEnable) != 0;
      mstatus_mpie_ = (value & kEnabledBefore) != 0;
      return true;
    case kMie:
      mie_ = value & kInterrupts;
      return true;
    case kMip:
      return true;  // the levels are the hardware's: nothing to set
    case kMtvec:
      mtvec_ = value & ~2u;
      return true;
    case kMscratch:
      mscratch_ = value;
      return true;
    case kMepc:
      mepc_ = value & ~1u;
      return true;
    case kMcause:
      mcause_ = value;
      return true;
    case kMtval:
      mtval_ = value;
      return true;
    default:
      return false;
  }
}

}  // namespace wordline::riscv
