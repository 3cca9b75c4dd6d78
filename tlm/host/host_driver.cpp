// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/host_driver.h"

#include <algorithm>
#include <stdexcept>

namespace wordline::host {

using tlm_if::now;
using tlm_if::to_sc_time;
using workload::Op;

HostDriver::HostDriver(const sc_core::sc_module_name& name, const config::Config& config, std::uint64_t user_sectors,
                       workload::Source& source, results::Collector& collector, Oracle& oracle, HostMemory& memory,
                       PcieLink& link, tlm_if::RecorderIf* recorder, DriverOptions options)
    : sc_module(name),
      config_(config),
      user_sectors_(user_sectors),
      source_(source),
      collector_(collector),
      oracle_(oracle),
      memory_(memory),
      link_(link),
      recorder_(recorder),
      options_(options),
      is_direct_(config.host.model == config::HostModel::kDirect) {
  if (config.host.queue_entries < 2 || config.host.queue_entries > 65536) {
    throw std::invalid_argument("host.queue_entries: " + std::to_string(config.host.queue_entries) +
                                " is not between 2 and 65536");
  }
  // A queue of n entries holds n - 1; with the completion queue as long, that many commands are in flight at most. With
  // host.model = direct the controller's tags are the limit.
  const std::uint32_t limit =
      is_direct_ ? std::min<std::uint32_t>(config.nvme.tags, 65535) : config.host.queue_entries - 1;
  commands_.resize(limit);
  free_cids_.reserve(limit);
  for (std::uint32_t cid = limit; cid-- > 0;) free_cids_.push_back(static_cast<std::uint16_t>(cid));
  job_over_.assign(source.jobs(), false);
  // Until Identify says otherwise.
  max_blocks_ = std::min<std::uint32_t>(std::max(config.nvme.max_transfer_sectors, 1U), nvme::kPrpsPerPage) *
                kLbasPerSector;
  if (recorder_ != nullptr) {
    signal_in_flight_ = recorder_->add_vector("ssd.host", "queue_depth", 16);
    signal_waiting_ = recorder_->add_vector("ssd.host", "waiting_depth", 32);
    signal_request_ = recorder_->add_text("ssd.host", "request");
  }
  SC_HAS_PROCESS(HostDriver);
  if (!is_direct_) {
    SC_METHOD(bring_up);
    sensitive << bring_up_event_;
  }
  SC_METHOD(submit);
  sensitive << submit_event_;
  dont_initialize();
}

/// The drive takes commands: the workload begins.
void HostDriver::start_run() {
  phase_ = Phase::kRun;
  run_start_ = now();
  if (source_.open_loop()) {
    look_ahead();
  } else {
    for (unsigned job = 0; job < source_.jobs(); ++job) {
      for (unsigned place = 0; place < source_.depth(job); ++place) due_.push({run_start_, job});
    }
  }
  submit_event_.notify(sc_core::SC_ZERO_TIME);
}

void HostDriver::stop() {
  stopping_ = true;
  if (phase_ == Phase::kRun || phase_ == Phase::kVerify) submit_event_.notify(sc_core::SC_ZERO_TIME);
}

void HostDriver::look_ahead() {
  ahead_ = source_.next(0, now() - run_start_, next_);
  if (!ahead_) job_over_[0] = true;
}

/// Submits everything that is due at the present.
void HostDriver::submit() {
  const Picoseconds at = now();
  while (!due_.empty() && due_.front().at <= at) {
    const unsigned job = due_.front().job;
    due_.pop();
    if (stopping_ || job_over_[job]) continue;
    workload::Request what;
    if (source_.next(job, at - run_start_, what)) {
      start_request(what, at, false);
    } else {
      job_over_[job] = true;
    }
  }
  while (ahead_ && !stopping_ && run_start_ + next_.arrival <= at) {
    start_request(next_, run_start_ + next_.arrival, false);
    look_ahead();
  }
  if (phase_ == Phase::kVerify) verify_next();
  issue();
  check_end();
  wake();
}

/// Sleeps until the next submission.
void HostDriver::wake() {
  if (phase_ == Phase::kOver) return;
  Picoseconds next(INT64_MAX);
  if (!due_.empty()) next = due_.front().at;
  if (ahead_ && !stopping_) next = std::min(next, run_start_ + next_.arrival);
  if (next != Picoseconds(INT64_MAX)) submit_event_.notify(to_sc_time(std::max(next - now(), Picoseconds(0))));
}

void HostDriver::start_request(const workload::Request& what, Picoseconds submitted, bool verify) {
  const std::uint64_t lbas = user_sectors_ * kLbasPerSector;
  const bool inside = what.blocks != 0 && what.lba.value() < lbas && what.blocks <= lbas - what.lba.value();
  if (what.op != Op::kFlush && !inside) {
    const std::string text = "request " + std::to_string(numbers_ + 1) + " (" + workload::op_name(what.op) + " of " +
                             std::to_string(what.blocks) + " blocks at LBA " + std::to_string(what.lba.value()) +
                             ") is empty or ends beyond the drive's " + std::to_string(lbas) + " blocks";
    stopping_ = true;
    SC_REPORT_ERROR("wordline/host", text.c_str());
    return;
  }
  const std::uint32_t index = requests_.acquire(Request());
  Request& request = requests_[index];
  request.what = what;
  request.number = ++numbers_;
  request.submitted = submitted;
  request.verify = verify;
  if (!verify) ++started_;
  ++active_;
  if (!verify && (waiting_.size() >= free_cids_.size() || refused_ != kNone)) ++delayed_;
  waiting_.push(index);
  if (recorder_ != nullptr && recorder_->active()) {
    const std::string text = std::string(verify ? "verify " : "") + workload::op_name(what.op) + " " +
                             std::to_string(what.lba.value()) + "+" + std::to_string(what.blocks);
    recorder_->set_text(signal_request_, now(), text);
  }
}

/// The last command of the request, `last`, is complete.
void HostDriver::finish_request(std::uint32_t index, const Command& last, Picoseconds at) {
  Request& request = requests_[index];
  tlm_if::StageTimes times = stage_times_;
  times[static_cast<std::size_t>(tlm_if::Stage::kSubmit)] += last.submitted - request.submitted;
  if (!request.verify) {
    const std::uint64_t bytes = request.what.op == Op::kFlush ? 0 : std::uint64_t{request.what.blocks} * kLbaBytes;
    collector_.record(request.what.op, bytes, request.submitted, at, times.data());
    ++completed_;
    if (!source_.open_loop() && !job_over_[request.what.job]) {
      due_.push({at + config_.host.turnaround, request.what.job});
    }
  }
  --active_;
  requests_.release(index);
}

/// Keeps the read-back of the whole drive going.
void HostDriver::verify_next() {
  const std::uint64_t end = user_sectors_ * kLbasPerSector;
  while (!stopping_ && verify_lba_ < end && active_ < kVerifyDepth) {
    workload::Request what;
    what.op = Op::kRead;
    what.lba = Lba(verify_lba_);
    what.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(max_blocks_, end - verify_lba_));
    verify_lba_ += what.blocks;
    start_request(what, now(), true);
  }
}

void HostDriver::check_end() {
  if (active_ != 0 || phase_ == Phase::kOver || phase_ == Phase::kBringUp) return;
  if (phase_ == Phase::kRun) {
    const bool over = stopping_ || std::all_of(job_over_.begin(), job_over_.end(), [](bool job) { return job; });
    if (!over && !(due_.empty() && !ahead_)) return;
    if (options_.verify_all && !stopping_) {
      phase_ = Phase::kVerify;
      verify_next();
      issue();
      if (active_ != 0) return;
    }
  } else if (!stopping_ && verify_lba_ < user_sectors_ * kLbasPerSector) {
    return;
  }
  phase_ = Phase::kOver;
  done_ = true;
  done_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace wordline::host
