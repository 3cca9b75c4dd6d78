// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/hart.h"
#include "models/riscv/insn.h"

namespace wordline::riscv {
namespace {

constexpr std::uint32_t kMisa = 0x301, kMstatush = 0x310, kMcountinhibit = 0x320, kMcycle = 0xb00, kMinstret = 0xb02,
                        kMcycleh = 0xb80, kMinstreth = 0xb82, kCycle = 0xc00, kInstret = 0xc02, kCycleh = 0xc80,
                        kInstreth = 0xc82, kMvendorid = 0xf11, kMarchid = 0xf12, kMimpid = 0xf13, kMhartid = 0xf14,
                        kMconfigptr = 0xf15, kTselect = 0x7a0, kTdata1 = 0x7a1, kTdata2 = 0x7a2, kTdata3 = 0x7a3,
                        kTinfo = 0x7a4, kTcontrol = 0x7a5;
constexpr std::uint32_t kMisaValue = 1u << 30 | 1u << 0 | 1u << 2 | 1u << 8 | 1u << 12;  // RV32 A C I M

bool is_unused_counter(std::uint32_t csr) {  // mhpmcounter3..31, their high halves, mhpmevent3..31
  return (csr >= 0xb03 && csr <= 0xb1f) || (csr >= 0xb83 && csr <= 0xb9f) || (csr >= 0x323 && csr <= 0x33f);
}
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

bool Hart::read_csr(std::uint32_t csr, std::uint32_t& value) const {
  switch (csr) {
    case kMisa:
      value = kMisaValue;
      return true;
    case kMcycle:
    case kCycle:
      value = low(state_.cycles + mcycle_offset_);
      return true;
    case kMcycleh:
    case kCycleh:
      value = high(state_.cycles + mcycle_offset_);
      return true;
    case kMinstret:
    case kInstret:
      value = low(state_.instructions + minstret_offset_);
      return true;
    case kMinstreth:
    case kInstreth:
      value = high(state_.instructions + minstret_offset_);
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
  // The CSRs that firmware writes most come before those of traps.
  const ObservationCsrs& observation = config_.observation;
  if (csr == observation.tag || csr == observation.context || csr == observation.mark) {
    value = csr == observation.tag ? tags_.tag() : csr == observation.context ? tags_.context() : 0;
    return true;
  }
  if (traps_.read(csr, value)) return true;
  value = 0;
  return is_unused_counter(csr);
}

bool Hart::write_csr(std::uint32_t csr, std::uint32_t value) {
  if ((csr >> 10) == 3) return false;  // read-only by number
  // A counter that is written holds the written value when the next instruction reads it. The other half of mcycle goes
  // on counting; a write to either half of minstret suppresses the increment of the writing instruction.
  const auto replace = [value](std::uint64_t counter, bool upper) {
    return upper ? (counter & 0xffffffffu) | std::uint64_t{value} << 32 : (counter >> 32 << 32) | value;
  };
  const std::uint64_t next_cycle = state_.cycles + config_.costs.csr;
  switch (csr) {
    case kMcycle:
    case kMcycleh:
      mcycle_offset_ = replace(next_cycle + mcycle_offset_, csr == kMcycleh) - next_cycle;
      return true;
    case kMinstret:
    case kMinstreth:
      minstret_offset_ = replace(state_.instructions + minstret_offset_, csr == kMinstreth) - (state_.instructions + 1);
      return true;
    case kMisa:
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
  const ObservationCsrs& observation = config_.observation;
  if (csr == observation.tag || csr == observation.context) {
    if (feed_.on()) charge_profile();
    return csr == observation.tag ? tags_.set_tag(value, state_.cycles) : tags_.set_context(value);
  }
  if (traps_.write(csr, value)) {
    if (traps_.deliverable()) state_.limit = 0;
    return true;
  }
  return csr == observation.mark || is_unused_counter(csr);
}

bool Hart::observe(Op which, std::uint32_t value) {
  if (which == Op::kObserveMark) {
    if (probe_ != nullptr) probe_->mark(value);
    return true;
  }
  if (feed_.on()) charge_profile();
  if (which == Op::kObserveTag) {
    if (!tags_.set_tag(value, state_.cycles)) return false;
    if (probe_ != nullptr && (state_.observed.reported_tags >> value & 1u) != 0) probe_->tag(value);
    return true;
  }
  if (!tags_.set_context(value)) return false;
  if (probe_ != nullptr && state_.observed.reported_contexts != 0) probe_->context(value);
  return true;
}

bool Hart::csr_instruction(const Insn& insn) {
  const std::uint32_t csr = insn.imm & 0xfffu, funct3 = insn.imm >> 12;
  const std::uint32_t operand = (funct3 & 4u) != 0 ? insn.rs1 : state_.x[insn.rs1];
  const bool writes = (funct3 & 3u) == 1 || insn.rs1 != 0;
  std::uint32_t old = 0;
  if (!read_csr(csr, old)) return false;
  if (writes) {
    const std::uint32_t value = (funct3 & 3u) == 1 ? operand : (funct3 & 3u) == 2 ? old | operand : old & ~operand;
    const ObservationCsrs& observation = config_.observation;
    const bool observes = csr == observation.tag || csr == observation.context || csr == observation.mark;
    const Op which = csr == observation.tag    ? Op::kObserveTag
                     : csr == observation.mark ? Op::kObserveMark
                                               : Op::kObserveContext;
    if (!(observes ? observe(which, value) : write_csr(csr, value))) return false;
  }
  state_.x[insn.rd] = old;
  return true;
}

}  // namespace wordline::riscv
