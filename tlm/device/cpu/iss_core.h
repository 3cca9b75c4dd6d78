// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/riscv/cycle_profile.h"
#include "models/riscv/elf_loader.h"
#include "models/riscv/hart.h"
#include "tlm/device/cpu/busy_trace.h"
#include "tlm/device/cpu/core.h"
#include "tlm/device/cpu/fault_report.h"

namespace wordline::cpu {

/// A core that runs the firmware's RISC-V executable on the instruction-set model (models/riscv/hart.h).
///
/// Time: the hart's cycle count since reset, times the clock period; a wake-up falls on the first clock edge at or
/// after the interrupt. The core runs ahead of simulated time by up to cpu.quantum (plus one basic block), then waits
/// for it. Register accesses carry the lead as delay, so hardware acts at exact times; interrupts, and what hardware
/// puts in memory, are seen when the core has waited. With quantum 0 the core waits after every basic block and before
/// every register access, for which it is a thread, the only one in Wordline. WFI waits until the interrupt line is
/// high; that time is not busy, but counts in mcycle.
///
/// Memories behind the bus that grant DMI are reached directly: ITCM and TCM at cpu.load_tcm_cycles per load, DRAM at
/// cpu.load_dram_cycles and cpu.store_dram_cycles.
///
/// Firmware that goes wrong ends the run with an SC_ERROR that says where: an exception (unless cpu.on_exception gives
/// it to the firmware's handler), a panic, a stop, a loop without sleep and register writes for cpu.watchdog, in which
/// no logical page is deallocated. Below the stack of each core lies a guard that no core may touch, when the image
/// names its stacks (fault_report.h): a stack overflow is an access fault, but for a frame that jumps over the guard.
///
/// Accuracy: that of the hart; stores to memory are seen by other cores when the host thread runs them, so up to a
/// quantum early. Cores do not contend for DRAM.
class IssCore final : public Core, private riscv::Bus, private riscv::Probe {
 public:
  /// `image` outlives the core; core 0 loads it into the memories at the start of the simulation.
  IssCore(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Cpu& config,
          unsigned index, const riscv::ElfFile& image, tlm_if::RecorderIf* recorder);

  [[nodiscard]] CoreStatistics statistics() const override;
  /// For profiles, and for debuggers while the core waits.
  [[nodiscard]] const riscv::Hart& hart() const { return hart_; }
  [[nodiscard]] riscv::Hart& hart() { return hart_; }

  /// Before the simulation starts: count cycles by call stack and cost tag, and busy time by time.
  void enable_profile();
  /// After the run; null when not enabled.
  [[nodiscard]] const riscv::CycleProfile* profile();
  /// Busy time by time; null when not enabled.
  [[nodiscard]] const BusyTrace* busy_trace() const { return busy_trace_.get(); }

 private:
  bool read(std::uint32_t address, unsigned size, std::uint32_t& value) override;
  bool write(std::uint32_t address, unsigned size, std::uint32_t value) override;
  void tag(std::uint32_t tag) override;
  void context(std::uint32_t context) override;
  void mark(std::uint32_t value) override;
  bool exception(std::uint32_t cause, std::uint32_t tval) override;

  void start_of_simulation() override;
  void activate() override;
  void run();
  void run_alone();                 // a thread: quantum 0
  [[nodiscard]] bool lags() const;  // simulated time is behind the core
  void catch_up_in_thread();        // waits for simulated time, within an access
  void sleep();
  void wake();
  void end_sleep();
  /// The hart reports those writes to observation CSRs that have a meaning now.
  void listen();
  riscv::StopReason run_hart(std::uint64_t cycles);
  void stopped(riscv::StopReason reason);
  void add_tcm(const Memory& tcm);
  /// The text that ends with a zero at a bus address, for messages.
  [[nodiscard]] std::string text_at(std::uint32_t address);
  void fail(const std::string& what);
  /// When simulated time has caught up.
  void fail_later(const std::string& what);
  [[nodiscard]] FaultPlace place() const { return {hart_, image_, stacks_, local_time()}; }
  bool transport(tlm::tlm_command command, std::uint32_t address, unsigned size, std::uint32_t& value);
  [[nodiscard]] Picoseconds local_time() const;
  /// Cycles of the clock that take at least `d`.
  [[nodiscard]] std::uint64_t cycles_for(Picoseconds d) const;

  const riscv::ElfFile& image_;
  const std::int64_t period_;  // ps, when that is a whole number: saves wide divisions; else 0
  riscv::Hart hart_;
  std::unique_ptr<riscv::CycleProfile> profile_;
  std::unique_ptr<BusyTrace> busy_trace_;
  std::vector<StackArea> stacks_;
  enum class State : std::uint8_t { kRuns, kSleeps, kHeld, kFails, kStopped };
  State state_ = State::kRuns;
  std::string failure_;                 // kFails
  std::uint64_t quantum_ = 0;           // cycles
  sc_core::sc_event go_on_{"go_on"};    // quantum 0: for the thread
  std::uint64_t watchdog_ = 0;          // cycles; 0: none
  std::uint64_t last_progress_ = 0;     // cycles at the last sleep, register write or deallocated page
  std::uint32_t panic_file_ = 0;        // address of its name
  std::uint32_t cause_ = 0, tval_ = 0;  // cause of the exception that ends the run
};

}  // namespace wordline::cpu
