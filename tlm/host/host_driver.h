// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/results/collector.h"
#include "models/units/pool.h"
#include "models/workload/source.h"
#include "tlm/host/growing_ring.h"
#include "tlm/host/host_if.h"
#include "tlm/host/host_memory.h"
#include "tlm/host/nvme.h"
#include "tlm/host/oracle.h"
#include "tlm/host/pcie_link.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::host {

struct DriverOptions {
  bool verify_all = false;  // when the workload is over, read the whole drive back and check every block
};

/// The host: brings the controller up as an operating system does (Base 3.5.1: admin queue, CC.EN, CSTS.RDY, Identify,
/// number of queues, one I/O queue pair), runs a workload through it, and checks every read with the oracle.
///
/// Closed loop: depth(job) requests of every job are kept in flight; `host.turnaround` passes between a completion and
/// the submission that takes its place. Open loop: a request is submitted at its arrival, counted from the end of the
/// bring-up. A request for which no queue entry is free waits in the host; its time counts from its arrival.
/// A request longer than MDTS, or than one PRP list page describes (2 MiB), becomes several commands and completes with
/// the last of them; its stage times are that command's, with the time before its submission added to Stage::kSubmit.
/// Commands submitted in one instant share one doorbell write. The completion queue's head doorbell is written in
/// interrupt(), once per entry.
///
/// host.model = direct: commands go through DirectHostIf, without link, queues and bring-up.
///
/// Binding: `socket` to BAR0 (optional with direct), `stage_clock`, `direct` (with direct only). The module is the
/// controller's HostInterruptIf and DirectCompletionIf.
///
/// Accuracy: host software costs `turnaround` and nothing else; data buffers are page aligned. Known gaps: one I/O
/// queue pair; no time-outs, no Abort; while the controller starts up its status is read every 10 us, as it stands when the
/// value arrives. An I/O error or a wrong read is an SC_ERROR; if the simulation goes on nevertheless, no further
/// request is started. Source: NVM Express Base Specification 2.0, NVM Command Set Specification 1.0.
class HostDriver final : public sc_core::sc_module, public HostInterruptIf, public DirectCompletionIf {
 public:
  HostDriver(const sc_core::sc_module_name& name, const config::Config& config, std::uint64_t user_sectors,
             workload::Source& source, results::Collector& collector, Oracle& oracle, HostMemory& memory,
             PcieLink& link, tlm_if::RecorderIf* recorder, DriverOptions options = {});

  tlm_utils::simple_initiator_socket_optional<HostDriver> socket{"socket"};
  sc_core::sc_port<tlm_if::StageClockIf> stage_clock{"stage_clock"};
  sc_core::sc_port<DirectHostIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> direct{"direct"};

  // HostInterruptIf: vector 0 is the admin queue's, 1 the I/O queue's.
  void interrupt(unsigned vector, Picoseconds at) override;
  // DirectCompletionIf
  void ready() override;
  void completed(std::uint16_t qid, std::uint16_t cid, nvme::Status status, Picoseconds at) override;

