// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/request_statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::results {
RequestStatistics::RequestStatistics(std::size_t stages) : stages_(stages), slowest_(stages) {
  if (stages > kMaxStages) throw std::invalid_argument("more than 32 stages");
}

void RequestStatistics::begin(Picoseconds start, Picoseconds measured) {
  measured_ = std::max(start, measured);
  series_.begin(measured_);
  if (meter_ != nullptr) meter_->begin(measured_);
}

void RequestStatistics::record(const FinishedRequest& request) {
  const Picoseconds latency = request.latency();
  Picoseconds sum{};
  for (std::size_t i = 0; i < stages_; ++i) sum += request.stages[i];
  if (stages_ != 0 && sum != latency) {
    throw std::logic_error(fmt::format("stages of a {} sum to {} ps, its latency is {} ps",
                                       workload::op_name(request.op), sum.count(), latency.count()));
  }
  if (latency < Picoseconds(0)) throw std::logic_error("request completed before it was submitted");
  ++completed_;
  if (request.op == Op::kWrite) bytes_written_ += request.bytes;
  if (request.completed < measured_ || request.warm_up || enough_) return;
  const std::size_t op = index(request.op);
  stage_sums_[op].add(request.stages, stages_, latency);
  latency_[op].add(latency);
  bytes_[op] += request.bytes;
  first_ = std::min(first_, request.submitted);
  last_ = std::max(last_, request.completed);
  series_.add(request);
  jobs_.add(request, measured_);
  slowest_.add(request);
  waits_.add(request);
  if (fio_ != nullptr) fio_->add(request, measured_);
  for (RequestObserver* observer : observers_) observer->finished(request);
  if (meter_ == nullptr) return;
  const SteadyMeter::Step step = meter_->add(request);
  if (step == SteadyMeter::Step::kGoOn) return;
  if (step == SteadyMeter::Step::kAnew) begin_anew(request.completed);
  enough_ = step == SteadyMeter::Step::kEnough;
  anew_();
}

std::uint64_t RequestStatistics::requests() const {
  std::uint64_t all = 0;
  for (const auto& histogram : latency_) all += histogram.count();
  return all;
}

Picoseconds RequestStatistics::measured_from() const {
  return requests() == 0 ? measured_ : std::max(first_, measured_);
}
Picoseconds RequestStatistics::measured_to() const { return requests() == 0 ? measured_ : last_; }
Picoseconds RequestStatistics::span() const { return measured_to() - measured_from(); }

SteadyAnswer RequestStatistics::steady() const {
  if (meter_ == nullptr) return {};
  const JobResults::Stretch active = jobs_.all_active();
  return meter_->answer(active.from, active.to);
}

/// What was measured so far was the warm-up.
void RequestStatistics::begin_anew(Picoseconds at) {
  measured_ = at;
  for (Histogram& histogram : latency_) histogram = {};
  bytes_ = {};
  stage_sums_ = {};
  series_ = {};
  series_.begin(at);
  jobs_ = {};
  slowest_ = SlowestByOperation(stages_);
  waits_ = {};
  first_ = Picoseconds(INT64_MAX);
  last_ = Picoseconds(INT64_MIN);
  if (fio_ != nullptr) fio_->begin_anew();
  for (RequestObserver* observer : observers_) observer->begin_anew();
}

double RequestStatistics::per_second(std::uint64_t amount) const {
  const Picoseconds time = span();
  return time.count() == 0 ? 0.0 : static_cast<double>(amount) / (static_cast<double>(time.count()) * 1e-12);
}

double RequestStatistics::iops(Op op) const { return per_second(count(op)); }
double RequestStatistics::bytes_per_second(Op op) const { return per_second(bytes(op)); }

std::uint64_t RequestStatistics::stage_total(Op op, std::size_t stage) const {
  return saturated(stage_sums_[index(op)].of(stage));
}

std::vector<Picoseconds> RequestStatistics::stage_means(Op op) const {
  std::vector<Picoseconds> means;
  means.reserve(stages_);
  // Rounding the running sum, not each stage: the roundings cancel and the total is the rounded mean latency.
  unsigned __int128 running = 0;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < stages_; ++i) {
    running += stage_sums_[index(op)].of(i);
    const std::int64_t upto = rounded_mean(running, count(op));
    means.emplace_back(upto - before);
    before = upto;
  }
  return means;
}

}  // namespace wordline::results
