// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/memory/data_buffer.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/tcm.h"
#include "tlm/device/mover/host_interface.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/observe/stage_clock.h"

namespace wordline::testing {

/// Round numbers: a byte takes 1 ns on the link and 250 ps in DRAM, an entry 200 ns to parse.
config::Config nvme_bench_config();
/// The same with engines.parse = off: a word into a table takes 2 ns.
config::Config unparsed_config();

/// What surrounds the drive's end of any host interface: memories, link, and a firmware that the test plays by hand,
/// from a thread, keeping the ring contract. Time passes only where a test waits.
class DriveBench : public sc_core::sc_module, public tlm_if::InterruptIf {
 public:
  static constexpr std::uint32_t kEvents = 512, kJobs = 64;  // ring sizes
  static constexpr std::uint32_t kEventRing = WL_TCM_BASE + 0x1000, kJobRing = WL_TCM_BASE + 0x10000;
  static constexpr std::uint32_t kCommandTable = WL_TCM_BASE + 0x20000, kExtentTable = WL_TCM_BASE + 0x28000;
  static constexpr std::uint32_t kRangeTable = WL_TCM_BASE + 0x29000;
  static constexpr std::uint32_t kAdminEntry = WL_TCM_BASE + 0x2b000, kAdminPage = WL_TCM_BASE + 0x2c000;
  static constexpr std::uint32_t kNamespaceTable = WL_TCM_BASE + 0x2d000;
  static constexpr std::uint64_t kLpages = 1024;  // 4 KiB each

  DriveBench(config::Config config, tlm_if::RecorderIf* recorder, const sc_core::sc_module_name& name);
  /// Binds all ports of the interface but those of its host. `host_memory`: how the drive reaches it.
  void attach(host::HostInterface& drive, host::HostMemoryIf& host_memory);

  void firmware_ready();
  tlm::tlm_response_status firmware_access(bool write, std::uint32_t offset, std::uint32_t& value,
                                           Picoseconds delay = {});
  [[nodiscard]] bool has_event();
  /// Waits for an interrupt if the event ring is empty. Time of the wake-up is the present.
  wl_host_event event();
  void job(const wl_host_job& job);  // entry, counter
  void ring_jobs(Picoseconds delay = {});
  void run_job(const wl_host_job& job, Picoseconds delay = {});
  wl_ring* ring_of(std::uint32_t base);
  // admin commands
  [[nodiscard]] wl_sqe admin_entry();
  /// The firmware answers the command of `event`; `data` are put into its page.
  void answer(const wl_host_event& event, std::uint16_t status, std::uint32_t dw0 = 0,
              const std::vector<std::uint8_t>& data = {});
  // engines.parse = off
  [[nodiscard]] wl_sqe entry(std::uint16_t tag);
  void extent(std::uint16_t tag, std::uint32_t first, std::uint32_t nlb);

  void raise(unsigned source) override;

  std::vector<Picoseconds> wakeups;  // of the firmware
  config::Config config;
  host::HostMemory memory;
  host::PcieLink link;
  observe::StageClock stages;
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  tlm_utils::simple_initiator_socket<DriveBench> firmware_socket, tcm_socket, dram_socket;
  sc_core::sc_event firmware_event;
};

/// Runs `body` as simulate() does, for at most 10 ms.
void play(const std::function<void()>& body);
void pass(Picoseconds t);

wl_host_job job_of(std::uint8_t op, const wl_host_event& event, std::uint32_t slot, std::uint16_t count,
                   std::uint8_t flags = 0, std::uint32_t lpage = 0);

}  // namespace wordline::testing
