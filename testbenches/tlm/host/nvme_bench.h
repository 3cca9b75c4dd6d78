// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "testbenches/tlm/host/drive_bench.h"
#include "tlm/device/nvme/nvme_controller.h"

namespace wordline::testing {

/// An NVMe controller between a host and a firmware that the test plays by hand, from a thread. The host keeps the
/// rules (queues, phase tag); the firmware keeps the ring contract; time passes only where a test waits.
class NvmeBench : public DriveBench, public host::HostInterruptIf {
 public:
  explicit NvmeBench(const config::Config& config = nvme_bench_config(), tlm_if::RecorderIf* recorder = nullptr,
                     const sc_core::sc_module_name& name = "bench");

  std::uint32_t read32(std::uint32_t offset);
  void write32(std::uint32_t offset, std::uint32_t value);  // over the link, like every write of the host
  void write64(std::uint32_t offset, std::uint64_t value);
  tlm::tlm_response_status access(bool write, std::uint64_t offset, void* data, unsigned bytes);
  /// Admin queue of 8 entries, CC.EN, firmware ready, and back when CSTS.RDY is 1.
  void enable();
  /// The same, and I/O queue pair 1 with `entries` (submission) and `cq_entries`, vector 1.
  void bring_up(std::uint32_t entries = 16, std::uint32_t cq_entries = 16);
  host::nvme::CompletionEntry create_queue(std::uint16_t qid, std::uint32_t entries, std::uint32_t cq_entries,
                                           host::nvme::QueuePriority priority = host::nvme::QueuePriority::kUrgent);
  /// Submission queue `qid`, which completes in queue `cqid`.
  host::nvme::CompletionEntry create_submission_queue(
      std::uint16_t qid, std::uint32_t entries, std::uint16_t cqid,
      host::nvme::QueuePriority priority = host::nvme::QueuePriority::kUrgent);
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

  bool weighted = false;        // CC.AMS that enable() sets
  bool with_interrupts = true;  // IEN of the completion queues

  // ---- what arrived ----
  struct Interrupt {
    unsigned vector;
    Picoseconds at;
  };
  std::vector<Interrupt> interrupts;
  tlm_if::StageTimes last_stages{};  // of the last I/O completion

  void interrupt(unsigned vector, Picoseconds at) override;

  struct Queue {
    std::uint64_t sq = 0, cq = 0;
    std::uint32_t entries = 0, cq_entries = 0;
    std::uint32_t tail = 0, cq_head = 0;
    bool phase = true;
  };
  host::NvmeController controller;
  tlm_utils::simple_initiator_socket<NvmeBench> host_socket;
  std::array<Queue, 8> queues;
  sc_core::sc_event host_event;

 private:
  std::uint16_t next_cid_ = 0x100;
};

/// Entries for the commands that tests send.
host::nvme::SubmissionEntry admin_command(std::uint8_t opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0,
                                          std::uint64_t prp1 = 0);
/// The status of an admin command that the controller carries out by itself.
host::nvme::Status admin_status(NvmeBench& bench, const host::nvme::SubmissionEntry& sqe);
host::nvme::SubmissionEntry io(std::uint8_t opcode, std::uint64_t slba, std::uint32_t nlb, std::uint64_t prp1,
                               std::uint64_t prp2 = 0);

}  // namespace wordline::testing
