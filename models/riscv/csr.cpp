// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/hart.h"
#include "models/riscv/insn.h"

namespace wordline::riscv {
namespace {

constexpr std::uint32_t kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305, kMstatush = 0x310,
                        kMcountinhibit = 0x320, kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343,
                        kMip = 0x344, kMcycle = 0xb00, kMinstret = 0xb02, kMcycleh = 0xb80, kMinstreth = 0xb82,
                        kCycle = 0xc00, kInstret = 0xc02, kCycleh = 0xc80, kInstreth = 0xc82, kMvendorid = 0xf11,
                        kMarchid = 0xf12, kMimpid = 0xf13, kMhartid = 0xf14, kMconfigptr = 0xf15, kTselect = 0x7a0,
                        kTdata1 = 0x7a1, kTdata2 = 0x7a2, kTdata3 = 0x7a3, kTinfo = 0x7a4, kTcontrol = 0x7a5;
constexpr std::uint32_t kInterrupts = 1u << kIrqSoftware | 1u << kIrqTimer | 1u << kIrqExternal;
constexpr std::uint32_t kMisaValue = 1u << 30 | 1u << 0 | 1u << 2 | 1u << 8 | 1u << 12;  // RV32 A C I M
constexpr std::uint32_t kMpp = 3u << 11;                                                 // machine mode, the only one

bool is_unused_counter(std::uint32_t csr) {  // mhpmcounter3..31, their high halves, mhpmevent3..31
  return (csr >= 0xb03 && csr <= 0xb1f) || (csr >= 0xb83 && csr <= 0xb9f) || (csr >= 0x323 && csr <= 0x33f);
}
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

bool Hart::read_csr(std::uint32_t csr, std::uint32_t& value) const {
  switch (csr) {
    case kMstatus:
      value = kMpp | (mstatus_mpie_ ? 1u << 7 : 0) | (mstatus_mie_ ? 1u << 3 : 0);
      return true;
    case kMisa:
      value = kMisaValue;
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
    case kMcycle:
    case kCycle:
      value = low(cycles_ + mcycle_offset_);
      return true;
    case kMcycleh:
    case kCycleh:
      value = high(cycles_ + mcycle_offset_);
      return true;
    case kMinstret:
    case kInstret:
      value = low(instructions_ + minstret_offset_);
      return true;
    case kMinstreth:
    case kInstreth:
      value = high(instructions_ + minstret_offset_);
      return true;
    case kMhartid:
      value = config_.hart_id;
      return true;
    case kMstatush:
    case kMcountinhibit:
    case kMvendorid:
    case kMarchid:
    case kMimpid:
    case kMconfigptr:
    case kTselect:  // no triggers: tdata1.type 0, "there is no trigger at this tselect"
    case kTdata1:
    case kTdata2:
    case kTdata3:
    case kTcontrol:
      value = 0;
      return true;
    case kTinfo:
      value = 1;  // of no type
      return true;
    default:
      break;
  }
  const ObservationCsrs& observation = config_.observation;
  value = csr == observation.tag ? tag_ : csr == observation.context ? context_ : 0;
  return csr == observation.tag || csr == observation.context || csr == observation.mark || is_unused_counter(csr);
}

bool Hart::write_csr(std::uint32_t csr, std::uint32_t value) {
  if ((csr >> 10) == 3) return false;  // read-only by number
  // A counter that is written holds the written value when the next instruction reads it. The other half of mcycle goes
  // on counting; a write to either half of minstret suppresses the increment of the writing instruction.
  const auto replace = [value](std::uint64_t counter, bool upper) {
    return upper ? (counter & 0xffffffffu) | std::uint64_t{value} << 32 : (counter >> 32 << 32) | value;
  };
  const std::uint64_t next_cycle = cycles_ + config_.costs.csr;
  switch (csr) {
    case kMstatus:
      mstatus_mie_ = (value & 1u << 3) != 0;
      mstatus_mpie_ = (value & 1u << 7) != 0;
      look_around_if_pending();
      return true;
    case kMie:
      mie_ = value & kInterrupts;
      look_around_if_pending();
      return true;
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
    case kMcycle:
    case kMcycleh:
      mcycle_offset_ = replace(next_cycle + mcycle_offset_, csr == kMcycleh) - next_cycle;
      return true;
    case kMinstret:
    case kMinstreth:
      minstret_offset_ = replace(instructions_ + minstret_offset_, csr == kMinstreth) - (instructions_ + 1);
      return true;
    case kMisa:
    case kMip:
    case kMstatush:
    case kMcountinhibit:
    case kTselect:
    case kTdata1:
    case kTdata2:
    case kTdata3:
    case kTinfo:
    case kTcontrol:
      return true;  // WARL: nothing to set
    default:
      break;
  }
  if (csr == config_.observation.tag) return set_tag(value);
  if (csr == config_.observation.context) return set_context(value);
  return csr == config_.observation.mark || is_unused_counter(csr);
}

bool Hart::set_tag(std::uint32_t tag) {
  if (tag >= kTags) return false;
  if (profile_ != nullptr) charge_profile();
  tags_.cycles[tag_] += cycles_ - tag_since_;
  ++tags_.entries[tag];
  tag_since_ = cycles_;
  tag_ = tag;
  return true;
}

bool Hart::set_context(std::uint32_t context) {
  if (context >= kContexts) return false;
  if (profile_ != nullptr) charge_profile();
  context_ = context;
  return true;
}

bool Hart::csr_instruction(const Insn& insn) {
  const std::uint32_t csr = insn.imm & 0xfffu, funct3 = insn.imm >> 12;
  const std::uint32_t operand = (funct3 & 4u) != 0 ? insn.rs1 : x_[insn.rs1];
  const bool writes = (funct3 & 3u) == 1 || insn.rs1 != 0;
  std::uint32_t old = 0;
  if (!read_csr(csr, old)) return false;
  if (writes) {
    const std::uint32_t value = (funct3 & 3u) == 1 ? operand : (funct3 & 3u) == 2 ? old | operand : old & ~operand;
    if (!write_csr(csr, value)) return false;
    if (probe_ != nullptr && csr == config_.observation.tag) probe_->tag(value);
    if (probe_ != nullptr && csr == config_.observation.mark) probe_->mark(value);
  }
  x_[insn.rd] = old;
  return true;
}

}  // namespace wordline::riscv
