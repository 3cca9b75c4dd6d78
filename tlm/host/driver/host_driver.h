// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/results/queue_results.h"
#include "models/results/request_statistics.h"
#include "models/units/growing_ring.h"
#include "models/units/pool.h"
#include "models/workload/source.h"
#include "tlm/host/driver/checked_data.h"
#include "tlm/host/driver/driver_waves.h"
#include "tlm/host/driver/host_cores.h"
#include "tlm/host/driver/media_errors.h"
#include "tlm/host/driver/oracle.h"
#include "tlm/host/driver/pair_queues.h"
#include "tlm/host/driver/request_client_if.h"
#include "tlm/host/driver/run_borders.h"
#include "tlm/host/driver/workload_feed.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/protocol/host_path_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

struct DriverOptions {
  bool verify_all = false;                  // when the workload is over, read the whole drive back and check every LBA
  data::PowerPromises* promises = nullptr;  // what the drive owes after a power cut; null: nobody asks
  bool shut_down = false;                   // at the end, a normal shutdown of the drive
  results::QueueResults* by_queue = nullptr;  // takes each command of the workload; null: nobody asks
  RequestClientIf* client = nullptr;          // for whom the requests are; null: for nobody, a wrong read ends the run
};

/// The host: runs a workload through a host interface, and checks every read with the oracle. How a command gets into
/// the drive is a matter of the HostPathIf; bringing the drive up, too.
///
/// Closed loop: depth(job) requests of every job are kept in flight; `host.turnaround` passes between a completion and
/// the submission that takes its place. Open loop: a request is submitted at its arrival, counted from the end of the
/// bring-up. A request for which no command identifier is free waits in the host; its time counts from its arrival.
/// A request longer than the drive takes becomes several commands and completes with the last of them; its stage times
/// are that command's, with the time before its submission added to Stage::kSubmit. Commands submitted in one instant
/// share one doorbell of each queue pair. A request belongs to a core of the host (HostCores), which submits it by its
/// pair.
///
/// Binding: `path`, `stage_clock`.
/// Accuracy: host software costs `turnaround`, and what HostCores says; data buffers are page aligned. Known gap: no
/// time-outs. A wrong read or an error other than of the flash is an SC_ERROR, with `host.on_error = stop` a media
/// error, too; if the simulation goes on nevertheless, no further request is started.
class HostDriver final : public sc_core::sc_module, private HostPathClientIf, private tlm_if::AlarmQueue::Client {
 public:
  using Listener = RunBorders::Listener;

  HostDriver(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
             std::uint64_t user_lpages, workload::Source& source, results::RequestStatistics& request_statistics,
             Oracle& oracle, HostMemory& memory, HostCores& cores, tlm_if::RecorderIf* recorder,
             DriverOptions options = {});

  sc_core::sc_port<HostPathIf> path{"path"};
  sc_core::sc_port<tlm_if::StageClockIf> stage_clock{"stage_clock"};

  /// Everything is over: the workload, the verification, the last completion.
  [[nodiscard]] bool done() const { return phase_ == Phase::kOver; }
  [[nodiscard]] const sc_core::sc_event& done_event() const { return borders_.event(RunBorder::kDone); }
  /// The workload begins: the first requests are submitted at this instant.
  [[nodiscard]] const sc_core::sc_event& started_event() const { return borders_.event(RunBorder::kWorkloadBegins); }
  /// The last completion of the workload; the verification is still to come.
  [[nodiscard]] const sc_core::sc_event& workload_over_event() const {
    return borders_.event(RunBorder::kWorkloadEnds);
  }
  /// Before the simulation starts; the listener outlives it.
  void listen(Listener& listener) { borders_.listen(listener); }
  /// The source has requests from outside. Between two instants; they are submitted at the present.
  void arrived();
  /// Starts no further request; what is in flight completes, then done(). Skips the verification.
  void stop();

