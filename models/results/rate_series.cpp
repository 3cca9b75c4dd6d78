// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/rate_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/results/histogram.h"

namespace wordline::results {
namespace {

constexpr unsigned kCoarser = 2;  // bits
constexpr std::uint32_t kBuckets = Histogram::kBuckets >> kCoarser;

/// The middle of a bucket.
Picoseconds value_of(std::uint32_t bucket) {
  const std::uint64_t from = Histogram::bucket_value_ns(bucket << kCoarser);
  const std::uint64_t to = Histogram::bucket_value_ns((bucket << kCoarser) + (1U << kCoarser) - 1);
  return Picoseconds(static_cast<std::int64_t>((from + to) * 500));
}

}  // namespace

void WindowLatencies::add(Picoseconds latency) {
  if (buckets_.empty()) buckets_.resize(kBuckets);
  const std::uint32_t bucket = Histogram::bucket_of_ns(static_cast<std::uint64_t>(latency.count()) / 1000) >> kCoarser;
  ++buckets_[bucket];
  first_ = std::min(first_, bucket);
  last_ = std::max(last_, bucket);
  ++count_;
  min_ = std::min(min_, latency);
  max_ = std::max(max_, latency);
}

void WindowLatencies::merge(const WindowLatencies& other) {
  if (other.buckets_.empty()) return;
  if (buckets_.empty()) buckets_.resize(kBuckets);
  for (std::uint32_t i = other.first_; i <= other.last_; ++i) buckets_[i] += other.buckets_[i];
  first_ = std::min(first_, other.first_);
  last_ = std::max(last_, other.last_);
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Picoseconds WindowLatencies::percentile(double percent) const {
  if (count_ == 0) return Picoseconds(0);
  const auto wanted = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(count_) - 1e-9));
  if (wanted >= count_) return max_;
  std::uint64_t seen = 0;
  for (std::uint32_t bucket = first_; bucket <= last_; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= wanted) return std::clamp(value_of(bucket), min_, max_);
  }
  return max_;
}

void RateSeries::enter(Picoseconds at) {
  const auto index = [&] { return static_cast<std::size_t>((at - begin_) / width_); };
  while (index() >= kMost) halve();
  present_ = index();
  if (present_ >= windows_.size()) windows_.resize(present_ + 1);
  from_ = begin_ + static_cast<std::int64_t>(present_) * width_;
  to_ = from_ + width_;
}

void RateSeries::halve() {
  width_ = width_ + width_;
  std::vector<Window> wider((windows_.size() + 1) / 2);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    Window& to = wider[i / 2];
    Window& from = windows_[i];
    if (i % 2 == 0) {
      to = std::move(from);
      continue;
    }
    for (std::size_t op = 0; op < kOpCount; ++op) {
      to.requests[op] += from.requests[op];
      to.bytes[op] += from.bytes[op];
      to.latencies[op].merge(from.latencies[op]);
    }
    to.retries += from.retries;
    to.in_flight += from.in_flight;
  }
  windows_ = std::move(wider);
}

/// A request that was submitted in a window before that of its completion.
void RateSeries::spread(const FinishedRequest& request) {
  Picoseconds to = request.completed;
  for (std::size_t i = present_ + 1; i-- > 0;) {
    const Picoseconds border = begin_ + static_cast<std::int64_t>(i) * width_;
    const Picoseconds from = std::max(request.submitted, border);
    windows_[i].in_flight += to - from;
    if (request.submitted >= border) break;
    to = border;
  }
}

std::vector<std::uint64_t> RateSeries::completed(Op op) const {
  std::vector<std::uint64_t> counts;
  counts.reserve(windows_.size());
  for (const Window& window : windows_) counts.push_back(window.requests[static_cast<std::size_t>(op)]);
  return counts;
}

std::vector<double> RateSeries::in_flight(Picoseconds end) const {
  std::vector<double> means;
  means.reserve(windows_.size());
  Picoseconds from = begin_;
  for (const Window& window : windows_) {
    const Picoseconds length = std::min(from + width_, end) - from;
    const bool any = length > Picoseconds(0);
    means.push_back(any ? static_cast<double>(window.in_flight.count()) / static_cast<double>(length.count()) : 0.0);
    from += width_;
  }
  return means;
}

template <class Of>
Value RateSeries::by_window(Op op, Of of) const {
  std::vector<decltype(of(windows_.front()))> list;
  const auto had = [op](const Window& window) { return window.requests[static_cast<std::size_t>(op)] != 0; };
  if (std::none_of(windows_.begin(), windows_.end(), had)) return list;
  list.reserve(windows_.size());
  for (const Window& window : windows_) list.push_back(of(window));
  return list;
}

void RateSeries::register_operation(Registry& registry, Op op) const {
  const std::string name = workload::op_name(op);
  const auto of = static_cast<std::size_t>(op);
  registry.add({"series.completed.OP", {name}}, "requests",
               "Requests completed in each window; empty for an operation that the workload does not have.",
               [this, op, of] { return by_window(op, [of](const Window& window) { return window.requests[of]; }); });
  registry.add({"series.bytes.OP", {name}}, "bytes", "Bytes of these requests.",
               [this, op, of] { return by_window(op, [of](const Window& window) { return window.bytes[of]; }); });
  const auto add = [&](const char* path, const char* text, double percent) {
    registry.add({path, {name}}, "ps", text, [this, op, of, percent] {
      return by_window(op, [of, percent](const Window& window) { return window.latencies[of].percentile(percent); });
    });
  };
  add("series.lat_ps.OP.p50",
      "Median latency of the requests completed in each window, within 3.2 %; 0: there was none.", 50);
  add("series.lat_ps.OP.p99", "The latency that 99 % of them do not exceed, within 3.2 %.", 99);
  add("series.lat_ps.OP.max", "The greatest latency of them, exactly.", 100);
}

void RateSeries::register_statistics(Registry& registry, const std::function<Picoseconds()>& end) const {
  registry.add("series.width_ps", "ps",
               "Length of the windows of the lists below; the first begins with the measurement, or with the workload "
               "when that is later. At most 128 windows: they grow with the run.",
               [this] { return width(); });
  for (std::size_t i = 0; i < kOpCount; ++i) register_operation(registry, static_cast<Op>(i));
  registry.add(
      "series.in_flight", "requests",
      "Requests in flight in each window, the mean over its time, from their submissions to their completions; "
      "those that ended with an error are not counted.",
      [this, end] { return in_flight(end()); });
  registry.add("series.retries", "steps", "Steps of read retry of the requests completed in each window.", [this] {
    std::vector<std::uint64_t> list;
    for (const Window& window : windows_) list.push_back(window.retries);
    return list;
  });
}

}  // namespace wordline::results
