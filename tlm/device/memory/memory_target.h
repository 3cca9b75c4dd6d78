// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include "tlm/device/memory/anonymous_pages.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::memory {

/// The bus side of a memory, addresses from 0: plain and debug transport and DMI. Bounds are checked; byte enables and
/// streaming are refused, no module uses them here. Transport charges `latency` per access, annotated.
class MemoryTarget {
 public:
  MemoryTarget(AnonymousPages& memory, Picoseconds latency) : memory_(memory), latency_(tlm_if::to_sc_time(latency)) {}

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

 private:
  AnonymousPages& memory_;
  sc_core::sc_time latency_;
};

}  // namespace wordline::memory
