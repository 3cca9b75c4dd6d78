// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/steady/stretch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wordline::results {
namespace {

constexpr std::size_t index(Op op) { return static_cast<std::size_t>(op); }
/// Requests beyond a percentile: of fewer it is one of the few slowest, whichever they were.
constexpr double kFewestBeyond = 10;

double seconds(Picoseconds time) { return static_cast<double>(time.count()) * 1e-12; }

/// Least latency of a bucket of Histogram, in picoseconds; that of the next one is where it ends.
double lower_end(std::uint32_t bucket) {
  constexpr std::uint32_t kSingle = 2 * Histogram::kPerGroup;
  if (bucket < kSingle) return bucket * 1e3;
  const std::uint32_t shift = (bucket >> Histogram::kBits) - 1;
  return static_cast<double>((std::uint64_t{Histogram::kPerGroup} + bucket % Histogram::kPerGroup) << shift) * 1e3;
}

struct Quantile {
  std::uint32_t bucket = 0;
  double at = 0;
};

/// Latency that a share of the requests does not exceed, linear within a bucket.
Quantile quantile(const std::vector<std::uint64_t>& buckets, double count, double share) {
  const double needed = share * count;
  double before = 0;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == 0) continue;
    last = i;
    const auto in = static_cast<double>(buckets[i]);
    if (before + in >= needed) {
      const double part = std::clamp((needed - before) / in, 0.0, 1.0);
      return {i, lower_end(i) + part * (lower_end(i + 1) - lower_end(i))};
    }
    before += in;
  }
  return {last, lower_end(last + 1)};
}

}  // namespace

Stretch::Stretch(const std::vector<Batch>& batches, Picoseconds from, Picoseconds to, DriveCounts before,
                 Picoseconds pause)
    : before_(before), pause_(pause) {
  for (const Batch& batch : batches) {
    if (batch.begin < from) before_ = batch.at_end;
    if (batch.begin >= from && batch.end <= to) batches_.push_back(&batch);
  }
}

std::uint64_t Stretch::count(Op op) const {
  std::uint64_t sum = 0;
  for (const Batch* batch : batches_) sum += batch->ops[index(op)].count;
  return sum;
}

std::uint64_t Stretch::requests() const {
  std::uint64_t sum = 0;
  for (std::size_t op = 0; op < kOpCount; ++op) sum += count(static_cast<Op>(op));
  return sum;
}

Picoseconds Stretch::length() const {
  return batches_.empty() ? Picoseconds(0) : batches_.back()->end - batches_.front()->begin;
}

double Stretch::in_flight() const {
  if (length() <= Picoseconds(0)) return 0;
  double latency = 0;
  for (const Batch* batch : batches_) {
    for (const OpBatch& op : batch->ops) latency += op.latency;
  }
  return latency / static_cast<double>(length().count());
}

double Stretch::learning() const {
  const std::size_t half = batches_.size() / 2;
  if (half == 0) return 0;
  double requests = 0;
  for (std::size_t i = half; i < batches_.size(); ++i) {
    for (const OpBatch& op : batches_[i]->ops) requests += static_cast<double>(op.count);
  }
  return static_cast<double>(batches_.back()->at_end.learned - batches_[half - 1]->at_end.learned) / requests;
}

double Stretch::latency_growth() const {
  const std::size_t quarter = batches_.size() / 4;
  if (quarter == 0) return 0;
  const auto mean = [this](std::size_t from, std::size_t to, double& at) {
    double latency = 0, requests = 0;
    for (std::size_t i = from; i < to; ++i) {
      for (const OpBatch& op : batches_[i]->ops) {
        latency += op.latency;
        requests += static_cast<double>(op.count);
      }
    }
    at = (seconds(batches_[from]->begin) + seconds(batches_[to - 1]->end)) / 2;
    return latency * 1e-12 / requests;
  };
  double first_at = 0, last_at = 0;
  const double first = mean(0, quarter, first_at);
  const double last = mean(batches_.size() - quarter, batches_.size(), last_at);
  return last_at > first_at ? (last - first) / (last_at - first_at) : 0;
}

