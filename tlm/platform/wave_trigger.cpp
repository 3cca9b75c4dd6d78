// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/wave_trigger.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "tlm/protocol/interfaces.h"

namespace wordline::platform {
namespace {

constexpr const char* kScope = "ssd.host";

/// A module gives values for the time ahead when an operation of a die begins: a window needs those of the longest, an
/// erase, or a program that has to be repeated in part.
Picoseconds longest_operation(const config::NandTiming& timing) {
  Picoseconds longest = std::max(timing.t_bers, timing.erase_loops * (timing.t_erase_pulse + timing.t_erase_verify));
  for (const Picoseconds program : timing.t_prog) longest = std::max(longest, program);
  return 2 * std::max(longest, Picoseconds(3'000'000'000));
}
// The youngest copy may have been made too late for the window, the one before it has not.
constexpr std::size_t kCopies = 2;

std::runtime_error failure(const char* what) {
  return std::runtime_error(fmt::format("observe.trigger: {}: {}", what, std::strerror(errno)));
}

void make_pipe(int (&ends)[2]) {
  if (::pipe2(ends, O_CLOEXEC) != 0) throw failure("cannot make a pipe");
}

/// Whole messages only; false at the end of the pipe.
template <class Message>
bool receive(int pipe, Message& message) {
  auto* to = reinterpret_cast<char*>(&message);
  for (std::size_t got = 0; got < sizeof message;) {
    const ssize_t more = ::read(pipe, to + got, sizeof message - got);
    if (more == 0 || (more < 0 && errno != EINTR)) return false;
    if (more > 0) got += static_cast<std::size_t>(more);
  }
  return true;
}

/// Shorter than what a pipe takes at once.
template <class Message>
bool send(int pipe, const Message& message) {
  ssize_t sent = 0;
  do sent = ::write(pipe, &message, sizeof message);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

/// A copy says nothing, is not reached by Ctrl-C, and ends when the process ends that made it.
void detach() {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)std::signal(SIGPIPE, SIG_IGN);  // the run may not be waiting any more
  const int nothing = ::open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
}

}  // namespace

WaveTrigger::WaveTrigger(const config::Config& config, observe::FstRecorder& recorder)
    : observe_(config.observe),
      trigger_(config::parse_latency_trigger(observe_.trigger).value()),
      recorder_(recorder),
      path_(recorder.path()),
      lead_(longest_operation(config.nand.timing)),
      recorded_(recorder.add_bit(kScope, "recorded")),
      request_(recorder.add_text(kScope, "slow_request")) {
  make_pipe(answers_);
}

WaveTrigger::~WaveTrigger() {
  if (is_copy_) ::_exit(1);  // an error has ended the simulation of a copy
  for (const Copy& copy : copies_) let_go(copy);
  for (const int end : answers_) {
    if (end >= 0) ::close(end);
  }
  for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
}

void WaveTrigger::finished(const results::FinishedRequest& request) {
  if (request.latency() <= trigger_.above) return;
  if (!trigger_.op.empty() && trigger_.op != workload::op_name(request.op)) return;
  if (is_copy_) {
    if (!recorder_.listening()) return;
    recorder_.set_text(request_, tlm_if::now(),
                       fmt::format("{} LBA {} +{} B: {:.3f} us", workload::op_name(request.op), request.lba,
                                   request.bytes, static_cast<double>(request.latency().count()) * 1e-6));
    return;
  }
  ++fired_;
  wanted_.push_back({request.completed - observe_.trigger_before, request.completed + observe_.trigger_after,
                     request.submitted, request.completed});
}

void WaveTrigger::paused(std::uint64_t completed) {
  const Picoseconds now = tlm_if::now();
  if (is_copy_) {
    if (now.count() > own_.to) end_copy();
    return;
  }
  for (const Window& window : std::exchange(wanted_, {})) {
    if (windows_.size() < observe_.trigger_limit || window.completed <= windows_.back().to) order(window);
  }
  // Both copies have to find what the map has held since they were made.
  const bool due = completed - copied_at_ >= observe_.trigger_checkpoint ||
                   (!copies_.empty() && map_.position() - copies_.back().position >= WL_JOURNAL_WORDS / 4);
  if (copies_.empty() || (due && now - copies_.back().at >= observe_.trigger_before + lead_)) {
    leave_copy(completed);
  }
}

// Windows do not overlap: what one has, the next leaves out.
void WaveTrigger::order(Window window) {
  ++kept_;
  window.from = std::max(window.from, Picoseconds(0));
  if (!windows_.empty()) {
    if (window.to <= windows_.back().to) return;
    window.from = std::max(window.from, windows_.back().to + Picoseconds(1));
  }
  const auto before = std::find_if(copies_.rbegin(), copies_.rend(),
                                   [this, &window](const Copy& copy) { return copy.at + lead_ <= window.from; });
  const Copy& copy = before == copies_.rend() ? copies_.front() : *before;
  windows_.push_back(window);
  const Order order{static_cast<std::uint32_t>(windows_.size()), window.from.count(), window.to.count()};
  bool there = send(copy.orders, order);
  // The run stands still until the copy has taken the map.
  for (std::uint32_t taken = 0; there && taken != order.number;) there = receive(copy.taken, taken);
  if (!there) throw failure("a copy of the program has ended");
}

void WaveTrigger::let_go(const Copy& copy) {
  ::close(copy.orders);
  ::close(copy.taken);
}

void WaveTrigger::leave_copy(std::uint64_t completed) {
  int orders[2], taken[2];
  make_pipe(orders);
  make_pipe(taken);
  position_ = map_.position();
  const pid_t process = ::fork();
  if (process < 0) throw failure("cannot make a copy of the program");
  if (process == 0) {
    ::close(orders[1]);
    ::close(taken[0]);
    ::close(answers_[0]);
    answers_[0] = -1;
    for (const Copy& other : copies_) let_go(other);
    copies_.clear();
    processes_.clear();
    wait_for_orders(orders[0], taken[1]);
    return;
  }
  ::close(orders[0]);
  ::close(taken[1]);
  copied_at_ = completed;
  processes_.push_back(process);
  copies_.push_back({process, orders[1], taken[0], tlm_if::now(), position_});
  if (copies_.size() <= kCopies) return;
  let_go(copies_.front());  // it does what it was told, and ends
  copies_.pop_front();
  map_.forget_before(copies_.front().position);
}

/// In a copy. Each order is carried out by a copy of the copy, in which this call returns.
void WaveTrigger::wait_for_orders(int orders, int taken) {
  is_copy_ = true;
  detach();
  for (Order order{}; receive(orders, order);) {
    const pid_t process = ::fork();
    if (process == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(orders);
      record(order);
      (void)send(taken, order.number);
      ::close(taken);
      return;
    }
    int status = 1;
    if (process > 0) ::waitpid(process, &status, 0);
    (void)send(taken, order.number);  // once more, for it may have failed before
    const bool recorded = process > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    (void)send(answers_[1], Answer{order.number, recorded ? 1U : 0U});
  }
  ::_exit(0);
}

void WaveTrigger::record(const Order& order) {
  own_ = order;
  try {
    map_.return_to(position_);
    leave_out_();
    const Picoseconds from = std::max(Picoseconds(order.from), tlm_if::now());
    recorder_.record_to(part(order.number), {from, Picoseconds(order.to + 1), lead_});
    recorder_.set(recorded_, from, 1);
  } catch (const std::exception&) {
    ::_exit(1);
  }
}

/// Without destructors and without what the run has not written yet: that is the run's to write.
void WaveTrigger::end_copy() {
  try {
    recorder_.close();
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

void WaveTrigger::ended(bool failed) {
  if (is_copy_) end_copy();
  for (const Window& window : std::exchange(wanted_, {})) {
    if (windows_.size() < observe_.trigger_limit || window.completed <= windows_.back().to) order(window);
  }
  const Picoseconds end = tlm_if::now();
  if (failed && !copies_.empty()) {
    order({end - observe_.trigger_before, end, end, end});
    --kept_;
  }
  const std::uint32_t recorded = collect_answers();
  std::vector<std::string> parts;
  for (std::uint32_t number = 1; number <= windows_.size(); ++number) parts.push_back(part(number));
  if (recorded == windows_.size() && !parts.empty()) recorder_.join(parts, recorded_);
  for (const std::string& file : parts) {
    std::filesystem::remove(file);
    std::filesystem::remove(file + ".hier");
  }
  if (recorded != windows_.size()) {
    throw std::runtime_error(
        fmt::format("observe.trigger: {} of {} windows could not be recorded beside \"{}\": no "
                    "space left, or no memory for a copy of the program?",
                    windows_.size() - recorded, windows_.size(), path_));
  }
}

std::uint32_t WaveTrigger::collect_answers() {
  for (const Copy& copy : copies_) let_go(copy);
  copies_.clear();
  ::close(std::exchange(answers_[1], -1));  // else the pipe would not end
  std::uint32_t recorded = 0;
  for (Answer answer{}; receive(answers_[0], answer);) recorded += answer.recorded;
  for (const pid_t process : std::exchange(processes_, {})) ::waitpid(process, nullptr, 0);
  return recorded;
}

std::string WaveTrigger::part(std::uint32_t number) const { return fmt::format("{}.part{}", path_, number); }

std::string WaveTrigger::notice() const {
  if (fired_ == 0) {
    return fmt::format("observe.trigger = \"{}\": no request was slower{}", observe_.trigger,
                       windows_.empty() ? ", so there is no waveform" : "; the waveform shows the end of the run");
  }
  return fmt::format("observe.trigger = \"{}\": {} {} slower, {} of them in the {} of the waveform", observe_.trigger,
                     fired_, fired_ == 1 ? "request was" : "requests were", kept_,
                     windows_.size() == 1 ? "window" : fmt::format("{} windows", windows_.size()));
}

}  // namespace wordline::platform
