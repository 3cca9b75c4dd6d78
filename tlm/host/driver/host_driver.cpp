// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/host_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/firmware/contract/contract.h"
#include "tlm/host/driver/status_text.h"

namespace wordline::host {
namespace {

using workload::Op;

constexpr const char* kReport = "wordline/host";
constexpr std::uint32_t kVerifyDepth = 32;

static_assert(tlm_if::Finished::kNoDie == results::FinishedRequest::kNoDie, "the driver hands it on");

Operation operation_of(Op op) {
  switch (op) {
    case Op::kRead:
      return Operation::kRead;
    case Op::kWrite:
      return Operation::kWrite;
    case Op::kTrim:
      return Operation::kDeallocate;
    case Op::kFlush:
      break;
  }
  return Operation::kFlush;
}

}  // namespace

HostDriver::HostDriver(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                       const config::Config& config, std::uint64_t user_lpages, workload::Source& source,
                       results::RequestStatistics& request_statistics, Oracle& oracle, HostMemory& memory,
                       HostCores& cores, tlm_if::RecorderIf* recorder, DriverOptions options)
    : sc_module(name),
      user_lbas_(config::lpage_size_of(config).first_lba(user_lpages)),
      turnaround_(config.host.turnaround),
      on_error_(config.host.on_error),
      options_(options),
      request_statistics_(request_statistics),
      waves_(context, recorder),
      feed_(source),
      data_(oracle, memory, config::lpage_size_of(config), HostMetadata(config, user_lbas_, memory),
            {options.promises, options.client}, config.host.buffers == config::Buffers::kContiguous),
      cores_(cores),
      submits_(context.alarms(), *this),
      borders_(context) {}

void HostDriver::end_of_elaboration() {
  queues_.open(path->pairs(), path->depth());
  grain_ = path->grain();
  commands_.resize(queues_.places());
  path->connect(*this);
}

/// The workload begins; or a command that was refused is submitted again.
void HostDriver::ready(std::uint32_t max_nlb) {
  max_nlb_ = max_nlb;
  if (phase_ == Phase::kBringUp) {
    phase_ = Phase::kRun;
    feed_.start(submits_.now());
    borders_.reach(RunBorder::kWorkloadBegins);
  } else if (refused_ != kNone) {
    send_refused();
    if (refused_ != kNone) return;
  } else {
    return;
  }
  submits_.set_no_later_than(submits_.now());
}

void HostDriver::arrived() {
  feed_.arrived();
  if (phase_ == Phase::kRun) submits_.set_no_later_than(submits_.now());
}

void HostDriver::stop() {
  feed_.stop();
  if (phase_ == Phase::kRun || phase_ == Phase::kVerify) submits_.set_no_later_than(submits_.now());
}

void HostDriver::fail(const std::string& text) {
  feed_.stop();
  SC_REPORT_ERROR(kReport, text.c_str());
}

/// Submits everything that is due at the present.
void HostDriver::submit() {
  const Picoseconds at = submits_.now();
  workload::Request what;
  Picoseconds submitted;
  while (feed_.take(at, what, submitted)) start_request(what, submitted, false);
  if (phase_ == Phase::kVerify) verify_next();
  queues_.pass_on(submits_.now());
  issue();
  check_end();
  wake();
}

/// Sleeps until the next submission.
void HostDriver::wake() {
  if (phase_ == Phase::kOver) return;
  const Picoseconds next = feed_.next();
  if (next != WorkloadFeed::kNever) {
    submits_.set_no_later_than(std::max(next, submits_.now()));
  }
  if (queues_.works()) submits_.set_no_later_than(queues_.next());
}

void HostDriver::start_request(const workload::Request& what, Picoseconds submitted, bool verify) {
  const std::uint64_t lba = what.lba.value();
  const bool inside = what.nlb != 0 && lba < user_lbas_ && what.nlb <= user_lbas_ - lba;
  if (what.op != Op::kFlush && !inside) {
    fail(fmt::format("request {} ({} of {} blocks at LBA {}) is empty or ends beyond the drive's {} blocks",
                     numbers_ + 1, workload::op_name(what.op), what.nlb, lba, user_lbas_));
    return;
  }
  if (((lba | what.nlb) & (grain_ - 1)) != 0 && what.op != Op::kFlush && what.op != Op::kTrim) {
    fail(
        fmt::format("request {} ({} of {} blocks of 512 bytes at {}) begins or ends inside of a logical block of {} "
                    "bytes: use nvme.lba_size = 512B, or a workload of multiples of it",
                    numbers_ + 1, workload::op_name(what.op), what.nlb, lba, grain_ * kLbaBytes));
    return;
  }
  const std::uint32_t index = requests_.acquire(Request());
  Request& request = requests_[index];
  request.what = what;
  request.number = ++numbers_;
  request.submitted = submitted;
  request.verify = verify;
  if (!verify) {
    ++counters_.started;
    counters_.time_in_flight[static_cast<std::size_t>(what.op)] -= static_cast<std::uint64_t>(submits_.now().count());
  }
  ++active_;
  // The read-back is the work of the first core, and costs it nothing.
  const std::uint32_t core =
      verify ? 0 : (feed_.by_arrival() ? static_cast<std::uint32_t>(numbers_ - 1) : what.job) % cores_.cores();
  request.pair = queues_.pairs() == 1 ? 0 : cores_.pair_of(core);
  if (!verify && (queues_.is_full(request.pair) || refused_ != kNone)) ++counters_.delayed;
  const Picoseconds at = verify ? submits_.now() : cores_.submit(core, submits_.now());
  if (at > submits_.now()) {
    queues_.submit(index, request.pair, at);
  } else {
    queues_.submit_now(index, request.pair);
  }
  waves_.request(what, verify);
}

/// Turns waiting requests into commands while there are identifiers; one doorbell for all of them.
void HostDriver::issue() {
  bool sent = false;
  for (std::uint32_t pair = 0; pair < queues_.pairs(); ++pair) sent = issue_on(pair) || sent;
  if (sent) path->ring();
  waves_.levels(in_flight_, queues_.waiting());
}

bool HostDriver::issue_on(std::uint32_t pair) {
  bool sent = false;
  while (queues_.can_issue(pair) && refused_ == kNone) {
    const std::uint32_t index = queues_.first(pair);
    const std::uint32_t place = queues_.take_place(pair);
    build(place, index);
    if (requests_[index].issued) queues_.drop_first(pair);
    counters_.most_in_flight = std::max(counters_.most_in_flight, ++in_flight_);
    counters_.longest = std::max(counters_.longest, commands_[place].data.nlb);
    stage_clock->submitted(static_cast<std::uint16_t>(kDriverQueue + queues_.pair_of(place)), queues_.id_of(place),
                           commands_[place].submitted);
    refused_ = place;
    send_refused();
    sent = true;
  }
  return sent;
}

/// The next command of the request: its range, its buffers.
void HostDriver::build(std::uint32_t place, std::uint32_t index) {
  Request& request = requests_[index];
  Command& command = commands_[place];
  command.request = index;
  command.submitted = submits_.now();
  command.data.slba = request.what.lba.value() + request.issued_nlb;
  command.data.nlb = 0;
  const Op op = request.what.op;
  if (op != Op::kFlush) {
    const std::uint64_t left = request.what.nlb - request.issued_nlb;
    // A range takes 2^32 - 1 LBAs, as a request.
    const std::uint64_t most = op == Op::kTrim ? left : std::min<std::uint64_t>(left, max_nlb_);
    command.data.nlb = static_cast<std::uint32_t>(std::min(most, path->room_from(command.data.slba)));
  }
  request.issued_nlb += command.data.nlb;
  request.issued = op == Op::kFlush || request.issued_nlb == request.what.nlb;
  ++request.commands;
  command.data.forced = request.what.fua;
  command.data.tag = request.what.tag;
  data_.begin(op, command.data, request.number, request.version);
}

void HostDriver::send_refused() {
  const Command& command = commands_[refused_];
  const Op op = requests_[command.request].what.op;
  PathCommand out;
  out.pair = queues_.pair_of(refused_);
  out.id = queues_.id_of(refused_);
  out.op = operation_of(op);
  out.fua = requests_[command.request].what.fua;
  out.placement = requests_[command.request].what.placement;
  out.slba = command.data.slba;
  out.nlb = op == Op::kTrim ? 1 : command.data.nlb;  // one range
  out.pages = command.data.pages.data();
  out.metadata = command.data.metadata;
  out.page_count = static_cast<std::uint32_t>(command.data.pages.size());
  if (path->submit(out)) refused_ = kNone;
}

void HostDriver::completed(std::uint32_t pair, std::uint16_t id, CommandStatus status, Picoseconds at) {
  const std::uint32_t place = queues_.place(pair, id);
  if (place == queues_.places() || commands_[place].request == kNone) {
    SC_REPORT_ERROR(kReport, fmt::format("completion of command {}, which is not in flight", id).c_str());
    return;
  }
  Command& command = commands_[place];
  const std::uint32_t index = command.request;
  Request& request = requests_[index];
  data_.prefetch(command.data.slba);
  const bool reads = request.what.op == Op::kRead;
  tlm_if::Finished stages = stage_clock->finish(static_cast<std::uint16_t>(kDriverQueue + pair), id, at,
                                                reads ? +WL_WAITER_READ : +WL_WAITER_WRITE);
  --request.commands;
  --in_flight_;
  ++counters_.commands_completed;
  if (options_.by_queue != nullptr && !request.verify) options_.by_queue->add(pair, at - command.submitted);
  command.request = kNone;
  const bool last = request.issued && request.commands == 0;
  if (!last && stages.dies != nullptr) {
    request.retries += stages.retries;
    request.dies.insert(request.dies.end(), stages.dies->begin(), stages.dies->end());
  }
  judge(request, command, status, last);
  data_.release(command.data);
  queues_.give_back(place);
  if (last) finish_request(index, command, stages, at);
  waves_.levels(in_flight_, queues_.waiting());
  // A waiting request takes the place at once, by way of the submission process; so does the end of the run.
  const bool idle = active_ == 0 && (feed_.stopped() || feed_.nothing_due());
  if (queues_.waiting() != 0 || phase_ == Phase::kVerify || idle) {
    submits_.set_no_later_than(submits_.now());
  } else {
    wake();
  }
  if (refused_ != kNone) send_refused();
}

void HostDriver::judge(Request& request, Command& command, CommandStatus status, bool last) {
  const Op op = request.what.op;
  if ((status & 0x7ffU) != 0) {
    data_.fail(op, command.data, request.version);
    take_error(request, command, status);
    return;
  }
  if (op == Op::kRead) counters_.lbas_read += command.data.nlb;
  if (op == Op::kWrite) counters_.lbas_written += command.data.nlb;
  // A request is checked when all of its commands are.
  const bool counted = last && request.status == 0;
  // Whoever asked for the data gets what the drive has returned.
  if (!data_.end(op, command.data, request.version, counted) && !feed_.stopped() && options_.client == nullptr) {
    fail("wrong data: " + data_.message(fmt::format("request {}", request.number)));
  }
}

void HostDriver::take_error(Request& request, const Command& command, CommandStatus status) {
  ++counters_.io_errors;
  const bool media = MediaErrors::is_one(status);
  if (media && request.status == 0) errors_.count(request.what.op, request.verify, status);
  if (request.status == 0) request.status = status;
  if (media && on_error_ == config::OnError::kCount) return;
  fail(fmt::format("{} of {} blocks at LBA {} (request {}) failed: {}", workload::op_name(request.what.op),
                   command.data.nlb, command.data.slba, request.number, text_of(status)));
}

/// The last command of the request, `last`, is complete.
void HostDriver::finish_request(std::uint32_t index, const Command& last, tlm_if::Finished& finished, Picoseconds at) {
  Request& request = requests_[index];
  tlm_if::StageTimes& times = finished.times;
  times[static_cast<std::size_t>(tlm_if::Stage::kSubmit)] += last.submitted - request.submitted;
  if (!request.verify) {
    const std::uint64_t bytes = request.what.op == Op::kFlush ? 0 : std::uint64_t{request.what.nlb} * kLbaBytes;
    if (request.status == 0) {
      if (!request.dies.empty()) {
        request.dies.insert(request.dies.end(), finished.dies->begin(), finished.dies->end());
        finished.dies = &request.dies;
      }
      request_statistics_.record({request.what.op, request.what.job, bytes, request.submitted, at, times.data(),
                                  request.what.lba.value(), finished.die, request.what.depth,
                                  at - feed_.started() < request.what.measured_from, finished.waits.data(),
                                  request.retries + finished.retries, finished.dies});
      if (request_statistics_.enough() && !feed_.over()) feed_.finish();
    }
    if (options_.client != nullptr) options_.client->request_ended(request.what.tag, request.status, at);
    ++counters_.completed;
    ++counters_.ended[static_cast<std::size_t>(request.what.op)];
    counters_.time_in_flight[static_cast<std::size_t>(request.what.op)] += static_cast<std::uint64_t>(at.count());
    feed_.completed(request.what, request.submitted, at, at + turnaround_);
  }
  --active_;
  requests_.release(index);
}

/// Keeps the read-back of the whole drive going.
void HostDriver::verify_next() {
  while (!feed_.stopped() && verify_lba_ < user_lbas_ && active_ < kVerifyDepth) {
    workload::Request what;
    what.op = Op::kRead;
    what.lba = Lba(verify_lba_);
    what.nlb = static_cast<std::uint32_t>(std::min<std::uint64_t>(max_nlb_, user_lbas_ - verify_lba_));
    verify_lba_ += what.nlb;
    start_request(what, submits_.now(), true);
  }
}

void HostDriver::check_end() {
  if (active_ != 0 || phase_ == Phase::kOver || phase_ == Phase::kShutDown || phase_ == Phase::kBringUp) return;
  if (phase_ == Phase::kRun) {
    if (!feed_.over() && !feed_.nothing_due()) return;
    if (!feed_.over()) fail("the workload waits for itself: none of its jobs has a request and none is in flight");
    borders_.reach(RunBorder::kWorkloadEnds);
    if (options_.verify_all && !feed_.stopped()) {
      phase_ = Phase::kVerify;
      data_.workload_over();
      verify_next();
      issue();
      if (active_ != 0) return;
    }
  } else if (!feed_.stopped() && verify_lba_ < user_lbas_) {
    return;
  }
  if (options_.shut_down && !feed_.stopped()) {
    phase_ = Phase::kShutDown;
    counters_.shutdown = Picoseconds(0) - submits_.now();
    if (path->shut_down()) return;
    fail("this host interface knows no shutdown");
  }
  phase_ = Phase::kOver;
  borders_.reach(RunBorder::kDone);
}

void HostDriver::shut_down() {
  counters_.shutdown = counters_.shutdown + submits_.now();
  data_.shut_down();
  phase_ = Phase::kOver;
  borders_.reach(RunBorder::kDone);
}

}  // namespace wordline::host
