// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "models/riscv/block_cache.h"
#include "models/riscv/hart.h"
#include "models/riscv/translate/translator.h"

namespace wordline::riscv {
namespace {

constexpr bool likely(bool condition) { return __builtin_expect(condition ? 1 : 0, 1) != 0; }
constexpr bool unlikely(bool condition) { return __builtin_expect(condition ? 1 : 0, 0) != 0; }
constexpr std::int32_t s32(std::uint32_t value) { return static_cast<std::int32_t>(value); }

std::uint32_t divide(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return ~0u;
  if (a == 0x80000000u && b == ~0u) return a;
  return static_cast<std::uint32_t>(s32(a) / s32(b));
}
std::uint32_t remainder(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return a;
  if (a == 0x80000000u && b == ~0u) return 0;
  return static_cast<std::uint32_t>(s32(a) % s32(b));
}

std::uint32_t count_leading(std::uint32_t value) {
  return value == 0 ? 32 : static_cast<std::uint32_t>(__builtin_clz(value));
}
std::uint32_t count_trailing(std::uint32_t value) {
  return value == 0 ? 32 : static_cast<std::uint32_t>(__builtin_ctz(value));
}
std::uint32_t rotate_right(std::uint32_t value, std::uint32_t by) {
  return value >> (by & 31u) | value << ((32u - by) & 31u);
}
/// All ones in each byte that has a bit set.
std::uint32_t or_combine_bytes(std::uint32_t value) {
  std::uint32_t low = value | value >> 4;
  low |= low >> 2;
  low |= low >> 1;
  return (low & 0x01010101u) * 0xffu;
}

}  // namespace

StopReason Hart::run(std::uint64_t max_cycles) {
  target_ = max_cycles > ~state_.cycles ? ~std::uint64_t{0} : state_.cycles + max_cycles;
  return execute();
}

// Threaded dispatch: every handler jumps to the next one by itself, so the host predicts each jump by its own history.
// Inside, `cycles` and `retired` are those of the whole block; LEAVE_BLOCK takes back what did not run.
StopReason Hart::execute() {
#define X(name) &&do_##name,
  static const void* const kHandlers[] = {WORDLINE_RISCV_OPS(X)};
#undef X
  static_assert(sizeof(kHandlers) / sizeof(kHandlers[0]) == static_cast<std::size_t>(Op::kCount), "a handler per op");
  cache_->set_handlers(kHandlers);

  std::uint32_t* const x = state_.x;
  Translator* const translator = cache_->translator();
  const AddressSpace::Slice* const slices = memory_.slices();
  bool cached = config_.block_cache;
  std::uint64_t hot = ~std::uint64_t{0};  // executions after which a block is to run translated
  const std::uint64_t taken_extra =
      std::uint64_t{config_.costs.branch_taken} - std::uint64_t{config_.costs.branch_not_taken};
  std::uint64_t cycles = 0, retired = 0;
  Block* block = nullptr;
  Insn* insn = nullptr;
  std::uint32_t address = 0, cause = 0, tval = 0, translated = 0;

#define NEXT()            \
  do {                    \
    ++insn;               \
    goto * insn->handler; \
  } while (false)
// Members as of the moment before / after this slot's instruction.
#define SYNC_BEFORE()                                              \
  do {                                                             \
    const InsnInfo& here = block->info[insn - block->insns];       \
    state_.cycles = cycles - (block->static_cycles - here.before); \
    state_.instructions = retired - (block->count - here.index);   \
    state_.pc = block->pc + here.offset;                           \
  } while (false)
#define RELOAD_CYCLES() cycles = state_.cycles + (block->static_cycles - block->info[insn - block->insns].before)
#define SYNC_END()                 \
  do {                             \
    state_.cycles = cycles;        \
    state_.instructions = retired; \
    state_.pc = block->end_pc;     \
  } while (false)

look_around:  // members are exact, no block is held
  if (unlikely(feed_.on())) {
    charge_profile();
    feed_.begin(state_.pc);
  }
  if (unlikely(code_written_ || cache_->full())) {
    cache_->flush();
    code_written_ = false;
  }
  if (stop_requested_) {
    stop_requested_ = false;
    return StopReason::kStopRequested;
  }
  if (waiting_) {
    if (!traps_.pending()) return StopReason::kWfi;
    waiting_ = false;
  }
  if (unlikely(debug_ != nullptr) && debug_->held()) return StopReason::kHeld;
  if (traps_.deliverable()) {
    if (const auto interrupt = traps_.first(); interrupt && !take_trap(*interrupt, 0)) return StopReason::kLockup;
  }
  if (state_.cycles >= target_) return StopReason::kBudget;
  state_.limit = target_;
  if (unlikely(feed_.on() || debug_ != nullptr)) {
    if (debug_ != nullptr) {
      debug_->before_instruction();
      if (stop_requested_ || (debug_ != nullptr && debug_->held())) goto look_around;
    }
    feed_.begin(state_.pc);                               // an interrupt or a debugger may have changed it just now
    state_.limit = std::min(target_, state_.cycles + 1);  // poll at the next block
  }
  cached = config_.block_cache && debug_ == nullptr;
  hot = cached && translator != nullptr && !feed_.on() ? config_.translate_after : ~std::uint64_t{0};
  cycles = state_.cycles;
  retired = state_.instructions;
  block = cached ? cache_->find(state_.pc) : cache_->decode_one(state_.pc);

// At the end of every handler that leaves a block: a dispatch of its own is what the host can predict.
#define ENTER()                                       \
  do {                                                \
    if (unlikely(cycles >= state_.limit)) goto leave; \
    if (block->executions >= hot) goto enter_hot;     \
    BEGIN();                                          \
  } while (false)
#define BEGIN()                     \
  do {                              \
    cycles += block->static_cycles; \
    retired += block->count;        \
    ++block->executions;            \
    insn = block->insns;            \
    goto * insn->handler;           \
  } while (false)
#define FOLLOW(link)                                      \
  do {                                                    \
    if (unlikely(block->link == nullptr)) goto no_##link; \
    block = block->link;                                  \
    ENTER();                                              \
  } while (false)
  ENTER();

enter_hot:
  if (unlikely(!block->translated)) translator->translate(*block);
  if (block->entry == 0) BEGIN();  // only the rest of it has been translated, or nothing
  translated = block->entry;

// clang-format off
run_translated: {
  // clang-format on
  state_.cycles = cycles;
  state_.instructions = retired;
  const Exit& exit = translator->run(translated);
  block = exit.block;
  insn = block->insns + exit.slot;
  cycles = state_.cycles;
  retired = state_.instructions;
  switch (exit.kind) {
    case Exit::Kind::kLimit:
      goto leave;
    case Exit::Kind::kAt:
      goto * insn->handler;
    case Exit::Kind::kAfter:
      goto after_slow;
    case Exit::Kind::kThrown:
      translator->rethrow();
    case Exit::Kind::kTaken:
      if (block->taken == nullptr) block->taken = cache_->find(insn->imm);
      block = block->taken;
      break;
    case Exit::Kind::kFall:
      if (block->fall == nullptr) block->fall = cache_->find(block->end_pc);
      block = block->fall;
      break;
    case Exit::Kind::kIndirect:
      block = block->taken = cache_->find(state_.pc);
      break;
  }
  translator->link(exit, *block);
  ENTER();
}

leave:
  state_.cycles = cycles;
  state_.instructions = retired;
  state_.pc = block->pc;
  if (unlikely(feed_.on())) {
    const bool through_register = insn->handler == &&do_Jalr;
    if (through_register || insn->handler == &&do_Jal) {
      const ProfileFeed::Jump jump = feed_.jump_of(insn->rd, insn->rs1, through_register);
      if (jump.calls || jump.returns) {
        charge_profile();
        feed_.follow(jump, x[insn->rd], state_.pc);
      }
    }
  }
  goto look_around;
no_taken:
  block = cached ? block->taken = cache_->find(insn->imm) : cache_->decode_one(insn->imm);
  ENTER();
no_fall:
  block = cached ? block->fall = cache_->find(block->end_pc) : cache_->decode_one(block->end_pc);
  ENTER();

trap:  // members are those before the instruction; cause and tval are set
  if (probe_ != nullptr && !probe_->exception(cause, tval)) {
    address = state_.pc;
    if (debug_ != nullptr) debug_->exception(cause);
    if (state_.pc == address) return StopReason::kException;
    goto look_around;
  }
  if (!take_trap(cause, tval)) return StopReason::kLockup;
  goto look_around;

after_slow:  // an access that may have asked for attention is done: leave here, not at the end of the block
  // A profile and a debugger poll at every block (state_.limit below target_): that alone must not split one.
  if (unlikely(state_.cycles >= state_.limit) && (state_.limit == 0 || state_.cycles >= target_)) {
    ++insn;
    cycles = state_.cycles + (block->static_cycles - block->info[insn - 1 - block->insns].before);
    SYNC_BEFORE();
    goto look_around;
  }
  RELOAD_CYCLES();
  translated = block->info[insn - block->insns + 1].resume;
  if (translated != 0) goto run_translated;
  NEXT();

// clang-format off
do_Li:    x[insn->rd] = insn->imm; NEXT();
do_Addi:  x[insn->rd] = x[insn->rs1] + insn->imm; NEXT();
do_Slti:  x[insn->rd] = s32(x[insn->rs1]) < s32(insn->imm) ? 1 : 0; NEXT();
do_Sltiu: x[insn->rd] = x[insn->rs1] < insn->imm ? 1 : 0; NEXT();
do_Xori:  x[insn->rd] = x[insn->rs1] ^ insn->imm; NEXT();
do_Ori:   x[insn->rd] = x[insn->rs1] | insn->imm; NEXT();
do_Andi:  x[insn->rd] = x[insn->rs1] & insn->imm; NEXT();
do_Slli:  x[insn->rd] = x[insn->rs1] << insn->imm; NEXT();
do_Srli:  x[insn->rd] = x[insn->rs1] >> insn->imm; NEXT();
do_Srai:  x[insn->rd] = static_cast<std::uint32_t>(s32(x[insn->rs1]) >> insn->imm); NEXT();
do_Add:   x[insn->rd] = x[insn->rs1] + x[insn->rs2]; NEXT();
do_Sub:   x[insn->rd] = x[insn->rs1] - x[insn->rs2]; NEXT();
do_Sll:   x[insn->rd] = x[insn->rs1] << (x[insn->rs2] & 31u); NEXT();
do_Slt:   x[insn->rd] = s32(x[insn->rs1]) < s32(x[insn->rs2]) ? 1 : 0; NEXT();
do_Sltu:  x[insn->rd] = x[insn->rs1] < x[insn->rs2] ? 1 : 0; NEXT();
do_Xor:   x[insn->rd] = x[insn->rs1] ^ x[insn->rs2]; NEXT();
do_Srl:   x[insn->rd] = x[insn->rs1] >> (x[insn->rs2] & 31u); NEXT();
do_Sra:   x[insn->rd] = static_cast<std::uint32_t>(s32(x[insn->rs1]) >> (x[insn->rs2] & 31u)); NEXT();
do_Or:    x[insn->rd] = x[insn->rs1] | x[insn->rs2]; NEXT();
do_And:   x[insn->rd] = x[insn->rs1] & x[insn->rs2]; NEXT();
do_Sh1add: x[insn->rd] = (x[insn->rs1] << 1) + x[insn->rs2]; NEXT();
do_Sh2add: x[insn->rd] = (x[insn->rs1] << 2) + x[insn->rs2]; NEXT();
do_Sh3add: x[insn->rd] = (x[insn->rs1] << 3) + x[insn->rs2]; NEXT();
do_Andn:  x[insn->rd] = x[insn->rs1] & ~x[insn->rs2]; NEXT();
do_Orn:   x[insn->rd] = x[insn->rs1] | ~x[insn->rs2]; NEXT();
do_Xnor:  x[insn->rd] = ~(x[insn->rs1] ^ x[insn->rs2]); NEXT();
do_Clz:   x[insn->rd] = count_leading(x[insn->rs1]); NEXT();
do_Ctz:   x[insn->rd] = count_trailing(x[insn->rs1]); NEXT();
do_Cpop:  x[insn->rd] = static_cast<std::uint32_t>(__builtin_popcount(x[insn->rs1])); NEXT();
do_Min:   x[insn->rd] = s32(x[insn->rs1]) < s32(x[insn->rs2]) ? x[insn->rs1] : x[insn->rs2]; NEXT();
do_Minu:  x[insn->rd] = std::min(x[insn->rs1], x[insn->rs2]); NEXT();
do_Max:   x[insn->rd] = s32(x[insn->rs1]) < s32(x[insn->rs2]) ? x[insn->rs2] : x[insn->rs1]; NEXT();
do_Maxu:  x[insn->rd] = std::max(x[insn->rs1], x[insn->rs2]); NEXT();
do_SextB: x[insn->rd] = static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(x[insn->rs1])}); NEXT();
do_SextH: x[insn->rd] = static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(x[insn->rs1])}); NEXT();
do_ZextH: x[insn->rd] = x[insn->rs1] & 0xffffu; NEXT();
do_Rol:   x[insn->rd] = rotate_right(x[insn->rs1], 0u - x[insn->rs2]); NEXT();
do_Ror:   x[insn->rd] = rotate_right(x[insn->rs1], x[insn->rs2]); NEXT();
do_Rori:  x[insn->rd] = rotate_right(x[insn->rs1], insn->imm); NEXT();
do_OrcB:  x[insn->rd] = or_combine_bytes(x[insn->rs1]); NEXT();
do_Rev8:  x[insn->rd] = __builtin_bswap32(x[insn->rs1]); NEXT();
do_Mul:   x[insn->rd] = x[insn->rs1] * x[insn->rs2]; NEXT();
do_Mulh:
  x[insn->rd] = static_cast<std::uint32_t>((std::int64_t{s32(x[insn->rs1])} * std::int64_t{s32(x[insn->rs2])}) >> 32);
  NEXT();
