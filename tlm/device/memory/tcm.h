// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "tlm/device/memory/anonymous_pages.h"
#include "tlm/device/memory/memory_target.h"

namespace wordline::memory {

/// Tightly coupled memory (or instruction memory). Cores reach it through `socket`, by DMI; hardware blocks bind a port
/// to the module itself, which is the SharedMemoryIf: a memory port of their own.
///
/// Accuracy: no conflicts between the ports; a core's load cost is the core's (cpu.load_tcm_cycles). Source: our
/// design.
class Tcm final : public sc_core::sc_module, public tlm_if::SharedMemoryIf {
 public:
  /// `base`: bus address of the first byte, as in contract.h. The socket itself counts from 0.
  Tcm(const sc_core::sc_module_name& name, std::uint32_t base, std::uint32_t bytes);

  tlm_utils::simple_target_socket<Tcm> socket{"socket"};

  std::byte* at(std::uint32_t address, std::size_t bytes) override;

  /// Host memory behind the first byte, for loaders and for reading results out.
  [[nodiscard]] std::byte* data() { return memory_.data(); }
  [[nodiscard]] const std::byte* data() const { return memory_.data(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { target_.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return target_.transport_dbg(payload); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return target_.get_direct_mem_ptr(payload, dmi);
  }

  std::uint32_t base_;
  AnonymousPages memory_;
  MemoryTarget target_;
};

}  // namespace wordline::memory