  /// Everything is over: the workload, the verification, the last completion.
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] const sc_core::sc_event& done_event() const { return done_event_; }
  /// Starts no further request; what is in flight completes, then done(). Skips the verification.
  void stop();

  /// Requests of the workload (not of the verification) submitted and completed.
  [[nodiscard]] std::uint64_t requests_started() const { return started_; }
  [[nodiscard]] std::uint64_t requests_completed() const { return completed_; }
  [[nodiscard]] std::uint64_t commands_completed() const { return commands_completed_; }
  /// Requests that found no free queue entry when they arrived.
  [[nodiscard]] std::uint64_t requests_delayed() const { return delayed_; }
  [[nodiscard]] std::uint64_t io_errors() const { return io_errors_; }
  [[nodiscard]] unsigned in_flight() const { return in_flight_; }
  [[nodiscard]] bool verifying() const { return phase_ == Phase::kVerify; }
  /// End of the bring-up: the origin of arrival times.
  [[nodiscard]] Picoseconds run_start() const { return run_start_; }

 private:
  enum class Phase : std::uint8_t { kBringUp, kRun, kVerify, kOver };
  enum class Step : std::uint8_t {
    kReset,
    kConfigure,
    kPoll,
    kIdentifyController,
    kIdentifyNamespace,
    kNumberOfQueues,
    kCreateCq,
    kCreateSq,
    kUp,
    kFailed,
  };
  static constexpr std::uint16_t kIoQueue = 1;
  static constexpr std::uint32_t kAdminEntries = 16;
  static constexpr std::uint32_t kVerifyDepth = 32;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// A request in flight or waiting in the host; kept and used again.
  struct Request {
    workload::Request what;
    std::uint64_t number = 0;
    Picoseconds submitted{};
    std::uint64_t issued_blocks = 0;
    std::uint32_t commands = 0;  // in flight
    std::uint32_t version = 0;   // of a write or trim
    bool issued = false;         // all commands are out
    bool verify = false;
  };
  /// An I/O command in flight, by command identifier.
  struct Command {
    std::uint32_t request = kNone;
    std::uint64_t slba = 0;
    std::uint32_t blocks = 0;
    Picoseconds submitted{};
    Oracle::Read read;
    std::vector<std::uint64_t> pages;
    std::uint64_t prp_list = 0;  // page of the PRP list, kept once it was needed
  };
  /// One submission and completion queue of ours.
  struct QueuePair {
    std::uint16_t id = 0;
    std::uint32_t entries = 0;
    std::uint64_t sq = 0, cq = 0;
    std::uint32_t tail = 0, head = 0;
    bool phase = true;
  };
  struct Due {
    Picoseconds at{};
    unsigned job = 0;
  };

  // host_driver_bring_up.cpp
  void bring_up();
  void configure();
  void poll();
  void admin_step(Step step);
  void admin_completed();
  void take_identify_controller();
  void take_identify_namespace();
  void fail(const std::string& message);
  std::uint32_t register_value(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t value);
  bool access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value, Picoseconds delay);
  void push(QueuePair& queue, const nvme::SubmissionEntry& entry);
  bool take(QueuePair& queue, nvme::CompletionEntry& entry);
  static std::string describe_status(nvme::Status status);

  // host_driver_commands.cpp
  void issue();
  void build(std::uint16_t cid, std::uint32_t request);
  void send(std::uint16_t cid);
  void set_data_pointer(Command& command, nvme::SubmissionEntry& entry);
  void acquire_pages(Command& command, std::uint32_t count);
  void finish_command(std::uint16_t cid, nvme::Status status, Picoseconds at);
  void check_read(Request& request, Command& command, bool last);
  void record_levels();

  // host_driver.cpp
  void start_run();
  void submit();
  void wake();
  void start_request(const workload::Request& what, Picoseconds submitted, bool verify);
  void finish_request(std::uint32_t index, const Command& last, Picoseconds at);
  void verify_next();
  void look_ahead();
  void check_end();

  const config::Config& config_;
  const std::uint64_t user_sectors_;
  workload::Source& source_;
  results::Collector& collector_;
  Oracle& oracle_;
  HostMemory& memory_;
  PcieLink& link_;
  tlm_if::RecorderIf* recorder_;
  const DriverOptions options_;
  const bool is_direct_;

  Phase phase_ = Phase::kBringUp;
  Step step_ = Step::kReset;
  Picoseconds ready_deadline_{};
  std::uint64_t identify_page_ = 0;
  QueuePair admin_, io_;
  std::uint32_t max_blocks_ = 8;  // of one command
  sc_core::sc_event bring_up_event_{"bring_up_event"};

  Pool<Request> requests_;
  std::vector<Command> commands_;
  std::vector<std::uint16_t> free_cids_;
  std::vector<std::uint64_t> free_pages_;
  GrowingRing<std::uint32_t> waiting_;  // requests with commands not yet issued
  std::uint32_t refused_ = kNone;       // direct: command that found no tag
  DirectCommand refused_command_;

  GrowingRing<Due> due_;  // places of jobs that fall free, in order of time
  std::vector<bool> job_over_;
  bool ahead_ = false;  // open loop: `next_` has been pulled
  workload::Request next_;
  bool stopping_ = false;
  std::uint64_t verify_lba_ = 0;
  sc_core::sc_event submit_event_{"submit_event"};

  Picoseconds run_start_{};
  std::uint64_t numbers_ = 0;
  std::uint64_t started_ = 0, completed_ = 0, commands_completed_ = 0, delayed_ = 0, io_errors_ = 0;
  std::uint32_t active_ = 0;  // requests submitted and not completed
  unsigned in_flight_ = 0;    // commands
  tlm_if::StageTimes stage_times_{};  // of the command that completes
  tlm::tlm_generic_payload payload_;
  bool done_ = false;
  sc_core::sc_event done_event_{"done_event"};
  tlm_if::RecorderIf::Signal signal_in_flight_{}, signal_waiting_{}, signal_request_{};
};

}  // namespace wordline::host
