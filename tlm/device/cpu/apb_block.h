// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A block of the user's own behind registers (`cpu.apb.block`, docs/own_rtl.md): 4 KiB at WL_APB_OFFSET, an APB
/// transfer for each access of a core, and one interrupt (WL_IRQ_APB), raised where irq_o rises.
///
/// The clock runs where something happens: in a transfer, and while busy_o is high. An access waits for the next edge
/// at or after it; its transfer takes the edges behind that one, so an access without wait states costs two periods and
/// what is left of a third. A core that is ahead of simulated time takes the block along to its own time. Checked in
/// every clock: pready_o comes, pslverr_o only where a transfer ends, nothing is raised in reset. What is wrong is an
/// error of the run that names the access and the clock.
/// Known gap: one core after the other, in the order of their calls: two that access within one quantum may come in
/// another order than their times.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/results/registry.h"
#include "rtl/slot/loaded_block.h"
#include "rtl/slot/port_window.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::cpu {

class ApbBlock final : public sc_core::sc_module, private tlm_if::AlarmQueue::Client {
 public:
  /// Throws config::ConfigError when the block cannot be loaded or does not fit. `recorder` may be null.
  ApbBlock(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::ApbBlock& config,
           tlm_if::RecorderIf* recorder);

  tlm_if::RegisterSocket socket;
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};

  void register_statistics(results::Registry& registry) const;
  /// The pins in the last clocks, when the block has failed: the file.
  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder) const;

 private:
  struct Pins {
    rtl::LoadedBlock::Handle rst_n, select, enable, write, address, write_data, strobes, read_data, ready, error, irq,
        busy;
  };
  struct Transfer {
    bool write;
    std::uint32_t offset;
    std::uint32_t data;
  };

  bool access(Transfer& transfer, Picoseconds& delay);
  bool carry_out(Transfer& transfer);
  void alarm() override;
  void set_alarm();
  void clock();
  void run_to(Picoseconds at);
  void check() const;
  void show();
  void failed(const std::string& what);

  const std::string file_;
  const Picoseconds period_;
  rtl::LoadedBlock block_;
  Pins pins_;
  std::vector<rtl::LoadedBlock::Handle> shown_;
  rtl::PortWindow window_;
  tlm_if::RecorderIf* const recorder_;
  std::vector<tlm_if::RecorderIf::Signal> signals_;
  tlm_if::Alarm wake_;
  Picoseconds last_edge_{};
  std::deque<Picoseconds> rises_;  // rising edges of irq_o that lie ahead
  bool irq_ = false;
  bool in_reset_ = true;
  bool failed_ = false;
  std::uint64_t reads_ = 0, writes_ = 0, errors_ = 0, interrupts_ = 0;
};

/// For the page of statistics, which is made without a block.
void explain_apb_block(results::Registry& registry);

/// The block, a line. Throws config::ConfigError when it cannot be loaded or does not fit.
[[nodiscard]] std::string describe_block(const config::ApbBlock& config);

}  // namespace wordline::cpu