/// MSER: of all ends of the transient the one after which the mean of the rest has the least error.
Stretch Stretch::without_transient() const {
  const std::size_t count = batches_.size();
  double sum = 0, squares = 0, best = std::numeric_limits<double>::max();
  std::size_t cut = 0;
  for (std::size_t i = count; i-- > 0;) {
    const double time = seconds(batches_[i]->end - batches_[i]->begin);
    sum += time;
    squares += time * time;
    const auto n = static_cast<double>(count - i);
    if (i > count / 3) continue;
    const double error = (squares - sum * sum / n) / (n * n);
    if (error > best) continue;
    best = error;
    cut = i;
  }
  const DriveCounts before = cut == 0 ? before_ : batches_[cut - 1]->at_end;
  return {std::vector<const Batch*>(batches_.begin() + static_cast<std::ptrdiff_t>(cut), batches_.end()), before,
          pause_};
}

Ratio Stretch::rate() const {
  Ratio ratio;
  ratio.reserve(batches_.size());
  for (const Batch* batch : batches_) {
    double all = 0;
    for (const OpBatch& op : batch->ops) all += static_cast<double>(op.count);
    ratio.add(all, seconds(batch->end - batch->begin));
  }
  return ratio;
}

Ratio Stretch::rate(Op op) const {
  Ratio ratio;
  ratio.reserve(batches_.size());
  for (const Batch* batch : batches_) {
    ratio.add(static_cast<double>(batch->ops[index(op)].count), seconds(batch->end - batch->begin));
  }
  return ratio;
}

Ratio Stretch::mean_latency(Op op) const {
  Ratio ratio;
  ratio.reserve(batches_.size());
  for (const Batch* batch : batches_) {
    const OpBatch& of = batch->ops[index(op)];
    ratio.add(of.latency, static_cast<double>(of.count));
  }
  return ratio;
}

Ratio Stretch::waf() const {
  Ratio ratio;
  ratio.reserve(batches_.size());
  DriveCounts before = before_;
  for (const Batch* batch : batches_) {
    const DriveCounts& after = batch->at_end;
    ratio.add(static_cast<double>(after.programmed - before.programmed),
              static_cast<double>(after.written - before.written));
    before = after;
  }
  return ratio;
}

Interval Stretch::interval(const Ratio& ratio, bool per_time) const {
  Interval interval;
  interval.value = ratio.value();
  if (ratio.batches() < Ratio::kFewest || interval.value <= 0) return interval;
  double half = ratio.half_width();
  // A load that is strictly periodic has no spectrum: its numbers depend on where in a period the run ends.
  if (per_time) half = std::max(half, interval.value * seconds(pause_) / seconds(length()));
  interval.low = std::max(0.0, interval.value - half);
  interval.high = interval.value + half;
  interval.known = true;
  return interval;
}

std::vector<std::uint64_t> Stretch::merged(Op op) const {
  std::vector<std::uint64_t> buckets(Histogram::kBuckets + 1);
  for (const Batch* batch : batches_) {
    for (const auto& [bucket, count] : batch->ops[index(op)].buckets) buckets[bucket] += count;
  }
  return buckets;
}

Interval Stretch::percentile(Op op, double percent) const {
  const std::vector<std::uint64_t> buckets = merged(op);
  const auto all = static_cast<double>(count(op));
  Interval interval;
  if (all == 0) return interval;
  const double share = percent / 100;
  const Quantile middle = quantile(buckets, all, share);
  interval.value = middle.at;
  if (!has_spectrum()) return interval;
  Ratio above;
  for (const Batch* batch : batches_) {
    const OpBatch& of = batch->ops[index(op)];
    above.add(static_cast<double>(of.above(middle.bucket)), static_cast<double>(of.count));
  }
  const double half = above.half_width();
  // The run holds too few that far up.
  if ((1 - share) * all < kFewestBeyond || share + half > 1 - 1 / all) return interval;
  const Quantile low = quantile(buckets, all, std::max(0.0, share - half));
  const Quantile high = quantile(buckets, all, share + half);
  // Within a bucket nothing is known.
  interval.low = low.bucket == high.bucket ? lower_end(low.bucket) : std::min(low.at, middle.at);
  interval.high = low.bucket == high.bucket ? lower_end(high.bucket + 1) : std::max(high.at, middle.at);
  interval.known = true;
  return interval;
}

OpIntervals Stretch::intervals(Op op) const {
  OpIntervals result;
  if (count(op) == 0) return result;
  result.iops = interval(rate(op), true);
  result.mean = interval(mean_latency(op), true);
  for (std::size_t i = 0; i < OpIntervals::kPercentiles.size(); ++i) {
    result.percentiles[i] = percentile(op, OpIntervals::kPercentiles[i]);
  }
  return result;
}

}  // namespace wordline::results
