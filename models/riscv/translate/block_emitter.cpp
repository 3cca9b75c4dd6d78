// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/translate/block_emitter.h"

#include "models/riscv/translate/arithmetic.h"

namespace wordline::riscv::translate {
namespace {

const x86::Mem kLimitAt = state_at(offsetof(HartState, limit), 8);
const x86::Mem kCyclesAt = state_at(offsetof(HartState, cycles), 8);
const x86::Mem kInstructionsAt = state_at(offsetof(HartState, instructions), 8);
const x86::Mem kPcAt = state_at(offsetof(HartState, pc), 4);
constexpr std::size_t kObserved = offsetof(HartState, observed);

/// An element of one of Observations' arrays of 64 bits, by the register `index`.
x86::Mem by_tag(std::size_t array, const x86::Gpq& index) {
  return x86::Mem(kState, index, 3, static_cast<std::int32_t>(kObserved + array) - kBias, 8);
}

bool loads(Op op) { return is_load(op) || op == Op::kAlignedLh || op == Op::kAlignedLw || op == Op::kAlignedLhu; }
bool stores(Op op) {
  return op == Op::kSb || op == Op::kSh || op == Op::kSw || op == Op::kAlignedSh || op == Op::kAlignedSw;
}
bool traps_misaligned(Op op) { return op >= Op::kAlignedLh && op <= Op::kAlignedSw; }

/// Every sum of cycles is an immediate operand.
constexpr std::uint64_t kLargestSum = 0x7fffffff;

}  // namespace

BlockEmitter::BlockEmitter(x86::Assembler& assembler, asmjit::Section& seldom, const Surroundings& around, Block& block,
                           const std::uint64_t* runs, std::vector<Exit>& exits)
    : a_(assembler),
      seldom_(seldom),
      around_(around),
      block_(block),
      runs_(runs),
      exits_(exits),
      registers_(assembler) {}

bool BlockEmitter::emit() {
  emit_poll();
  if (slots_.empty()) return false;
  const unsigned first = slots_.front().outside ? 1 : 0;
  if (first == block_.count) return false;
  has_entry_ = first == 0;
  if (has_entry_) emit_entry();
  for (unsigned n = first; n < block_.count; ++n) {
    if (n != 0) {
      const Op before = slots_[n - 1].op;
      if (slots_[n - 1].outside || loads(before) || stores(before)) can_resume(n);
    }
    emit_slot(n);
  }
  const Op last = slots_.back().op;
  if (!ends_block(last)) {
    if (slots_.back().outside || loads(last) || stores(last)) can_resume(block_.count);
    emit_edge(Exit::Kind::kFall);
  }
  a_.section(&seldom_);
  behind_all_ = true;
  for (std::size_t n = 0; n < behind_.size(); ++n) {
    const std::function<void()> emit_it = std::move(behind_[n]);
    emit_it();
  }
  emit_shared();
  return true;
}

void BlockEmitter::emit_poll() {
  const AddressSpace::Slice* slices = around_.memory.slices();
  slots_.resize(block_.count);
  std::uint64_t sum = block_.static_cycles;
  for (unsigned n = 0; n < block_.count; ++n) {
    Slot& slot = slots_[n];
    slot.op = around_.cache.op_of(insn(n));
    slot.assumed = 0;
    switch (slot.op) {
      case Op::kFenceI:
      case Op::kEcall:
      case Op::kEbreak:
      case Op::kMret:
      case Op::kWfi:
      case Op::kCsr:
      case Op::kAtomic:
      case Op::kIllegal:
      case Op::kFetchFault:
        slot.outside = true;
        break;
      case Op::kCpop:
        slot.outside = !asmjit::CpuInfo::host().features().x86().hasPOPCNT();
        break;
      default:  // a load or store that has met no memory yet is one of the bus
        slot.outside = (loads(slot.op) || stores(slot.op)) && insn(n).slice == 0;
        break;
    }
    if (!slot.outside && loads(slot.op)) slot.assumed = slices[insn(n).slice].load_cycles;
    if (!slot.outside && stores(slot.op)) slot.assumed = slices[insn(n).slice].store_cycles;
    sum += slot.assumed;
  }
  const CycleCosts& costs = around_.config.costs;
  if (sum > kLargestSum || costs.branch_taken > kLargestSum || costs.branch_not_taken > kLargestSum) {
    slots_.clear();
    return;
  }
  std::uint32_t later = 0;
  for (unsigned n = block_.count; n-- > 0;) slots_[n].later = later += slots_[n].assumed;
}

void BlockEmitter::emit_entry() {
  const asmjit::Label limit = a_.newLabel();
  a_.cmp(kCycles, kLimitAt);
  a_.jae(limit);
  behind_.push_back([this, limit] {
    a_.bind(limit);
    emit_exit(Exit::Kind::kLimit, 0);
  });
  a_.add(kCycles, block_.static_cycles + slots_.front().later);
  a_.add(kInstructions, block_.count);
  a_.inc(x86::ptr(reinterpret_cast<std::uint64_t>(runs_), 8));
}

void BlockEmitter::emit_slot(unsigned n) {
  const Op op = slots_[n].op;
  if (slots_[n].outside) {
    const asmjit::Label leave = a_.newLabel();
    a_.jmp(leave);
    behind_.push_back([this, n, leave] {
      a_.bind(leave);
      emit_exit_at(n);
    });
    memory_ = 0;
    return;
  }
  if (emit_arithmetic(registers_, op, insn(n))) {
    if (uses_edx(op)) memory_ = 0;
    return;
  }
  switch (op) {
    case Op::kLb:
      return emit_load(n, 0, true);
    case Op::kLbu:
      return emit_load(n, 0, false);
    case Op::kLh:
    case Op::kAlignedLh:
      return emit_load(n, 1, true);
    case Op::kLhu:
    case Op::kAlignedLhu:
      return emit_load(n, 1, false);
    case Op::kLw:
    case Op::kAlignedLw:
      return emit_load(n, 2, false);
    case Op::kSb:
      return emit_store(n, 0);
    case Op::kSh:
    case Op::kAlignedSh:
      return emit_store(n, 1);
    case Op::kSw:
    case Op::kAlignedSw:
      return emit_store(n, 2);
    case Op::kBeq:
      return emit_branch(n, x86::Inst::kIdJe);
    case Op::kBne:
      return emit_branch(n, x86::Inst::kIdJne);
    case Op::kBlt:
      return emit_branch(n, x86::Inst::kIdJl);
    case Op::kBge:
      return emit_branch(n, x86::Inst::kIdJge);
    case Op::kBltu:
      return emit_branch(n, x86::Inst::kIdJb);
    case Op::kBgeu:
      return emit_branch(n, x86::Inst::kIdJae);
    case Op::kJal:
      return emit_jump(n);
    case Op::kJalr:
      return emit_indirect_jump(n);
    case Op::kObserveTag:
    case Op::kObserveContext:
    case Op::kObserveMark:
      return emit_observation(n);
    default:  // Fence: memory is in order
      return;
  }
}

void BlockEmitter::emit_offset(unsigned n, unsigned log2, bool store, const asmjit::Label& slow) {
  const AddressSpace::Slice& slice = around_.memory.slices()[insn(n).slice];
  if (traps_misaligned(slots_[n].op)) {
    registers_.address(insn(n).rs1, insn(n).imm);
    a_.test(x86::al, (1 << log2) - 1);
    const asmjit::Label misaligned = a_.newLabel();
    a_.jnz(misaligned);
    behind_.push_back([this, n, misaligned] {
      a_.bind(misaligned);
      emit_exit_at(n);
    });
    if (slice.base != 0) a_.sub(x86::eax, static_cast<std::int32_t>(slice.base));
  } else {
    registers_.address(insn(n).rs1, insn(n).imm - slice.base);
  }
  a_.cmp(x86::eax, static_cast<std::int32_t>(store ? slice.store_limit[log2] : slice.load_limit[log2]));
  a_.jae(slow);
}

void BlockEmitter::use_memory_of(std::uint8_t slice) {
  if (memory_ == slice) return;
  a_.mov(x86::rdx, reinterpret_cast<std::uint64_t>(around_.memory.slices()[slice].host));
  memory_ = slice;
}

void BlockEmitter::emit_load(unsigned n, unsigned log2, bool is_signed) {
  const Insn& load = insn(n);
  const asmjit::Label slow = a_.newLabel(), back = a_.newLabel();
  emit_offset(n, log2, false, slow);
  use_memory_of(load.slice);
  const x86::Gpd to = registers_.target(load.rd);
  const x86::Mem from(x86::rdx, x86::rax, 0, 0, 1U << log2);
  if (log2 == 2) {
    a_.mov(to, from);
  } else if (is_signed) {
    a_.movsx(to, from);
  } else {
    a_.movzx(to, from);
  }
  registers_.finish(load.rd, to);
  a_.bind(back);
  emit_slow_access(n, log2 | (is_signed ? Access::kSigned : 0) | std::uint32_t{load.rd} << Access::kRegisterShift, slow,
                   back);
}

void BlockEmitter::emit_store(unsigned n, unsigned log2) {
  const Insn& store = insn(n);
  const AddressSpace::Slice& slice = around_.memory.slices()[store.slice];
  const asmjit::Label slow = a_.newLabel(), back = a_.newLabel();
  emit_offset(n, log2, true, slow);
  if (slice.code_lines != nullptr) {
    // This line of the cache and the next, which a misaligned store may reach.
    a_.mov(x86::ecx, x86::eax);
    a_.shr(x86::ecx, kLineShift);
    a_.mov(x86::rdx, reinterpret_cast<std::uint64_t>(slice.code_lines));
    a_.cmp(x86::word_ptr(x86::rdx, x86::rcx), 0);
    a_.jne(slow);
    memory_ = 0;
  }
  use_memory_of(store.slice);
  const x86::Mem to(x86::rdx, x86::rax, 0, 0, 1U << log2);
  if (store.rs2 == 0) {
    a_.mov(to, 0);
  } else {
    const x86::Gpd value = registers_.in_register(store.rs2, x86::ecx);
    if (log2 == 0) {
      a_.mov(to, value.r8());
    } else if (log2 == 1) {
      a_.mov(to, value.r16());
    } else {
      a_.mov(to, value);
    }
  }
  a_.bind(back);
  emit_slow_access(n, log2 | Access::kStore, slow, back);
}

void BlockEmitter::emit_slow_access(unsigned n, std::uint32_t access, const asmjit::Label& slow,
                                    const asmjit::Label& back) {
  behind_.push_back([this, n, access, slow, back] {
    const Insn& it = insn(n);
    const AddressSpace::Slice& slice = around_.memory.slices()[it.slice];
    const asmjit::Label not_done = a_.newLabel();
    a_.bind(slow);
    registers_.address(it.rs1, it.imm);
    if ((access & Access::kStore) != 0) a_.emit(x86::Inst::kIdMov, x86::edx, registers_.source(it.rs2));
    a_.mov(x86::ecx, access);
    a_.call(shared(around_.access));
    a_.test(x86::edx, x86::edx);
    a_.jz(not_done);
    a_.lea(kCycles, x86::ptr(kCycles, x86::rax, 0, -static_cast<std::int32_t>(slots_[n].assumed)));
    if ((access & Access::kStore) == 0 && it.rd != 32) {
      if (const x86::Gpd* in = registers_.host(it.rd)) a_.mov(*in, registers_.home(it.rd));
    }
    a_.mov(x86::rdx, reinterpret_cast<std::uint64_t>(slice.host));  // as the code behind has it
    a_.jmp(back);
    a_.bind(not_done);
    emit_exit_at(n);
  });
}

void BlockEmitter::emit_observation(unsigned n) {
  const Insn& write = insn(n);
  if (immediate_csr(write)) {
    a_.mov(x86::ecx, write.rs1);
  } else {
    a_.emit(x86::Inst::kIdMov, x86::ecx, registers_.source(write.rs1));
  }
  memory_ = 0;
  const asmjit::Label reported = a_.newLabel(), back = a_.newLabel();
  if (slots_[n].op == Op::kObserveMark) {
    a_.jmp(reported);
  } else {
    emit_unreported(n, reported);
  }
  a_.bind(back);
  behind_.push_back([this, n, reported, back] {
    a_.bind(reported);
    emit_told(n);
    a_.jmp(back);
  });
}

void BlockEmitter::emit_told(unsigned n) {
  const InsnInfo& info = block_.info[n];
  const std::int32_t cycles = cycles_ahead(n);
  const auto instructions = static_cast<std::int32_t>(block_.count - info.index);
  a_.mov(x86::edx, x86::ecx);
  a_.sub(kCycles, cycles);
  a_.mov(kCyclesAt, kCycles);
  a_.sub(kInstructions, instructions);
  a_.mov(kInstructionsAt, kInstructions);
  a_.mov(kPcAt, block_.pc + info.offset);
  a_.call(shared(around_.observe[static_cast<unsigned>(slots_[n].op) - static_cast<unsigned>(Op::kObserveTag)]));
  const asmjit::Label refused = a_.newLabel(), after = a_.newLabel();
  a_.test(x86::eax, x86::eax);
  a_.jnz(refused);
  a_.cmp(kCycles, kLimitAt);
  a_.jae(after);
  a_.add(kCycles, cycles);
  a_.add(kInstructions, instructions);
  behind_.push_back([this, n, cycles, instructions, refused, after] {
    const asmjit::Label thrown = a_.newLabel();
    a_.bind(refused);
    a_.cmp(x86::eax, static_cast<std::int32_t>(Observed::kThrown));
    a_.je(thrown);
    a_.add(kCycles, cycles);
    a_.add(kInstructions, instructions);
    emit_exit_at(n);
    a_.bind(thrown);
    emit_exit(Exit::Kind::kThrown, n);
    a_.bind(after);
    a_.add(kInstructions, instructions);
    emit_exit(Exit::Kind::kAfter, n);
  });
}

// With the limit reached, too, it is the whole way that stops behind the instruction.
void BlockEmitter::emit_unreported(unsigned n, const asmjit::Label& reported) {
  const bool tag = slots_[n].op == Op::kObserveTag;
  const auto at = [](std::size_t member, std::uint32_t bytes) { return state_at(kObserved + member, bytes); };
  if (!tag) {
    a_.cmp(at(offsetof(Observations, reported_contexts), 4), 0);
    a_.jne(reported);
    a_.cmp(x86::ecx, static_cast<std::int32_t>(kContexts));
  } else {
    a_.mov(x86::rdx, at(offsetof(Observations, reported_tags), 8));
    a_.bt(x86::rdx, x86::rcx);
    a_.jc(reported);
    a_.cmp(x86::ecx, static_cast<std::int32_t>(kTags));
  }
  a_.jae(reported);
  a_.lea(x86::rax, x86::ptr(kCycles, -cycles_ahead(n)));
  a_.cmp(x86::rax, kLimitAt);
  a_.jae(reported);
  if (!tag) {
    a_.mov(at(offsetof(Observations, context), 4), x86::ecx);
    return;
  }
  a_.mov(x86::edx, at(offsetof(Observations, tag), 4));
  a_.add(by_tag(offsetof(Observations, cycles), x86::rdx), x86::rax);
  a_.sub(by_tag(offsetof(Observations, cycles), x86::rcx), x86::rax);
  a_.inc(by_tag(offsetof(Observations, entries), x86::rcx));
  a_.mov(at(offsetof(Observations, tag), 4), x86::ecx);
}

void BlockEmitter::emit_branch(unsigned n, x86::Inst::Id jump) {
  const Insn& branch = insn(n);
  const auto extra = static_cast<std::int32_t>(around_.config.costs.branch_taken) -
                     static_cast<std::int32_t>(around_.config.costs.branch_not_taken);
  const asmjit::Label taken = a_.newLabel();
  a_.emit(x86::Inst::kIdCmp, registers_.in_register(branch.rs1, x86::eax), registers_.source(branch.rs2));
  a_.emit(jump, taken);
  emit_edge(Exit::Kind::kFall);
  a_.bind(taken);
  if (extra != 0) a_.add(kCycles, extra);
  emit_edge(Exit::Kind::kTaken);
}

void BlockEmitter::emit_jump(unsigned n) {
  registers_.set(insn(n).rd, block_.end_pc);
  emit_edge(Exit::Kind::kTaken);
}

void BlockEmitter::emit_indirect_jump(unsigned n) {
  constexpr std::int32_t kMask = 2 * (static_cast<std::int32_t>(CodeMemory::kTargets) - 1);
  static_assert(sizeof(CodeMemory::Target) == 16, "an even pc times 8 is where its entry lies");
  const Insn& jump = insn(n);
  const asmjit::Label elsewhere = a_.newLabel();
  registers_.address(jump.rs1, jump.imm);
  a_.and_(x86::eax, ~1);
  registers_.set(jump.rd, block_.end_pc);
  a_.mov(x86::ecx, x86::eax);
  a_.and_(x86::ecx, kMask);
  a_.mov(x86::rdx, reinterpret_cast<std::uint64_t>(around_.targets));
  a_.cmp(x86::dword_ptr(x86::rdx, x86::rcx, 3), x86::eax);
  a_.jne(elsewhere);
  a_.jmp(x86::qword_ptr(x86::rdx, x86::rcx, 3, offsetof(CodeMemory::Target, code)));
  behind_.push_back([this, n, elsewhere] {
    a_.bind(elsewhere);
    a_.mov(kPcAt, x86::eax);
    emit_exit(Exit::Kind::kIndirect, n);
  });
}

void BlockEmitter::emit_edge(Exit::Kind kind) {
  const asmjit::Label unlinked = a_.newLabel();
  a_.jmp(unlinked);  // a near jump, with its distance in the last four bytes: Translator::link()
  const std::uint32_t jump = here() - 4;
  behind_.push_back([this, kind, jump, unlinked] {
    a_.bind(unlinked);
    emit_exit(kind, block_.count - 1, jump);
  });
}

void BlockEmitter::emit_exit(Exit::Kind kind, unsigned slot, std::uint32_t jump) {
  a_.mov(x86::eax, static_cast<std::uint32_t>(exits_.size()));
  exits_.push_back({kind, static_cast<std::uint8_t>(slot), jump, &block_});
  a_.jmp(shared(around_.leave));
}

x86::Mem BlockEmitter::shared(std::uint64_t code) {
  for (const auto& [known, label] : shared_)
    if (known == code) return x86::qword_ptr(label);
  shared_.emplace_back(code, a_.newLabel());
  return x86::qword_ptr(shared_.back().second);
}

void BlockEmitter::emit_shared() {
  for (const auto& [code, label] : shared_) {
    a_.bind(label);
    a_.embedUInt64(code);
  }
}

void BlockEmitter::emit_exit_at(unsigned n) {
  if (slots_[n].later != 0) a_.sub(kCycles, slots_[n].later);
  emit_exit(Exit::Kind::kAt, n);
}

void BlockEmitter::can_resume(unsigned slot) {
  const std::uint32_t later = slot == block_.count ? 0 : slots_[slot].later;
  if (later == 0 && memory_ == 0) {
    resumes_.push_back({slot, here()});
    return;
  }
  const asmjit::Label body = a_.newLabel();
  a_.bind(body);
  behind_.push_back([this, slot, later, memory = memory_, body] {
    resumes_.push_back({slot, here()});
    if (later != 0) a_.add(kCycles, later);
    if (memory != 0) a_.mov(x86::rdx, reinterpret_cast<std::uint64_t>(around_.memory.slices()[memory].host));
    a_.jmp(body);
  });
}

}  // namespace wordline::riscv::translate
