// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/translate/translator.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/riscv/translate/block_emitter.h"
#include "models/riscv/translate/code_memory.h"

namespace wordline::riscv {

using namespace translate;

namespace {

struct Accessed {  // rax and rdx
  std::uint64_t cycles;
  std::uint64_t done;
};

/// An error of the assembler is one of this code.
struct Errors : asmjit::ErrorHandler {
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    throw std::logic_error(std::string("translation of firmware: ") + message);
  }
};

}  // namespace

class Translator::Impl {
 public:
  explicit Impl(Hart& hart) : hart_(hart) {}

  void translate(Block& block);
  const Exit& run(std::uint32_t from) { return exits_[enter_(&hart_.state_, memory_.at(from))]; }
  void link(const Exit& exit, const Block& to);
  [[noreturn]] void rethrow() { std::rethrow_exception(std::exchange(thrown_, nullptr)); }
  [[nodiscard]] bool full() const { return full_; }
  void forget();
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::size_t bytes() const { return ready_ ? memory_.used() : 0; }

 private:
  using Enter = std::uint64_t (*)(HartState*, const std::byte* code);
  // More than any block needs: the longest has some 32 stores that each check for code and have a slow way.
  static constexpr std::size_t kRoomForBlock = 16384;

  /// Memory, and the code that all blocks share; false: there is no memory.
  bool prepare();
  /// `emit`: with an assembler and the section for what runs seldom.
  template <typename Emit>
  std::byte* place(Emit emit);
  void emit_enter(x86::Assembler& a);
  void emit_leave(x86::Assembler& a);
  void emit_access(x86::Assembler& a);
  void emit_observe(x86::Assembler& a, Op which);
  static Accessed access(Impl* self, std::uint32_t what, std::uint32_t address, std::uint32_t value) noexcept;
  static Observed observe(Impl* self, std::uint32_t which, std::uint32_t value) noexcept;

  Hart& hart_;
  CodeMemory memory_;
  asmjit::CodeHolder holder_;
  Errors errors_;
  std::vector<Exit> exits_;
  Enter enter_ = nullptr;
  std::unique_ptr<Surroundings> around_;
  std::exception_ptr thrown_;
  std::uint64_t blocks_ = 0;
  bool ready_ = false, refused_ = false, full_ = false;
  bool touched_ = false;  // there is something to forget
};

template <typename Emit>
std::byte* Translator::Impl::place(Emit emit) {
  std::byte* const at = memory_.next();
  holder_.reset(asmjit::ResetPolicy::kSoft);
  holder_.init(asmjit::Environment::host(), reinterpret_cast<std::uint64_t>(at));
  holder_.setErrorHandler(&errors_);
  asmjit::Section* seldom = nullptr;
  holder_.newSection(&seldom, ".seldom");
  seldom->setOffset(static_cast<std::uint64_t>(memory_.next_seldom() - at));
  x86::Assembler a(&holder_);
  emit(a, *seldom);
  holder_.resolveUnresolvedLinks();
  holder_.relocateToBase(reinterpret_cast<std::uint64_t>(at));
  const std::size_t often_size = holder_.textSection()->bufferSize(), seldom_size = seldom->bufferSize();
  if (std::max(often_size, seldom_size) > memory_.room()) {
    throw std::logic_error("a block's translation is larger than expected");
  }
  holder_.copySectionData(at, often_size, holder_.textSection()->id());
  holder_.copySectionData(memory_.next_seldom(), seldom_size, seldom->id());
  holder_.detach(&a);
  memory_.take(often_size, seldom_size);
  return at;
}

bool Translator::Impl::prepare() {
  if (!memory_.reserve()) return false;
  enter_ = reinterpret_cast<Enter>(place([this](x86::Assembler& a, asmjit::Section&) { emit_enter(a); }));
  const auto address = [](const std::byte* code) { return reinterpret_cast<std::uint64_t>(code); };
  const std::uint64_t leave = address(place([this](x86::Assembler& a, asmjit::Section&) { emit_leave(a); }));
  const std::uint64_t access = address(place([this](x86::Assembler& a, asmjit::Section&) { emit_access(a); }));
  around_ = std::make_unique<Surroundings>(
      Surroundings{hart_.config_, hart_.memory_, *hart_.cache_, memory_.targets(), leave, access, {}});
  for (unsigned n = 0; n < around_->observe.size(); ++n) {
    const Op which = static_cast<Op>(static_cast<unsigned>(Op::kObserveTag) + n);
    around_->observe[n] =
        address(place([this, which](x86::Assembler& a, asmjit::Section&) { emit_observe(a, which); }));
  }
  memory_.keep();
  return ready_ = true;
}

