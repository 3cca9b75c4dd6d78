// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::serve {
namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
constexpr std::uint64_t kWhole = 100'000'000;  // ns, of end()
/// More than the difference between two runs where the guest is stopped.
constexpr std::uint64_t kSlack = 1'000'000;

}  // namespace

Lockstep::Lockstep(tlm_if::SimulationContext& context, VfioFunction& function, std::function<void(Picoseconds)> go_on)
    : context_(context), function_(function), go_on_(std::move(go_on)) {
  function_.hold_doorbells([this](std::uint32_t offset, std::uint32_t value) {
    doorbells_.push_back({offset, value});
  });
}

void Lockstep::divert_interrupts() {
  function_.divert_interrupts([this](unsigned vector, Picoseconds at) { interrupts_.emplace_back(at, vector); });
}

/// Up, so that the drive has done all of a nanosecond when the guest is there.
std::uint64_t Lockstep::ns_of(Picoseconds at) const {
  const std::int64_t passed = (at - origin_).count();
  return passed <= 0 ? 0
                     : (static_cast<std::uint64_t>(passed) + kPicosecondsPerNanosecond - 1) / kPicosecondsPerNanosecond;
}

void Lockstep::reach(std::uint64_t ns) {
  if (!begun_) {
    begun_ = true;
    origin_ = context_.now() - Picoseconds(static_cast<std::int64_t>(ns) * kPicosecondsPerNanosecond);
  }
  if (ns < reached_)
    throw std::runtime_error(
        fmt::format("--time lockstep: error: the guest's clock has gone back from {} to {} ns", reached_, ns));
  reached_ = ns;
  ++counters_.instants;
  go_on_(origin_ + Picoseconds(static_cast<std::int64_t>(ns) * kPicosecondsPerNanosecond));
}

std::uint64_t Lockstep::next_after(std::uint64_t ns) const {
  std::uint64_t next = ns + kMostApart;
  const Picoseconds drive = context_.alarms().next();
  if (!context_.alarms().empty()) next = std::min(next, ns_of(drive));
  for (const auto& [at, vector] : interrupts_) next = std::min(next, ns_of(at));
  return std::max(next, ns + 1);
}

wl_clock_answer Lockstep::time(std::uint64_t ns) {
  if (!doorbells_.empty())
    throw std::runtime_error(fmt::format(
        "--time lockstep: error: a doorbell came before {} ns of the guest's clock, and the plugin has not seen its "
        "store: the guest's driver stores in another form; add stores=any behind -plugin",
        ns));
  reach(ns);
  std::uint64_t vectors = 0;
  const auto due = [&](const std::pair<Picoseconds, unsigned>& interrupt) {
    if (ns_of(interrupt.first) > ns) return false;
    vectors |= std::uint64_t{1} << interrupt.second;
    ++counters_.interrupts;
    return true;
  };
  interrupts_.erase(std::remove_if(interrupts_.begin(), interrupts_.end(), due), interrupts_.end());
  return {next_after(ns), vectors};
}

wl_clock_answer Lockstep::store(std::uint64_t ns) {
  if (doorbells_.size() > 1)
    throw std::runtime_error(fmt::format(
        "--time lockstep: error: {} doorbells came before the store at {} ns of the guest's clock: the plugin has not "
        "seen the others; add stores=any behind -plugin",
        doorbells_.size(), ns));
  reach(ns);
  for (const Doorbell& doorbell : doorbells_) {
    function_.ring(doorbell.offset, doorbell.value);
    ++counters_.doorbells;
  }
  doorbells_.clear();
  return {next_after(ns), 0};
}

void Lockstep::end() {
  if (!begun_) return;
  const std::uint64_t whole = (reached_ + kSlack + kWhole - 1) / kWhole * kWhole;
  go_on_(origin_ + Picoseconds(static_cast<std::int64_t>(whole) * kPicosecondsPerNanosecond));
}

}  // namespace wordline::serve
