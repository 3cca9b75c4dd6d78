// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"
#include "tlm/device/link/pcie_link.h"

namespace wordline::host {

/// The controller's registers in BAR0, as a driver reaches them over the link: 32 bits at a time, and the memory behind
/// them.
class ControllerAccess final : public sc_core::sc_module {
 public:
  ControllerAccess(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, PcieLink& link)
      : sc_module(name), context_(context), link_(link) {}

  tlm_utils::simple_initiator_socket<ControllerAccess> socket{"socket"};

  /// A posted write: it acts when it arrives, and the host goes on.
  void write(std::uint32_t offset, std::uint32_t value);
  /// The same of `bytes`, whole dwords, of the controller memory buffer.
  void write(std::uint32_t offset, const void* from, std::uint32_t bytes);
  /// When a read of `bytes` that starts at `earliest` is answered.
  Picoseconds read_arrives(Picoseconds earliest, std::uint64_t bytes = 4) {
    return link_.register_read(earliest, bytes);
  }
  /// The register's value at present, which is when the read is answered.
  [[nodiscard]] std::uint32_t value(std::uint32_t offset);

 private:
  void transport(tlm::tlm_command command, std::uint32_t offset, void* data, std::uint32_t bytes, Picoseconds delay);

  const tlm_if::SimulationContext& context_;
  PcieLink& link_;
  tlm::tlm_generic_payload payload_;
};

}  // namespace wordline::host
