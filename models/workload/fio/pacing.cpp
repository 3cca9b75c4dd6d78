// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/pacing.h"

#include <algorithm>
#include <cmath>

#include "models/units/keyed_random.h"

namespace wordline::workload::fio {
namespace {

constexpr std::uint64_t kDrawArrival = 0x6f66667365740007;
constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

/// `amount` at `rate` a second; at most the longest time that is simulated.
Picoseconds time_of(std::uint64_t amount, std::uint64_t rate) {
  const auto ps = static_cast<unsigned __int128>(amount) * kPicosecondsPerSecond / rate;
  const auto most = static_cast<unsigned __int128>(INT64_MAX / 4);
  return Picoseconds(static_cast<std::int64_t>(std::min(ps, most)));
}

}  // namespace

RateLimit::RateLimit(const Pacing& pacing, std::uint64_t seed, std::uint64_t number)
    : seed_(keyed_hash(seed, kDrawArrival, number)), poisson_(pacing.poisson) {
  by_bytes_ = pacing.rate != ByOp<std::uint64_t>{};
  for (std::size_t op = 0; op < kOps; ++op) {
    directions_[op].rate = by_bytes_ ? pacing.rate[op] : pacing.rate_iops[op];
    on_ = on_ || directions_[op].rate != 0;
  }
  poisson_ = poisson_ && !by_bytes_;
}

Picoseconds RateLimit::due(Op op) const {
  const Direction& direction = directions_[static_cast<std::size_t>(op)];
  if (direction.rate == 0) return begin_;
  return begin_ + (poisson_ ? direction.arrival : time_of(direction.amount, direction.rate));
}

void RateLimit::issued(Op op, std::uint64_t bytes) {
  const auto i = static_cast<std::size_t>(op);
  Direction& direction = directions_[i];
  if (direction.rate == 0) return;
  direction.amount += by_bytes_ ? bytes : 1;
  if (!poisson_) return;
  const double u = unit_interval(keyed_hash(seed_, i, direction.amount));
  const double mean = static_cast<double>(kPicosecondsPerSecond) / static_cast<double>(direction.rate);
  direction.arrival += Picoseconds(std::llround(-std::log(1 - u) * mean));
}

ThinkTime::ThinkTime(const Pacing& pacing)
    : pause_(pacing.thinktime),
      every_(pacing.thinktime_iotime),
      blocks_(pacing.thinktime_blocks),
      by_issue_(pacing.thinktime_by_issue) {
  // As in fio, thinktime_iotime alone takes the place of the default of one request.
  if (blocks_ == 0 && every_.count() == 0) blocks_ = 1;
}

bool ThinkTime::due(Picoseconds now) {
  if (!on() || due_) return due_;
  due_ = (blocks_ != 0 && count_ >= blocks_) || (every_.count() != 0 && now - last_ >= every_);
  until_due_ = count_;
  return due_;
}

void ThinkTime::done(Picoseconds now) {
  count_ -= until_due_;
  due_ = false;
  last_ = now;
}

MinimumRate::MinimumRate(const Pacing& pacing, const Pattern& pattern)
    : bytes_min_(pacing.rate_min), iops_min_(pacing.rate_iops_min), cycle_(pacing.rate_cycle) {
  for (std::size_t op = 0; op < kOps; ++op) {
    if (!pattern.uses(static_cast<Op>(op))) bytes_min_[op] = iops_min_[op] = 0;
  }
  on_ = bytes_min_ != ByOp<std::uint64_t>{} || iops_min_ != ByOp<std::uint64_t>{};
}

bool MinimumRate::completed(Op op, std::uint64_t bytes, Picoseconds at) {
  if (!on_ || op == Op::kFlush) return true;
  bytes_[static_cast<std::size_t>(op)] += bytes;
  ++requests_[static_cast<std::size_t>(op)];
  const Picoseconds spent = at - last_;
  if (spent < cycle_) return true;
  const auto seconds = static_cast<double>(spent.count()) / static_cast<double>(kPicosecondsPerSecond);
  bool met = true;
  for (std::size_t i = 0; i < kOps; ++i) {
    met = met && static_cast<double>(bytes_[i]) >= static_cast<double>(bytes_min_[i]) * seconds;
    met = met && static_cast<double>(requests_[i]) >= static_cast<double>(iops_min_[i]) * seconds;
  }
  bytes_ = {};
  requests_ = {};
  last_ = at;
  return met;
}

}  // namespace wordline::workload::fio
