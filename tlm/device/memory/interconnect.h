// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"

namespace wordline::memory {

/// Cycles of the core's clock that one register access takes on the bus; the platform turns them into the latency.
inline constexpr std::uint64_t kRegisterAccessCycles = 4;

/// Connects the cores to memories and registers by bus address (contract.h and models/registers). Targets see addresses
/// relative to their first byte; a register block of several equal parts (IRQ) is one target, but every channel has
/// its own. A register access gets `latency` added before it reaches its target, so a doorbell arrives `latency` after
/// the store. Unmapped addresses and sockets left unbound answer with an address error. A request for direct memory at
/// a register's address goes on to its block when it carries DirectRegister (tlm/protocol/register_socket.h).
///
/// Accuracy: constant latency, no contention between cores. Memory accesses get no bus latency. Source: our design.
class Interconnect final : public sc_core::sc_module {
 public:
  using Initiator = tlm_utils::simple_initiator_socket_optional<Interconnect>;
  using Target = tlm_utils::simple_target_socket_tagged<Interconnect>;

  Interconnect(const sc_core::sc_module_name& name, unsigned core_count, unsigned channel_count, Picoseconds latency);

  sc_core::sc_vector<Target> cores;  // one per core
  Initiator itcm{"itcm"};
  Initiator tcm{"tcm"};
  Initiator dram{"dram"};
  Initiator nvme{"nvme"};
  Initiator flash{"flash"};
  Initiator ecc{"ecc"};
  Initiator irq{"irq"};
  Initiator timer{"timer"};
  Initiator uart{"uart"};
  Initiator engines{"engines"};
  Initiator map{"map"};  // of a drive whose map the cores do not address
  Initiator apb{"apb"};  // a block of a user's own
  sc_core::sc_vector<Initiator> channels;

 private:
  struct Route {
    Initiator* socket = nullptr;  // null: nothing there
    std::uint64_t base = 0;
    bool is_memory = false;
  };
  [[nodiscard]] Route route(std::uint64_t address);

  void b_transport(int core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int core, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int core, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  /// Blocks of registers begin at multiples of 4 KiB and do not reach into the next; the channels lie behind them.
  static constexpr std::uint32_t kPageShift = 12;
  struct Page {
    Initiator* socket = nullptr;
    std::uint32_t bytes = 0;
  };
  static constexpr std::uint32_t kPages = 16;
  std::array<Page, kPages> pages_{};
  sc_core::sc_time latency_;
};

}  // namespace wordline::memory