// The calling convention is that of System V: rdi, rsi, rdx, rcx; rbx, rbp and r12 to r15 are kept.
void Translator::Impl::emit_enter(x86::Assembler& a) {
  for (const x86::Gpq& reg : {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15}) a.push(reg);
  a.sub(x86::rsp, 8);  // calls from translated code find the stack aligned
  a.mov(x86::rax, x86::rsi);
  a.lea(kState, x86::ptr(x86::rdi, kBias));
  for (const auto& [guest, host] : GuestRegisters::placed()) a.mov(host, GuestRegisters::home(guest));
  a.mov(kCycles, state_at(offsetof(HartState, cycles), 8));
  a.mov(kInstructions, state_at(offsetof(HartState, instructions), 8));
  a.jmp(x86::rax);
}

void Translator::Impl::emit_leave(x86::Assembler& a) {
  for (const auto& [guest, host] : GuestRegisters::placed()) a.mov(GuestRegisters::home(guest), host);
  a.mov(state_at(offsetof(HartState, cycles), 8), kCycles);
  a.mov(state_at(offsetof(HartState, instructions), 8), kInstructions);
  a.add(x86::rsp, 8);
  for (const x86::Gpq& reg : {x86::r15, x86::r14, x86::r13, x86::r12, x86::rbp, x86::rbx}) a.pop(reg);
  a.ret();
}

void Translator::Impl::emit_access(x86::Assembler& a) {
  a.push(kCycles);
  a.push(kInstructions);
  a.sub(x86::rsp, 8);
  const auto& placed = GuestRegisters::placed();
  for (std::size_t n = GuestRegisters::kKept; n < placed.size(); ++n) {
    a.mov(GuestRegisters::home(placed[n].guest), placed[n].host);
  }
  a.mov(x86::rdi, reinterpret_cast<std::uint64_t>(this));
  a.mov(x86::esi, x86::ecx);
  a.mov(x86::ecx, x86::edx);
  a.mov(x86::edx, x86::eax);
  a.mov(x86::rax, reinterpret_cast<std::uint64_t>(&Impl::access));
  a.call(x86::rax);
  for (std::size_t n = GuestRegisters::kKept; n < placed.size(); ++n) {
    a.mov(placed[n].host, GuestRegisters::home(placed[n].guest));
  }
  a.add(x86::rsp, 8);
  a.pop(kInstructions);
  a.pop(kCycles);
  a.ret();
}

void Translator::Impl::emit_observe(x86::Assembler& a, Op which) {
  a.sub(x86::rsp, 8);
  const auto& placed = GuestRegisters::placed();
  // All of them: a callback may read the hart.
  for (const auto& [guest, host] : placed) a.mov(GuestRegisters::home(guest), host);
  a.mov(x86::rdi, reinterpret_cast<std::uint64_t>(this));
  a.mov(x86::esi, static_cast<std::uint32_t>(which));
  a.mov(x86::rax, reinterpret_cast<std::uint64_t>(&Impl::observe));
  a.call(x86::rax);
  for (std::size_t n = GuestRegisters::kKept; n < placed.size(); ++n) {
    a.mov(placed[n].host, GuestRegisters::home(placed[n].guest));
  }
  a.mov(kCycles, state_at(offsetof(HartState, cycles), 8));  // which Hart::stall() may have changed
  a.mov(kInstructions, state_at(offsetof(HartState, instructions), 8));
  a.add(x86::rsp, 8);
  a.ret();
}

