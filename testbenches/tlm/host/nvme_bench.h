// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "tlm/host/nvme_controller.h"
#include "tlm/memory/data_buffer.h"
#include "tlm/memory/dram.h"
#include "tlm/memory/tcm.h"
#include "tlm/observe/stage_clock.h"

namespace wordline::testing {

/// Round numbers: a byte takes 1 ns on the link and 250 ps in DRAM, an entry 200 ns to parse.
config::Config nvme_bench_config();
/// The same with engines.parse = off: a word into a table takes 2 ns.
config::Config unparsed_config();

/// An NVMe controller between a host and a firmware that the test plays by hand, from a thread. The host keeps the
/// rules (queues, phase tag); the firmware keeps the ring contract; time passes only where a test waits.
class NvmeBench : public sc_core::sc_module,
                  public host::HostInterruptIf,
                  public host::DirectCompletionIf,
                  public tlm_if::InterruptIf {
 public:
  static constexpr std::uint32_t kEvents = 512, kJobs = 64;  // ring sizes
  static constexpr std::uint32_t kEventRing = WL_TCM_BASE + 0x1000, kJobRing = WL_TCM_BASE + 0x10000;
  static constexpr std::uint32_t kCommandTable = WL_TCM_BASE + 0x20000, kExtentTable = WL_TCM_BASE + 0x28000;
  static constexpr std::uint32_t kRangeTable = WL_TCM_BASE + 0x29000;
  static constexpr std::uint64_t kSectors = 1024;  // 4 KiB each

  explicit NvmeBench(const config::Config& config = nvme_bench_config(), tlm_if::RecorderIf* recorder = nullptr,
                     const sc_core::sc_module_name& name = "bench");

  // ---- host ----
  std::uint32_t read32(std::uint32_t offset);
  void write32(std::uint32_t offset, std::uint32_t value);  // over the link, like every write of the host
  void write64(std::uint32_t offset, std::uint64_t value);
  tlm::tlm_response_status access(bool write, std::uint64_t offset, void* data, unsigned bytes);
  /// Admin queue of 8 entries, CC.EN, firmware ready, and back when CSTS.RDY is 1.
  void enable();
  /// The same, and I/O queue pair 1 with `entries` (submission) and `cq_entries`, vector 1.
  void bring_up(std::uint32_t entries = 16, std::uint32_t cq_entries = 16);
  host::nvme::CompletionEntry create_queue(std::uint16_t qid, std::uint32_t entries, std::uint32_t cq_entries);
  host::nvme::CompletionEntry admin(host::nvme::SubmissionEntry sqe);
  /// Puts an entry into the queue; no doorbell. Returns its cid.
  std::uint16_t put(std::uint16_t qid, host::nvme::SubmissionEntry sqe);
  /// Rings the tail doorbell; returns when it arrives.
  Picoseconds ring(std::uint16_t qid);
  std::uint16_t submit(std::uint16_t qid, const host::nvme::SubmissionEntry& sqe);
  /// Waits for the next entry of the queue's completion queue, takes it, and rings the head doorbell if asked to.
  host::nvme::CompletionEntry completion(std::uint16_t qid, bool ring_head = true);
  [[nodiscard]] bool has_completion(std::uint16_t qid);
  void ring_head(std::uint16_t qid);

  // ---- firmware ----
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
  // engines.parse = off
  [[nodiscard]] wl_sqe entry(std::uint16_t tag);
  void extent(std::uint16_t tag, std::uint32_t first, std::uint32_t blocks);

  // ---- what arrived ----
  struct Interrupt {
    unsigned vector;
    Picoseconds at;
  };
  struct DirectDone {
    std::uint16_t cid;
    host::nvme::Status status;
    Picoseconds at;
  };
  std::vector<Interrupt> interrupts;
  std::vector<DirectDone> direct_done;
  std::vector<Picoseconds> wakeups;  // of the firmware
  tlm_if::StageTimes last_stages{};  // of the last I/O completion
  unsigned direct_ready = 0;

  void interrupt(unsigned vector, Picoseconds at) override;
  void raise(unsigned source) override;
  void ready() override { ++direct_ready; }
  void completed(std::uint16_t qid, std::uint16_t cid, host::nvme::Status status, Picoseconds at) override;

  struct Queue {
    std::uint64_t sq = 0, cq = 0;
    std::uint32_t entries = 0, cq_entries = 0;
    std::uint32_t tail = 0, cq_head = 0;
    bool phase = true;
  };
  config::Config config;
  host::HostMemory memory;
  host::PcieLink link;
  observe::StageClock stages;
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  host::NvmeController controller;
  tlm_utils::simple_initiator_socket<NvmeBench> host_socket, firmware_socket, tcm_socket, dram_socket;
  std::array<Queue, 8> queues;
  sc_core::sc_event host_event, firmware_event, direct_event;

 private:
  std::uint16_t next_cid_ = 0x100;
};

/// Runs `body` as simulate() does, for at most 10 ms.
void play(const std::function<void()>& body);
void pass(Picoseconds t);

/// Entries for the commands that tests send.
host::nvme::SubmissionEntry io(std::uint8_t opcode, std::uint64_t slba, std::uint32_t blocks, std::uint64_t prp1,
                               std::uint64_t prp2 = 0);
wl_host_job job_of(std::uint8_t op, const wl_host_event& event, std::uint32_t slot, std::uint16_t count,
                   std::uint8_t flags = 0, std::uint32_t sector = 0);

}  // namespace wordline::testing