do_Mulhsu:
  x[insn->rd] = static_cast<std::uint32_t>((std::int64_t{s32(x[insn->rs1])} * std::int64_t{x[insn->rs2]}) >> 32);
  NEXT();
do_Mulhu:
  x[insn->rd] = static_cast<std::uint32_t>((std::uint64_t{x[insn->rs1]} * std::uint64_t{x[insn->rs2]}) >> 32);
  NEXT();
do_Div:   x[insn->rd] = divide(x[insn->rs1], x[insn->rs2]); NEXT();
do_Divu:  x[insn->rd] = x[insn->rs2] == 0 ? ~0u : x[insn->rs1] / x[insn->rs2]; NEXT();
do_Rem:   x[insn->rd] = remainder(x[insn->rs1], x[insn->rs2]); NEXT();
do_Remu:  x[insn->rd] = x[insn->rs2] == 0 ? x[insn->rs1] : x[insn->rs1] % x[insn->rs2]; NEXT();
// clang-format on

// The slice is the region this instruction used last, so the host need not wait for the address to find the memory.
#define LOAD(type, size_log2, self)                                                             \
  address = x[insn->rs1] + insn->imm;                                                           \
  {                                                                                             \
    const AddressSpace::Slice& slice = slices[insn->slice];                                     \
    const std::uint32_t offset = address - slice.base;                                          \
    if (likely(offset < slice.load_limit[size_log2])) {                                         \
      type value;                                                                               \
      std::memcpy(&value, slice.host + offset, sizeof value);                                   \
      x[insn->rd] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));               \
      cycles += slice.load_cycles;                                                              \
      NEXT();                                                                                   \
    }                                                                                           \
  }                                                                                             \
  if (const std::uint8_t found = memory_.slice_of(address); insn->slice != found) {             \
    insn->slice = found;                                                                        \
    goto self;                                                                                  \
  }                                                                                             \
  SYNC_BEFORE();                                                                                \
  cause = port_.load(address, sizeof(type), tval);                                              \
  if (cause != 0) {                                                                             \
    tval = address;                                                                             \
    goto trap;                                                                                  \
  }                                                                                             \
  x[insn->rd] = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<type>(tval))); \
  goto after_slow

