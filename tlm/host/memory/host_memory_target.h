// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "tlm/host/memory/host_memory.h"
#include "tlm/protocol/stamp_extension.h"

namespace wordline::host {

/// Serves a HostMemory behind a TLM-2.0 socket: to a drive's HostMemoryInitiator, and to the masters of a foreign host.
///
/// A transaction with a StampExtension moves user data: whole LBAs within one page. One without moves bytes, over
/// page borders. A write of bytes marks the LBAs it touches: they hold no user data any more, and a read of their
/// stamps is answered with TLM_GENERIC_ERROR_RESPONSE until stamps are written there again. Addresses outside allocated
/// pages are answered with TLM_ADDRESS_ERROR_RESPONSE, and nothing is moved. No byte enables, no streaming, no DMI.
/// Accuracy: content only, no delay is added. A debug access moves bytes.
class HostMemoryTarget final : public sc_core::sc_module {
 public:
  HostMemoryTarget(const sc_core::sc_module_name& name, HostMemory& memory);

  tlm_utils::simple_target_socket<HostMemoryTarget> socket{"socket"};

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  [[nodiscard]] tlm::tlm_response_status move_stamps(const tlm::tlm_generic_payload& payload,
                                                     StampExtension& extension);
  void move_bytes(tlm::tlm_generic_payload& payload);

  HostMemory& memory_;
};

}  // namespace wordline::host