// Memory of another region than the one that the instruction has used last, or a store near code. Never the bus.
Accessed Translator::Impl::access(Impl* self, std::uint32_t what, std::uint32_t address, std::uint32_t value) noexcept {
  Hart& hart = self->hart_;
  const AddressSpace::Slice& slice = hart.memory_.slices()[hart.memory_.slice_of(address)];
  const std::uint32_t offset = address - slice.base, log2 = what & Access::kSize, bytes = 1u << log2;
  if ((what & Access::kStore) != 0) {
    if (offset >= slice.store_limit[log2]) return {0, 0};
    std::memcpy(slice.host + offset, &value, bytes);
    if (slice.code_lines != nullptr) hart.port_.note_code_written(offset, bytes, slice.code_lines);
    return {slice.store_cycles, 1};
  }
  if (offset >= slice.load_limit[log2]) return {0, 0};
  std::uint32_t loaded = 0;
  std::memcpy(&loaded, slice.host + offset, bytes);
  if ((what & Access::kSigned) != 0) {
    const std::uint32_t sign = 1u << (8 * bytes - 1);
    loaded = (loaded ^ sign) - sign;
  }
  hart.state_.x[what >> Access::kRegisterShift] = loaded;
  return {slice.load_cycles, 1};
}

// An exception must not pass through translated code, which has no unwind tables.
Observed Translator::Impl::observe(Impl* self, std::uint32_t which, std::uint32_t value) noexcept {
  try {
    return self->hart_.observe(static_cast<Op>(which), value) ? Observed::kDone : Observed::kRefused;
  } catch (...) {
    self->thrown_ = std::current_exception();
    return Observed::kThrown;
  }
}

void Translator::Impl::translate(Block& block) {
  block.translated = true;
  if (refused_ || full_) return;
  if (!ready_ && !prepare()) {
    refused_ = true;
    return;
  }
  touched_ = true;
  std::uint64_t* const runs = memory_.counter();
  if (runs == nullptr || memory_.room() < kRoomForBlock) {
    full_ = true;
    hart_.state_.limit = 0;  // the hart forgets everything before the next block
    return;
  }
  const std::size_t exits = exits_.size();
  bool has_entry = false;
  bool emitted = false;
  std::vector<BlockEmitter::Resume> resumes;
  const std::uint32_t at = memory_.offset(place([&](x86::Assembler& a, asmjit::Section& seldom) {
    BlockEmitter emitter(a, seldom, *around_, block, runs, exits_);
    emitted = emitter.emit();
    has_entry = emitter.has_entry();
    resumes = emitter.resumes();
  }));
  if (!emitted) return;
  ++blocks_;
  for (std::size_t n = exits; n < exits_.size(); ++n) exits_[n].jump += at;
  for (const BlockEmitter::Resume& resume : resumes) block.info[resume.slot].resume = at + resume.offset;
  if (!has_entry) return;
  block.translated_runs = runs;
  block.entry = at;
  memory_.set_target(block.pc, memory_.at(at));
}

void Translator::Impl::link(const Exit& exit, const Block& to) {
  if (to.entry == 0) return;
  if (exit.kind == Exit::Kind::kIndirect) {
    memory_.set_target(to.pc, memory_.at(to.entry));
    return;
  }
  const std::uint32_t distance = to.entry - (exit.jump + 4);
  std::memcpy(memory_.at(exit.jump), &distance, sizeof distance);
}

void Translator::Impl::forget() {
  if (!touched_) return;
  touched_ = false;
  memory_.forget();
  exits_.clear();
  full_ = false;
}

std::string Translator::why_not() {
  CodeMemory trial;
  return trial.reserve() ? "" : "this host gives no memory that is both writable and executable";
}

Translator::Translator(Hart& hart) : impl_(std::make_unique<Impl>(hart)) {}
Translator::~Translator() = default;
void Translator::translate(Block& block) { impl_->translate(block); }
const Exit& Translator::run(std::uint32_t from) { return impl_->run(from); }
void Translator::link(const Exit& exit, const Block& to) { impl_->link(exit, to); }
void Translator::rethrow() { impl_->rethrow(); }
bool Translator::full() const { return impl_->full(); }
void Translator::forget() { impl_->forget(); }
std::uint64_t Translator::blocks() const { return impl_->blocks(); }
std::size_t Translator::bytes() const { return impl_->bytes(); }

}  // namespace wordline::riscv
