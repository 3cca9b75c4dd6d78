// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/controller_memory.h"
#include "tlm/device/mover/reports.h"
#include "tlm/device/nvme/admin_commands.h"
#include "tlm/device/nvme/command_fetcher.h"
#include "tlm/device/nvme/completion_path.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// BAR0 as the host sees it: decodes registers and doorbells, holds AQA, ASQ and ACQ, and starts what a write of CC
/// asks for: enable, reset, shutdown, and of NSSR: reset of the NVM subsystem (Base 3.1.3, 3.5, 3.6, 3.7).
///
/// Time: a write acts when it arrives, in order of arrival; a read shows the present state. Known gap: a subsystem or
/// function level reset is a Controller Level Reset that clears all registers here; the firmware goes on, and the link
/// stays up.
class BarRegisters final : private Agenda::Client {
 public:
  /// The blocks that registers and doorbells act on.
  struct Blocks {
    QueueSet& queues;
    ControllerStatus& status;
    Interrupts& interrupts;
    CompletionPath& completions;
    CommandFetcher& fetcher;
    AdminCommands& admin;
    HostDataMover& mover;
    const IoCommands& commands;
    ControllerMemory& memory;
  };
  BarRegisters(const Blocks& blocks, Agenda& agenda, const Reports& reports, Picoseconds ready_timeout)
      : blocks_(blocks), agenda_(agenda), reports_(reports), ready_timeout_(ready_timeout) {}

  /// 4 bytes, or 8 aligned bytes; of the controller memory buffer any whole dwords. `delay`: when the access arrives.
  void transport(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  /// The host's power has failed: commands are lost as in a reset, and what is on its way here has no effect.
  void host_is_gone();
  /// Arrives at `at`.
  void function_level_reset(Picoseconds at) { agenda_.schedule(at, *this, Kind::kFunctionReset, 0); }

 private:
  enum class Kind : std::uint32_t {
    kWrite,  // index: offset, value
    kFunctionReset,
    kReadyTime,  // index: enables_
  };
  void act(const Agenda::Action& action) override;

  /// CAP.TO, and CRTO.CRWMT.
  [[nodiscard]] std::uint32_t ready_units() const;
  [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t value);
  void transport_memory(tlm::tlm_generic_payload& payload, std::uint64_t offset);
  [[nodiscard]] std::uint32_t read_memory_register(std::uint32_t offset) const;
  void write_memory_space(bool high, std::uint32_t value);
  /// A head doorbell that needs no instant of its own.
  bool put_off(std::uint32_t offset, std::uint32_t value, Picoseconds at);
  void write_admin_queue(std::uint32_t offset, std::uint32_t value);
  void write_cc(std::uint32_t value);
  void enable();
  void disable();
  void lose_queues();
  void reset_all();
  void write_status(std::uint32_t value);
  void doorbell(std::uint32_t offset, std::uint32_t value);
  void tail_doorbell(std::uint32_t qid, std::uint32_t value);

  Blocks blocks_;
  Agenda& agenda_;
  const Reports& reports_;
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0, acq_ = 0;
  std::uint64_t cmbmsc_ = 0;
  bool cmb_base_invalid_ = false;  // CMBSTS.CBAI
  const Picoseconds ready_timeout_;
  std::uint32_t enables_ = 0;  // CC.EN went to 1
  bool host_gone_ = false;
};

}  // namespace wordline::host::nvme
