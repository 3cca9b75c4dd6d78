// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <string>
#include <string_view>

#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_target.h"

namespace wordline::cpu {

/// The UART register block: TX collects characters to lines for the sink; PANIC ends the run with an SC_ERROR
/// "firmware panic at line N" (from 0x80000000 on: "firmware trap at address ..."), which SystemC throws by default,
/// and sc_stop(). No baud rate: the log costs the core its stores only.
class Log final : public sc_core::sc_module {
 public:
  /// Gets every full line (without its newline), and the rest at the end of the run, with the time of its last store.
  using Sink = std::function<void(Picoseconds at, std::string_view line)>;

  Log(const sc_core::sc_module_name& name, Sink sink);

  tlm_utils::simple_target_socket<Log> socket{"socket"};

  /// 0: no panic.
  [[nodiscard]] std::uint32_t panic_line() const { return panic_line_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    registers_.b_transport(payload, delay);
  }
  bool write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay);
  void put(Picoseconds at);
  void end_of_simulation() override;

  Sink sink_;
  std::string line_;
  Picoseconds last_{};
  std::uint32_t panic_line_ = 0;
  tlm_if::RegisterTarget registers_;
};

}  // namespace wordline::cpu
