// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "testbenches/tlm/support/stage_clock_stub.h"
#include "tlm/device/engines/engine_block.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/tcm.h"

namespace wordline::testing {

/// Engines between memories, with the test as host, flash and firmware. 250 ps per byte of DRAM and 60 ns; engines with
/// latencies that tell them apart: l2p 10 ns, buffer 20 ns, job 40 ns, completion 80 ns, gc 7 ns, copy 15 ns, victim 9
/// ns; all with 5 ns interval.
class EngineBench : public sc_core::sc_module,
                    public tlm_if::HostCommandIf,
                    public tlm_if::FlashJobIf,
                    public tlm_if::InterruptIf,
                    public StageClockStub {
 public:
  static constexpr std::uint32_t kLpages = 4096, kSlots = 4, kSlotFirst = 96, kTags = 16, kJobs = 8;
  static constexpr std::uint32_t kPageLpages = 8, kUnitPages = 3, kSuperblockUnits = 16, kDies = 4;
  static constexpr std::uint32_t kCopySlotFirst = 200, kCopyUnits = 4, kSuperblocks = 37;

  explicit EngineBench(std::uint32_t engines, const sc_core::sc_module_name& name = "bench");

  void write(std::uint32_t offset, std::uint32_t value, Picoseconds delay = {});
  std::uint32_t read(std::uint32_t offset);
  /// What the firmware does at boot.
  void enable(std::uint32_t slots = kSlots);
  void post(const wl_ppa_job& job);  // entry, counter; no doorbell
  std::uint32_t& map(std::uint32_t lpn);
  std::uint32_t& owner(std::uint32_t ppa);
  const wl_gc_list& found();
  wl_lpage_state& state(std::uint32_t lpn);
  const wl_lookup& answer(std::uint16_t tag);
  std::uint32_t grace_done(wl_grace kind);
  void post_copy(const wl_copy_job& job);
  void ring(Picoseconds delay = {});  // the copy doorbell, for all that was posted
  wl_gc_source& source(std::uint32_t slot);
  const wl_slot_info& slot(std::uint32_t slot);
  std::uint32_t copy_ppa(std::uint32_t unit);
  wl_superblock_head& superblock(std::uint32_t number);
  const wl_victim& victim();

  struct Sent {
    wl_host_job job;
    Picoseconds from;
  };
  struct HandedOver {
    std::uint16_t tag;
    Picoseconds at;
    std::uint8_t flags;
  };
  struct Submitted {
    Picoseconds at;
    wl_flash_job job;
  };
  std::vector<Sent> sent;
  std::vector<HandedOver> handed_over;
  std::vector<Submitted> jobs;
  std::vector<unsigned> raised;
  Picoseconds transfer{1'000'000};  // a read's data leave the slot that much after `from`, per logical page

  Picoseconds send_data(const wl_host_job& job, Picoseconds from) override;
  void hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) override;
  void submit(Picoseconds at, const wl_flash_job& job) override { jobs.push_back({at, job}); }
  void raise(unsigned source) override { raised.push_back(source); }

  memory::Tcm tcm;
  memory::Dram dram;
  engines::EngineBlock block;

 private:
  tlm_utils::simple_initiator_socket<EngineBench> socket_{"socket"}, tcm_socket_{"tcm_socket"},
      dram_socket_{"dram_socket"};
};

/// The block of `engines` is enabled, then `body` runs in a process, for at most 1 ms.
void play(std::uint32_t engines, const std::function<void(EngineBench&)>& body);

}  // namespace wordline::testing
