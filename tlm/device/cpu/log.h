// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::cpu {

/// The UART register block: TX collects characters to lines for the sink; PANIC ends the run with an SC_ERROR
/// "firmware panic at line N" (from 0x80000000 on: "firmware trap at address ..."), which SystemC throws by default,
/// and sc_stop(). No baud rate: the log costs the core its stores only.
class Log final : public sc_core::sc_module {
 public:
  /// Gets every full line (without its newline), and the rest at the end of the run, with the time of its last store.
  using Sink = std::function<void(Picoseconds at, std::string_view line)>;

  Log(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, Sink sink);

  tlm_if::RegisterSocket socket;

  /// 0: no panic.
  [[nodiscard]] std::uint32_t panic_line() const { return panic_line_; }

 private:
  bool write(std::uint32_t offset, std::uint32_t value, Picoseconds delay);
  void put(Picoseconds at);
  void end_of_simulation() override;

  const tlm_if::SimulationContext& context_;
  Sink sink_;
  std::string line_;
  Picoseconds last_{};
  std::uint32_t panic_line_ = 0;
};

}  // namespace wordline::cpu