#define STORE(type, size_log2, self)                                                                              \
  address = x[insn->rs1] + insn->imm;                                                                             \
  {                                                                                                               \
    const AddressSpace::Slice& slice = slices[insn->slice];                                                       \
    const std::uint32_t offset = address - slice.base;                                                            \
    if (likely(offset < slice.store_limit[size_log2])) {                                                          \
      const type value = static_cast<type>(x[insn->rs2]);                                                         \
      std::memcpy(slice.host + offset, &value, sizeof value);                                                     \
      cycles += slice.store_cycles;                                                                               \
      if (unlikely(slice.code_lines != nullptr)) port_.note_code_written(offset, sizeof value, slice.code_lines); \
      NEXT();                                                                                                     \
    }                                                                                                             \
  }                                                                                                               \
  if (const std::uint8_t found = memory_.slice_of(address); insn->slice != found) {                               \
    insn->slice = found;                                                                                          \
    goto self;                                                                                                    \
  }                                                                                                               \
  SYNC_BEFORE();                                                                                                  \
  cause = port_.store(address, sizeof(type), static_cast<type>(x[insn->rs2]));                                    \
  if (cause != 0) {                                                                                               \
    tval = address;                                                                                               \
    goto trap;                                                                                                    \
  }                                                                                                               \
  goto after_slow