  struct Counters {
    // Requests of the workload, not of the verification.
    std::uint64_t started = 0, completed = 0;  // completed: failed ones as well
    std::uint64_t delayed = 0;                 // found no free command identifier when they arrived
    std::uint64_t commands_completed = 0;
    std::uint64_t lbas_read = 0, lbas_written = 0;  // 512 bytes, of commands that succeeded, the verification's too
    std::uint32_t most_in_flight = 0, longest = 0;  // commands; LBAs of one
    // Requests of the workload by operation, completed ones, and how many were in flight summed over time, in ps:
    // begins are taken off and ends added (modulo 2^64), which is right when none is in flight.
    std::array<std::uint64_t, results::kOpCount> ended{}, time_in_flight{};
    std::uint64_t io_errors = 0;
    Picoseconds shutdown{};  // how long it has taken; below 0, it has not ended
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const results::RequestStatistics& request_statistics() const { return request_statistics_; }
  /// Requests that failed. They are not in the RequestStatistics: they moved no data.
  [[nodiscard]] const MediaErrors& errors() const { return errors_; }
  [[nodiscard]] const CheckedData::ReadContent& read_content() const { return data_.read_content(); }
  /// Commands.
  [[nodiscard]] unsigned in_flight() const { return in_flight_; }
  [[nodiscard]] bool verifying() const { return phase_ == Phase::kVerify; }
  /// End of the bring-up: the origin of arrival times.
  [[nodiscard]] Picoseconds run_start() const { return feed_.started(); }

 private:
  enum class Phase : std::uint8_t { kBringUp, kRun, kVerify, kShutDown, kOver };

  /// A request in flight or waiting in the host; kept and used again.
  struct Request {
    workload::Request what;
    std::uint64_t number = 0;
    Picoseconds submitted{};
    std::uint64_t issued_nlb = 0;
    std::uint32_t pair = 0;      // queue pair of its core
    std::uint32_t commands = 0;  // commands in flight
    std::uint32_t version = 0;   // version of a write or trim
    CommandStatus status = 0;    // status of the first command that failed
    bool issued = false;         // all commands are out
    bool verify = false;
    // Of the commands that have ended, when it has several.
    std::uint32_t retries = 0;
    std::vector<std::uint16_t> dies;
  };
  /// A command in flight, by its place in the queue pairs.
  struct Command {
    std::uint32_t request = kNone;
    Picoseconds submitted{};
    CheckedData::Extent data;
  };

  void end_of_elaboration() override;
  // HostPathClientIf
  void ready(std::uint32_t max_nlb) override;
  void completed(std::uint32_t pair, std::uint16_t id, CommandStatus status, Picoseconds at) override;
  void shut_down() override;

  void alarm() override { submit(); }
  void submit();
  void wake();
  void start_request(const workload::Request& what, Picoseconds submitted, bool verify);
  void issue();
  bool issue_on(std::uint32_t pair);
  void build(std::uint32_t place, std::uint32_t index);
  void send_refused();
  void judge(Request& request, Command& command, CommandStatus status, bool last);
  void take_error(Request& request, const Command& command, CommandStatus status);
  void finish_request(std::uint32_t index, const Command& last, tlm_if::Finished& finished, Picoseconds at);
  void verify_next();
  void check_end();
  void fail(const std::string& text);

  const std::uint64_t user_lbas_;
  std::uint32_t grain_ = 1;  // requests are of multiples of so many LBAs, a power of two
  const Picoseconds turnaround_;
  const config::OnError on_error_;
  const DriverOptions options_;
  results::RequestStatistics& request_statistics_;
  DriverWaves waves_;
  WorkloadFeed feed_;
  CheckedData data_;

  Phase phase_ = Phase::kBringUp;
  std::uint32_t max_nlb_ = kLbasPerHostPage;  // LBAs of one command, at most
  Pool<Request> requests_;
  HostCores& cores_;
  PairQueues queues_;
  std::vector<Command> commands_;  // by place
  std::uint32_t refused_ = kNone;  // command that the drive did not take
  std::uint64_t numbers_ = 0;      // requests so far
  std::uint32_t active_ = 0;       // requests submitted and not completed
  unsigned in_flight_ = 0;         // commands
  std::uint64_t verify_lba_ = 0;
  Counters counters_;
  MediaErrors errors_;
  tlm_if::Alarm submits_;
  RunBorders borders_;
};

}  // namespace wordline::host
