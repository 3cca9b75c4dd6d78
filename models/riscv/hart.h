// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/riscv/address_space.h"
#include "models/riscv/data_port.h"
#include "models/riscv/hart_state.h"
#include "models/riscv/machine_traps.h"
#include "models/riscv/memory_region.h"
#include "models/riscv/observation.h"

/// RV32IMAC_Zicsr_Zifencei_Zicntr(cycle, instret)_Zba_Zbb instruction-set model, machine mode only.
///
/// Method: code is decoded once into basic blocks (compressed instructions are expanded then), blocks link to their
/// successors, dispatch is threaded. The static cycles of a block are added when it is entered and taken back for the
/// instructions that did not run when it is left early, so cycles() is exact wherever it can be read.
///
/// Accuracy: in-order, one instruction at a time; an instruction has a fixed cost by class, a load or store the cost of
/// its region. Of pipeline hazards only the use of a loaded register by the very next instruction in memory (LR and AMO
/// apart; a load pays it even if an interrupt comes between). No branch prediction, no caches, no bus contention inside
/// memory regions; the division's cost does not depend on its operands. Choices the architecture leaves open:
/// misaligned loads and stores inside one memory region just work, at the aligned cost, unless
/// HartConfig::trap_misaligned; on the bus they trap (causes 4, 6), as misaligned LR/SC/AMO do everywhere. LR/SC/AMO on
/// the bus are access faults. SC compares the word with what LR read, so a reservation survives a store of the same
/// value. Stores by this hart to decoded code take effect at the next block; stores by others (DMA, another hart) at
/// fence.i or invalidate_code(). mcountinhibit, mhpmcounter and mhpmevent read zero, and the trigger CSRs say that
/// there are no triggers; `time`, PMP and supervisor CSRs do not exist. Interrupts are sampled between blocks (at most
/// kMaxBlock instructions), after CSR writes, mret, fence.i, WFI and after every bus access. Source: RISC-V
/// Unprivileged ISA 20191213, Bit-Manipulation 1.0.0, Privileged Architecture 20211203, Debug Specification 1.0.
namespace wordline::riscv {

/// Cycles of an instruction by class. Loads and stores cost what their MemoryRegion says.
struct CycleCosts {
  std::uint32_t alu = 1;
  std::uint32_t mul = 2;
  std::uint32_t div = 18;
  std::uint32_t branch_not_taken = 1;
  std::uint32_t branch_taken = 3;
  std::uint32_t jump = 2;           // jal: target known at decode
  std::uint32_t jump_register = 3;  // jalr
  std::uint32_t csr = 1;
  std::uint32_t amo = 1;  // on top of the region's load_cycles (lr), store_cycles (sc) or both (amo)
  std::uint32_t fence = 1;
  std::uint32_t fence_i = 8;
  std::uint32_t bus_load = 1;  // core side only; Bus adds what the access takes with stall()
  std::uint32_t bus_store = 1;
  std::uint32_t trap = 4;  // entry of an exception or interrupt
  std::uint32_t mret = 4;
  std::uint32_t wfi = 1;
  std::uint32_t load_use = 0;  // load use on top of a load whose register the next instruction reads
};

struct HartConfig {
  std::uint32_t hart_id = 0;
  ObservationCsrs observation{};
  CycleCosts costs{};
  bool stop_on_ebreak = true;    // false: ebreak is a breakpoint exception
  bool block_cache = true;       // false: fetch and decode every instruction anew (the reference for tests and speed)
  bool trap_misaligned = false;  // loads and stores that are not aligned trap in memory regions, too
  // Code that runs often becomes code of the host, where that is possible (translate/translator.h). Changes no time and
  // no result.
  bool translate = true;
  std::uint32_t translate_after = 16;  // executions of a block
};

enum class StopReason : std::uint8_t {
  kBudget,         // max_cycles used up
  kWfi,            // asleep: mip & mie is zero
  kStopRequested,  // request_stop(); the instruction that caused it has finished
  kEbreak,         // at an ebreak (pc() is its address; set_pc() to go on)
  kException,      // Probe::exception() said so; nothing of the instruction has been done
  kHeld,           // DebugHook::held() said so; the same again until it does not
  kLockup,         // the first instruction of the trap vector traps: hardware would trap forever
};
[[nodiscard]] const char* to_string(StopReason reason);

constexpr std::uint32_t kCauseFetchFault = 1, kCauseIllegal = 2, kCauseBreakpoint = 3, kCauseLoadMisaligned = 4,
                        kCauseLoadFault = 5, kCauseStoreMisaligned = 6, kCauseStoreFault = 7, kCauseEcall = 11;
constexpr unsigned kMaxBlock = 32;  // instructions of a block

/// How often the block at `pc` has been entered, for profiles. Blocks that overlap are listed each; one that was left
/// in its middle (trap, stop, interrupt) counts as a whole.
struct BlockProfile {
  std::uint32_t pc;
  std::uint32_t instructions;
  std::uint32_t static_cycles;  // static cycles without memory regions and taken branches
  std::uint64_t executions;
};

/// Asked before every instruction, for debuggers.
class DebugHook {
 public:
  virtual ~DebugHook() = default;
  /// Hart's registers, CSRs and counters are exact and may be changed, set_pc() included. May block its thread.
  virtual void before_instruction() = 0;
  /// The hart shall do nothing, not even take an interrupt. Asked before before_instruction().
  virtual bool held() { return false; }
  /// Probe::exception() has ended the run; the same may be done. A new pc: the hart goes on there.
  virtual void exception(std::uint32_t cause) { (void)cause; }
};

class BlockCache;
class Translator;
struct Block;
struct Insn;
enum class Op : std::uint8_t;

class Hart {
 public:
  /// `bus` and `probe` (may be null) must outlive the hart. Throws std::invalid_argument for observation CSRs whose
  /// numbers are not custom, or not different.
  explicit Hart(const HartConfig& config, Bus& bus, Probe* probe = nullptr);
  ~Hart();
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  /// Before the first run(). Throws std::invalid_argument for an empty, unaligned or overlapping region.
  void add_region(const MemoryRegion& region);
  /// Host address of `bytes` bytes at `address`, null when they are not inside one region. For loaders and debuggers.
  [[nodiscard]] std::byte* host_pointer(std::uint32_t address, std::uint32_t bytes) const {
    return memory_.host_pointer(address, bytes);
  }

