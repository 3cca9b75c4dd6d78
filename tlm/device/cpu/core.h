// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <string>
#include <string_view>
#include <systemc>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/results/registry.h"
#include "tlm/device/cpu/core_statistics.h"
#include "tlm/device/cpu/firmware_levels.h"
#include "tlm/device/cpu/interrupt_line_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::cpu {

/// What both kinds of core share: bus, interrupt, observation. The bus socket reaches memories by DMI and registers by
/// b_transport, with the core's lead over simulated time as delay; a register that grants it (DirectRegister) is called
/// directly from its second access on, with the same delay.
///
/// Waves: "ssd.cpu.coreN" has "task", the cost tag that runs, or "sleep"; and "moves", why the mover of the firmware on
/// this core empties a superblock (wl_move_reason), from its choice until nothing of it is left to read.
class Core : public sc_core::sc_module, private tlm_if::AlarmQueue::Client, private InterruptLineIf::Listener {
 public:
  tlm_utils::simple_initiator_socket<Core> socket{"socket"};
  sc_core::sc_port<InterruptLineIf> interrupt{"interrupt"};
  /// Optional.
  sc_core::sc_port<tlm_if::StageClockIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> stage_clock{"stage_clock"};

  /// Between activations, so from other processes and after the run, not from within an access.
  [[nodiscard]] virtual CoreStatistics statistics() const = 0;
  /// What the cores of a drive sum up together.
  void register_statistics(results::Registry& registry) const;
  [[nodiscard]] unsigned index() const { return index_; }
  /// This core runs the ftl task: it looks at the firmware's levels for the waveform.
  void watch(FirmwareLevels& levels) { levels_ = &levels; }

 protected:
  /// `recorder` may be null: no waves.
  Core(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Cpu& config,
       unsigned index, tlm_if::RecorderIf* recorder);

  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return wakes_.now(); }
  /// For a process of the kernel that is a part of the core.
  void notify(sc_core::sc_event& event) { alarms_.notify(event); }

  struct Memory {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  /// Host memory behind bus address `base`, by DMI; data is null when nothing there grants it. `what` names the memory
  /// in the error of a memory that does not start at `base`.
  [[nodiscard]] Memory direct_memory(std::uint32_t base, const char* what);

  /// 32-bit register access; `local` is the core's lead over simulated time, advanced by the bus and the target.
  /// False: the bus answered with an error.
  [[nodiscard]] bool access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value, Picoseconds& local);

  /// The firmware passes a mark (value | wl_mark << 16, see WL_CSR_MARK).
  void mark(std::uint32_t value, Picoseconds at);
  /// The core works for host tag `tag` from `at` on; WL_NO_TAG: for no single command.
  void work(std::uint16_t tag, Picoseconds at) {
    if (tag == works_for_) return;
    tell_work(at);
    works_for_ = tag;
    works_since_ = at;
  }
  [[nodiscard]] bool working() const { return works_for_ != WL_NO_TAG; }
  /// Between two pieces of work a core works for no command.
  [[nodiscard]] static bool is_between(std::uint32_t tag) {
    return tag == WL_COST_LOOP || tag == WL_COST_IDLE || tag == WL_COST_WAKE;
  }
  /// Reports the work done so far to the stage clock: hardware acts on it before the next piece begins.
  void tell_work(Picoseconds until);
  /// False and an SC_ERROR: contract.h has no such cost tag.
  [[nodiscard]] bool known_task(std::uint32_t tag) const { return tag < WL_COST_COUNT || unknown_task(tag); }

  /// Whether the two below do anything.
  [[nodiscard]] bool recording() const { return tlm_if::listens(recorder_); }
  /// A stretch with `tag` begins at `at`.
  void record_task(std::uint32_t tag, Picoseconds at);
  void record_sleep(Picoseconds at);

  /// The core acts: at the time of go_on_at(), or when its interrupt line may be high after await_interrupt().
  virtual void activate() = 0;
  /// activate() at `at`, whatever comes before.
  void go_on_at(Picoseconds at) {
    asleep_ = false;
    wakes_.set(at);
  }
  /// activate() when the interrupt line rises; it may be low again then.
  void await_interrupt() {
    asleep_ = true;
    interrupt->announce();
  }

  const config::Cpu config_;
  const unsigned index_;

 private:
  void end_of_elaboration() override { interrupt->listen(*this); }
  void alarm() final {
    asleep_ = false;
    activate();
  }
  void interrupt_rises(Picoseconds at) final {
    if (asleep_) wakes_.set_no_later_than(at);
  }
  void report(const std::string& text) const;
  bool unknown_task(std::uint32_t tag) const;  // false
  void wait_mark(std::uint32_t value, Picoseconds at);
  bool access_by_bus(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value, Picoseconds& local);

  /// How a register was found to be reached.
  struct Way {
    std::uint32_t address = 1;  // the address of no register
    std::uint32_t offset = 0;
    tlm_if::RegisterSocket* block = nullptr;  // none: by the bus
    Picoseconds latency{};
  };
  static constexpr std::size_t kWays = 64;
  [[nodiscard]] Way& way(std::uint32_t address) { return ways_[(address >> 2 ^ address >> 8) % kWays]; }
  [[nodiscard]] Way find_way(std::uint32_t address);

  tlm_if::AlarmQueue& alarms_;
  tlm_if::Alarm wakes_;
  bool asleep_ = false;
  tlm_if::RecorderIf* recorder_;
  FirmwareLevels* levels_ = nullptr;
  tlm_if::RecorderIf::Signal task_signal_ = 0, move_signal_ = 0;
  std::uint16_t works_for_ = WL_NO_TAG;
  Picoseconds works_since_{};
  tlm::tlm_generic_payload payload_;
  std::array<Way, kWays> ways_{};  // by address, the one used last
};

/// Name of a cost tag in waves, cost tables and results ("host_read").
[[nodiscard]] std::string_view cost_tag_name(std::uint32_t tag);

}  // namespace wordline::cpu