do_Lb:
  LOAD(std::int8_t, 0, do_Lb);
do_Lh:
  LOAD(std::int16_t, 1, do_Lh);
do_Lw:
  LOAD(std::uint32_t, 2, do_Lw);
do_Lbu:
  LOAD(std::uint8_t, 0, do_Lbu);
do_Lhu:
  LOAD(std::uint16_t, 1, do_Lhu);
do_Sb:
  STORE(std::uint8_t, 0, do_Sb);
do_Sh:
  STORE(std::uint16_t, 1, do_Sh);
do_Sw:
  STORE(std::uint32_t, 2, do_Sw);

#define ALIGNED(self, mask, misaligned)                                      \
  if (unlikely(((x[insn->rs1] + insn->imm) & (mask)) != 0)) goto misaligned; \
  goto self

do_AlignedLh:
  ALIGNED(do_Lh, 1, load_misaligned);
do_AlignedLw:
  ALIGNED(do_Lw, 3, load_misaligned);
do_AlignedLhu:
  ALIGNED(do_Lhu, 1, load_misaligned);
do_AlignedSh:
  ALIGNED(do_Sh, 1, store_misaligned);
do_AlignedSw:
  ALIGNED(do_Sw, 3, store_misaligned);
load_misaligned:
  SYNC_BEFORE();
  cause = kCauseLoadMisaligned;
  tval = x[insn->rs1] + insn->imm;
  goto trap;