  /// Registers, CSRs and the reservation as after power-on; counters and tag costs zero; memory is kept.
  void reset(std::uint32_t pc);

  /// Runs until `max_cycles` are used up (a block may overshoot: see cycles()) or another reason to stop.
  StopReason run(std::uint64_t max_cycles);

  /// From Bus, Probe or outside: run() returns after the current instruction. Stays pending until a run() returns it.
  void request_stop() {
    stop_requested_ = true;
    state_.limit = 0;
  }
  /// From Bus or Probe: the access takes `cycles` more; charged to the current tag.
  void stall(std::uint64_t cycles) { state_.cycles += cycles; }
  /// While asleep or stopped: time passes, no tag pays.
  void skip_idle(std::uint64_t cycles) {
    state_.cycles += cycles;
    tags_.idle(cycles);
  }

  /// Level of mip.MEIP, MTIP or MSIP: kIrqExternal, kIrqTimer, kIrqSoftware.
  void set_interrupt(std::uint32_t irq, bool level) {
    traps_.set_interrupt(irq, level);
    if (traps_.deliverable()) state_.limit = 0;
  }
  /// mip & mie is not zero: WFI does not sleep (whatever mstatus.MIE says).
  [[nodiscard]] bool wake_pending() const { return traps_.pending(); }
  /// Until reset(): the probe sees a tag only if bit `tag` of `tags` is set, contexts only if `contexts`. All at
  /// first. What is not reported costs hardly anything.
  void report_only(std::uint64_t tags, bool contexts) {
    state_.observed.reported_tags = tags;
    state_.observed.reported_contexts = contexts ? 1 : 0;
  }
  /// In WFI with nothing pending.
  [[nodiscard]] bool asleep() const { return waiting_ && !traps_.pending(); }

  /// Code was changed from outside (loader, DMA): forget all blocks. Also what fence.i does.
  void invalidate_code();

  /// Cycles since reset, idle ones included: the hart's time. Exact inside callbacks and after run().
  [[nodiscard]] std::uint64_t cycles() const { return state_.cycles; }
  [[nodiscard]] std::uint64_t idle_cycles() const { return tags_.idle_cycles(); }
  [[nodiscard]] std::uint64_t instructions() const { return state_.instructions; }
  /// Up to now; not inside callbacks other than Bus and Probe.
  [[nodiscard]] TagCosts tag_costs() const { return tags_.costs(state_.cycles); }
  [[nodiscard]] std::uint32_t tag() const { return tags_.tag(); }
  /// Before reset(): from there on the profile gets all cycles and instructions; null: none. Costs a check of every
  /// block, and nothing when there is none. Changes no time and no result.
  void set_profile(CycleProfile* profile) { feed_.set(profile); }
  /// Cycles that the profile has not received yet (it receives them at the end of blocks). After run().
  void flush_profile();
  /// Between runs or from the hook itself: from the next instruction on; null: none. Runs one instruction at a time
  /// meanwhile, about ten times slower. Changes no time and no result, but that interrupts are sampled before every
  /// instruction.
  void set_debug_hook(DebugHook* hook) {
    debug_ = hook;
    state_.limit = 0;
  }
  /// How often each block has run, and how many were decoded: more only when new or changed code runs.
  [[nodiscard]] const BlockCache& blocks() const { return *cache_; }

  [[nodiscard]] std::uint32_t pc() const { return state_.pc; }
  void set_pc(std::uint32_t pc);
  [[nodiscard]] std::uint32_t reg(unsigned index) const { return state_.x[index]; }
  void set_reg(unsigned index, std::uint32_t value) {
    if (index != 0) state_.x[index] = value;
  }
  /// False: no such CSR (or it is read-only). No side effects on the probe.
  [[nodiscard]] bool read_csr(std::uint32_t csr, std::uint32_t& value) const;
  bool write_csr(std::uint32_t csr, std::uint32_t value);

 private:
  friend class Translator;
  StopReason execute();
  bool csr_instruction(const Insn& insn);
  /// A write to an observation CSR, `which` of Op; false: no such value, and nothing has been done.
  bool observe(Op which, std::uint32_t value);
  bool take_trap(std::uint32_t cause, std::uint32_t tval);  // false: lockup
  void charge_profile() { feed_.charge(tags_, state_.cycles, state_.instructions); }

  HartState state_;
  AddressSpace memory_;
  std::uint64_t target_ = 0;  // cycles at which the budget ends
  bool stop_requested_ = false, waiting_ = false, code_written_ = false;
  MachineTraps traps_;
  std::uint64_t mcycle_offset_ = 0, minstret_offset_ = 0;
  DataPort port_;
  TagCount tags_{state_.observed};
  ProfileFeed feed_;
  DebugHook* debug_ = nullptr;

  HartConfig config_;
  Probe* probe_;
  std::unique_ptr<BlockCache> cache_;
};

}  // namespace wordline::riscv
