// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/round_robin_arbiter.h"

#include <algorithm>
#include <stdexcept>

#include "models/onfi/timing.h"

namespace wordline::flash {

RoundRobinArbiter::RoundRobinArbiter(const config::Channels& channels, Picoseconds longest_read)
    : packages_(channels.packages),
      starvation_bound_(channels.starvation_bound),
      turnaround_(std::max(channels.t_rr, channels.t_rhw)),
      dummy_busy_(std::max(turnaround_, channels.t_wb + channels.t_dbsy)),
      selection_(onfi::BusTiming(channels).command(kSelectCycles)),
      command_(onfi::BusTiming(channels).command(kReadCycles)),
      longest_read_(longest_read),
      ready_(kBusClasses, ReadyMap(channels.packages, channels.dies_per_package)),
      asked_(std::size_t{channels.packages} * channels.dies_per_package),
      pages_(std::size_t{channels.packages} * channels.dies_per_package) {
  if (packages_ > 64 || channels.dies_per_package > 64) {
    throw std::invalid_argument("channels.packages and channels.dies_per_package: at most 64 each");
  }
  for (std::uint32_t die = 0; die < asked_.size(); ++die) asked_[die].place = ready_.front().place(die);
}

void RoundRobinArbiter::request(std::uint32_t die, const BusRequest& request, Picoseconds at) {
  asked_[die].request = request;
  if (at < request.from) {
    set_timer(die, request.from);
    set_class(die, std::nullopt);
  } else {
    set_class(die, request.bus_class);
  }
}

void RoundRobinArbiter::withdraw(std::uint32_t die) {
  asked_[die].request.reset();
  set_class(die, std::nullopt);
}

void RoundRobinArbiter::set_class(std::uint32_t die, std::optional<BusClass> bus_class) {
  Asked& asked = asked_[die];
  if (asked.ready == bus_class) return;
  if (asked.ready) ready(*asked.ready).clear(asked.place);
  if (bus_class) ready(*bus_class).set(asked.place);
  asked.ready = bus_class;
}

void RoundRobinArbiter::stream(std::uint32_t die, bool more) {
  if (more) {
    if (turn_ == kNoDie) turn_ = die;
  } else if (turn_ == die) {
    turn_ = kNoDie;
  }
}

void RoundRobinArbiter::senses(std::uint32_t die, std::uint32_t pages) {
  all_pages_ += pages - pages_[die];
  pages_[die] = pages;
}

void RoundRobinArbiter::page_is_out(std::uint32_t die) {
  if (pages_[die] == 0) return;
  --pages_[die];
  --all_pages_;
}

// ---- requests that lie ahead ----------------------------------------------------------------------------------------

void RoundRobinArbiter::set_timer(std::uint32_t die, Picoseconds at) {
  if (asked_[die].timer == at) return;
  asked_[die].timer = at;
  timers_.push_back({at, die});
  std::push_heap(timers_.begin(), timers_.end());
}

void RoundRobinArbiter::expire_timers(Picoseconds until) {
  while (!timers_.empty() && timers_.front().at <= until) {
    std::pop_heap(timers_.begin(), timers_.end());
    const Timer timer = timers_.back();
    timers_.pop_back();
    Asked& asked = asked_[timer.die];
    if (asked.timer != timer.at) continue;  // the die's plans have changed since
    asked.timer = Picoseconds(-1);
    if (asked.request) set_class(timer.die, asked.request->bus_class);
  }
}

/// Whether data would be next on the bus, and it is better to wait for what is about to be due: a command that sets a
/// die to work, or the next data of a die that has begun to stream.
bool RoundRobinArbiter::command_is_near(Picoseconds now) const {
  if (timers_.empty() || now + dummy_busy_ < timers_.front().at) return false;
  if (ready(BusClass::kShort).any(locked_)) return false;
  const Timer& timer = timers_.front();
  const Asked& asked = asked_[timer.die];
  if (asked.timer != timer.at || (locked_ >> package(timer.die) & 1U) != 0) return false;
  if (!asked.request) return false;
  switch (asked.request->worth) {
    case WorthWaiting::kNo:
      return false;
    case WorthWaiting::kTurnaround:
      if (now + turnaround_ < timer.at) return false;
      break;
    case WorthWaiting::kDummyBusy:
      break;
  }
  const Picoseconds work = asked.request->until_data > Picoseconds(0) ? asked.request->until_data : longest_read_;
  const Picoseconds data = data_at_hand();
  const Picoseconds idle_if_first = std::max(Picoseconds(0), work - data);
  const Picoseconds idle_if_second = std::max(Picoseconds(0), work - (data - next_burst()));
  if (idle_if_second - idle_if_first <= timer.at - now) return false;
  // A column selection may fit in before.
  return ready(BusClass::kSelectedOut).any(0) || !any_out() || timer.at < now + selection_;
}

// ---- who is next ----------------------------------------------------------------------------------------------------

bool RoundRobinArbiter::turn_is_ready() const {
  return turn_ != kNoDie && asked_[turn_].ready == BusClass::kMoreOut && (locked_ >> package(turn_) & 1U) == 0;
}

bool RoundRobinArbiter::any_out() const {
  return turn_is_ready() || ((ready(BusClass::kMoreOut).any(locked_) || ready(BusClass::kOut).any(locked_)) &&
                             (turn_ == kNoDie || shares_turn()));
}

bool RoundRobinArbiter::any_in() const {
  const ReadyMap& fresh = ready(BusClass::kNewIn);
  return ready(BusClass::kIn).any(locked_) || (fresh.any(locked_) && (loading_ == 0 || fresh.packages(locked_) > 1));
}

bool RoundRobinArbiter::any_eligible() const {
  return ready(BusClass::kSelectedOut).any(0) || ready(BusClass::kShort).any(locked_) || any_out() || any_in();
}

/// For how long the data of reads, sensed or being sensed, and the data of programs that wait fill the bus.
Picoseconds RoundRobinArbiter::data_at_hand() const {
  const unsigned in = ready(BusClass::kIn).packages(locked_) + ready(BusClass::kNewIn).packages(locked_);
  return next_burst() * static_cast<std::int64_t>(all_pages_ + in);
}

/// Whether a command that goes after the next data would leave the bus idle.
bool RoundRobinArbiter::data_is_scarce() const { return data_at_hand() - next_burst() < longest_read_; }

/// Whether another die may stream in the gaps of the one whose turn it is, and still leave enough for its next read.
bool RoundRobinArbiter::shares_turn() const {
  const std::int64_t rest = std::int64_t{all_pages_} - pages_[turn_] - 1;
  return longest_read_ <= next_burst() * rest;
}

std::uint32_t RoundRobinArbiter::pick() {
  const bool short_waits = ready(BusClass::kShort).any(locked_);
  if (ready(BusClass::kSelectedOut).any(0) && !(short_waits && data_is_scarce())) {
    return ready(BusClass::kSelectedOut).pick(0);
  }
  if (short_waits) return ready(BusClass::kShort).pick(locked_);
  const bool in_waits = any_in();
  if (any_out() && (!in_waits || data_in_passed_ < starvation_bound_)) {
    if (in_waits) ++data_in_passed_;
    if (turn_is_ready()) return turn_;
    return ready(ready(BusClass::kMoreOut).any(locked_) ? BusClass::kMoreOut : BusClass::kOut).pick(locked_);
  }
  data_in_passed_ = 0;
  return ready(ready(BusClass::kIn).any(locked_) ? BusClass::kIn : BusClass::kNewIn).pick(locked_);
}

std::optional<BusArbiterIf::Grant> RoundRobinArbiter::next(Picoseconds now) {
  expire_timers(now);
  Picoseconds at = now;
  if (!any_eligible()) {
    if (timers_.empty() || now + turnaround_ < timers_.front().at) return std::nullopt;
    at = timers_.front().at;
    expire_timers(at);
    if (!any_eligible()) return std::nullopt;
  }
  if (command_is_near(at)) {
    at = timers_.front().at;
    expire_timers(at);
  }
  const std::uint32_t die = pick();
  withdraw(die);
  return Grant{die, at};
}

std::optional<Picoseconds> RoundRobinArbiter::wake(Picoseconds now, Picoseconds bus_free) const {
  if (any_eligible()) return std::max(bus_free, now);
  if (!timers_.empty()) return std::max(timers_.front().at, bus_free);
  return std::nullopt;
}

}  // namespace wordline::flash
