// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/protocol/host_memory_if.h"
#include "tlm/protocol/simulation_context.h"
#include "tlm/protocol/stamp_extension.h"

namespace wordline::host {

/// Host memory behind a TLM-2.0 socket: turns the drive's accesses into transactions, so that the memory of any SystemC
/// host can be bound. Bytes are plain reads and writes of the base protocol; user data are transactions of the bytes
/// they stand for, with their stamps in a StampExtension beside them. HostMemoryTarget is the other end, for a host
/// that has none.
///
/// A transaction is one blocking call and stays within one 4 KiB page (a foreign memory need not be contiguous beyond).
/// It begins when the drive sends the access, with the time until it arrives at host memory annotated, as loosely timed
/// TLM-2.0 has it; a target that arbitrates waits for that time first. The time that the target annotates or waits is
/// added: the access ends so much later in the drive's time. Calls come from threads, as many as there are accesses in
/// flight at once. With Target::kNeverWaits they come from the drive's own process instead, without a round of the
/// kernel: results are then those of a memory that is bound directly, when the target annotates nothing.
///
/// Reported as a warning, with what was accessed and where, and failed for the drive: every response other than
/// TLM_OK_RESPONSE, and user data whose stamps the target has not served. So a foreign host that moves real bytes is
/// refused, in both directions; its data are neither read as zeros nor lost in silence. No DMI.
class HostMemoryInitiator final : public sc_core::sc_module, public HostMemoryIf, private HostDmaIf {
 public:
  enum class Target : std::uint8_t {
    kMayWait,     // calls wait()
    kNeverWaits,  // annotates its time, if it has any; a wait() in it is an error of the kernel
  };

  HostMemoryInitiator(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                      Target target = Target::kMayWait);
  ~HostMemoryInitiator() override;

  tlm_utils::simple_initiator_socket<HostMemoryInitiator> socket{"socket"};

  // HostMemoryIf: accesses without time, for what is no part of the drive's work. The target must not wait.
  bool read(std::uint64_t address, void* to, std::size_t bytes) override;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) override;
  bool read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) override;
  bool write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) override;
  HostDmaIf* dma() override { return this; }

  /// Threads that accesses have needed so far, one for each in flight at once.
  [[nodiscard]] std::size_t threads() const { return workers_.size(); }

 private:
  static constexpr std::size_t kPageBytes = 4096;
  /// An access, as one of the functions of HostDmaIf was given it.
  struct Order {
    Picoseconds at{};
    std::uint64_t address = 0;
    std::byte* bytes = nullptr;  // plain bytes
    std::size_t count = 0;
    data::LbaStamp* stamps = nullptr;  // user data
    std::uint32_t nlb = 0;
    bool is_write = false;
    DmaAccess access{};
  };
  class Worker;

  // HostDmaIf
  void begin_read(Picoseconds at, std::uint64_t address, void* to, std::size_t bytes, const DmaAccess& access) override;
  void begin_write(Picoseconds at, std::uint64_t address, const void* from, std::size_t bytes,
                   const DmaAccess& access) override;
  void begin_read_stamps(Picoseconds at, std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb,
                         const DmaAccess& access) override;
  void begin_write_stamps(Picoseconds at, std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb,
                          const DmaAccess& access) override;

  void begin(const Order& order);
  /// False: refused, and reported. `delay`: of the call, changed by the target.
  bool carry_out(const Order& order, sc_core::sc_time& delay);
  bool transport(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, std::byte* bytes,
                 std::size_t count, sc_core::sc_time& delay);
  bool move_bytes(const Order& order, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool move_stamps(const Order& order, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  tlm_if::SimulationContext& context_;
  const Target target_;
  std::deque<Order> orders_;  // orders that no thread has taken yet: for this instant
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;
};

}  // namespace wordline::host
