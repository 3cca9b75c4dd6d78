// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/firmware/contract/contract.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::cpu {

/// The TIMER register block: NOW counts microseconds since reset and wraps at 32 bits; COMPARE raises WL_IRQ_TIMER
/// once, at the exact start of that microsecond. A value that NOW has reached already (in the half of the circle
/// behind it) raises when the store arrives; 0 stops. A new value replaces the one before at once, even if the store's
/// core is ahead. Source: our design (models/registers/wordline.rdl).
class Timer final : public sc_core::sc_module, private tlm_if::AlarmQueue::Client {
 public:
  Timer(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context);

  tlm_if::RegisterSocket socket;
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};

 private:
  bool read(std::uint32_t offset, std::uint32_t& value, Picoseconds delay) const;
  bool write(std::uint32_t offset, std::uint32_t value, Picoseconds delay);
  void alarm() override { interrupt->raise(WL_IRQ_TIMER); }

  std::uint32_t compare_ = 0;
  tlm_if::Alarm expires_;
};

}  // namespace wordline::cpu
