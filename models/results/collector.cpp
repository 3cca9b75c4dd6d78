// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/collector.h"

#include <fmt/core.h>

#include <stdexcept>

namespace wordline::results {

Collector::Collector(std::size_t stages) : stages_(stages) {
  if (stages > kMaxStages) throw std::invalid_argument("more than 32 stages");
}

void Collector::record(Op op, std::uint64_t bytes, Picoseconds submitted, Picoseconds completed,
                       const Picoseconds* stage_times) {
  const Picoseconds latency = completed - submitted;
  auto& sums = stage_sums_[index(op)];
  Picoseconds sum{};
  for (std::size_t i = 0; i < stages_; ++i) sum += stage_times[i];
  if (stages_ != 0 && sum != latency) {
    throw std::logic_error(fmt::format("stages of a {} sum to {} ps, its latency is {} ps", workload::op_name(op),
                                       sum.count(), latency.count()));
  }
  if (latency < Picoseconds(0)) throw std::logic_error("request completed before it was submitted");
  for (std::size_t i = 0; i < stages_; ++i) sums[i] += static_cast<std::uint64_t>(stage_times[i].count());
  latency_[index(op)].add(latency);
  bytes_[index(op)] += bytes;
  if (submitted < first_) first_ = submitted;
  if (completed > last_) last_ = completed;
}

std::uint64_t Collector::requests() const {
  std::uint64_t all = 0;
  for (const auto& histogram : latency_) all += histogram.count();
  return all;
}

Picoseconds Collector::span() const { return requests() == 0 ? Picoseconds(0) : last_ - first_; }

double Collector::per_second(std::uint64_t amount) const {
  const Picoseconds time = span();
  return time.count() == 0 ? 0.0 : static_cast<double>(amount) / (static_cast<double>(time.count()) * 1e-12);
}

double Collector::iops(Op op) const { return per_second(count(op)); }
double Collector::bytes_per_second(Op op) const { return per_second(bytes(op)); }

std::vector<std::uint64_t> Collector::stage_totals(Op op) const {
  std::vector<std::uint64_t> totals;
  totals.reserve(stages_);
  for (std::size_t i = 0; i < stages_; ++i) totals.push_back(saturated(stage_sums_[index(op)][i]));
  return totals;
}

std::vector<Picoseconds> Collector::stage_means(Op op) const {
  std::vector<Picoseconds> means;
  means.reserve(stages_);
  // Rounding the running sum, not each stage: the roundings cancel and the total is the rounded mean latency.
  unsigned __int128 running = 0;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < stages_; ++i) {
    running += stage_sums_[index(op)][i];
    const std::int64_t upto = rounded_mean(running, count(op));
    means.emplace_back(upto - before);
    before = upto;
  }
  return means;
}

}  // namespace wordline::results