store_misaligned:
  SYNC_BEFORE();
  cause = kCauseStoreMisaligned;
  tval = x[insn->rs1] + insn->imm;
  goto trap;

#define BRANCH(condition)  \
  if (condition) {         \
    cycles += taken_extra; \
    FOLLOW(taken);         \
  }                        \
  FOLLOW(fall)

do_Beq:
  BRANCH(x[insn->rs1] == x[insn->rs2]);
do_Bne:
  BRANCH(x[insn->rs1] != x[insn->rs2]);
do_Blt:
  BRANCH(s32(x[insn->rs1]) < s32(x[insn->rs2]));
do_Bge:
  BRANCH(s32(x[insn->rs1]) >= s32(x[insn->rs2]));
do_Bltu:
  BRANCH(x[insn->rs1] < x[insn->rs2]);
do_Bgeu:
  BRANCH(x[insn->rs1] >= x[insn->rs2]);
do_Jal:
  x[insn->rd] = block->end_pc;
  FOLLOW(taken);
do_Jalr:
  address = (x[insn->rs1] + insn->imm) & ~1u;
  x[insn->rd] = block->end_pc;
  if (likely(block->taken != nullptr && block->taken->pc == address)) {
    block = block->taken;
    ENTER();
  }
  block = cached ? block->taken = cache_->find(address) : cache_->decode_one(address);
  ENTER();
do_End:
  FOLLOW(fall);
do_Fence:
  NEXT();

#define OBSERVE(which)                                                                         \
  SYNC_BEFORE();                                                                               \
  if (unlikely(!observe(which, immediate_csr(*insn) ? insn->rs1 : x[insn->rs1]))) goto no_csr; \
  goto after_slow

do_FenceI:
  SYNC_END();
  code_written_ = true;
  goto look_around;
do_Wfi:
  SYNC_END();
  waiting_ = true;
  goto look_around;
do_Mret:
  SYNC_END();
  state_.pc = traps_.leave();
  if (unlikely(feed_.on())) {
    charge_profile();
    feed_.follow({false, true}, 0, state_.pc);
  }
  goto look_around;
do_Csr:
  SYNC_BEFORE();
  if (unlikely(!csr_instruction(*insn))) goto no_csr;
  goto after_slow;
do_ObserveTag:
  OBSERVE(Op::kObserveTag);
do_ObserveContext:
  OBSERVE(Op::kObserveContext);
do_ObserveMark:
  OBSERVE(Op::kObserveMark);
no_csr:
  cause = kCauseIllegal;
  std::memcpy(&tval, host_pointer(state_.pc, 4), 4);  // no CSR instruction is compressed
  goto trap;
do_Atomic:
  SYNC_BEFORE();
  cause = port_.atomic(insn->imm, x[insn->rs1], x[insn->rs2], tval);
  if (unlikely(cause != 0)) {
    tval = x[insn->rs1];
    goto trap;
  }
  x[insn->rd] = tval;
  goto after_slow;

do_Ecall:
  SYNC_BEFORE();
  cause = kCauseEcall;
  tval = 0;
  goto trap;
do_Ebreak:
  SYNC_BEFORE();
  if (config_.stop_on_ebreak) return StopReason::kEbreak;
  cause = kCauseBreakpoint;
  tval = state_.pc;
  goto trap;
do_Illegal:
  SYNC_BEFORE();
  cause = kCauseIllegal;
  tval = insn->imm;
  goto trap;
do_FetchFault:
  SYNC_BEFORE();
  cause = kCauseFetchFault;
  tval = insn->imm;
  goto trap;

#undef NEXT
#undef SYNC_BEFORE
#undef RELOAD_CYCLES
#undef SYNC_END
#undef LOAD
#undef STORE
#undef ALIGNED
#undef BRANCH
#undef OBSERVE
#undef ENTER
#undef BEGIN
#undef FOLLOW
}

}  // namespace wordline::riscv
