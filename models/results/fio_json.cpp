// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/fio_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace wordline::results {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<double> kPercentiles = {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
constexpr std::array<const char*, 12> kRanges = {"2",   "4",   "10",  "20",   "50",   "100",
                                                 "250", "500", "750", "1000", "2000", ">=2000"};
constexpr std::array<std::uint64_t, 11> kLimits = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000};
constexpr std::int64_t kInterval = 500'000'000'000;  // ps: fio's bwavgtime
constexpr std::int64_t kMillisecond = 1'000'000'000;

/// Which of fio's ranges `value` lies in.
std::size_t range_of(std::uint64_t value) {
  return static_cast<std::size_t>(std::upper_bound(kLimits.begin(), kLimits.end(), value) - kLimits.begin());
}

std::uint64_t nanoseconds(Picoseconds time) { return static_cast<std::uint64_t>(time.count() + 500) / 1000; }
double in_nanoseconds(Picoseconds time) { return static_cast<double>(time.count()) / 1000; }
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

/// Minimum, maximum, mean and deviation of samples.
struct Samples {
  std::vector<double> values;

  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
  [[nodiscard]] double deviation() const {
    if (values.size() < 2) return 0;
    const double middle = mean();
    double squares = 0;
    for (const double value : values) squares += (value - middle) * (value - middle);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
  }
  [[nodiscard]] std::int64_t min() const {
    return values.empty() ? 0 : std::llround(*std::min_element(values.begin(), values.end()));
  }
  [[nodiscard]] std::int64_t max() const {
    return values.empty() ? 0 : std::llround(*std::max_element(values.begin(), values.end()));
  }
};

Json no_latency() { return {{"min", 0}, {"max", 0}, {"mean", 0.0}, {"stddev", 0.0}, {"N", 0}}; }

/// `percentiles`: which, or none.
Json latency(const Histogram& histogram, const std::vector<double>* percentiles, bool bins) {
  Json json{{"min", nanoseconds(histogram.min())},
            {"max", nanoseconds(histogram.max())},
            {"mean", rounded(in_nanoseconds(histogram.mean()))},
            {"stddev", rounded(in_nanoseconds(histogram.stddev()))},
            {"N", histogram.count()}};
  if (percentiles == nullptr || histogram.count() == 0) return json;
  for (const double percent : *percentiles) {
    json["percentile"][fmt::format("{:.6f}", percent)] = nanoseconds(histogram.percentile(percent));
  }
  if (!bins) return json;
  for (std::uint32_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    const std::uint64_t count = histogram.in_bucket(bucket);
    if (count != 0) json["bins"][std::to_string(Histogram::bucket_value_ns(bucket))] = count;
  }
  return json;
}

template <class Counts>
Json distribution(const Counts& counts, std::uint64_t all, std::size_t shown) {
  Json json = Json::object();
  for (std::size_t i = 0; i < shown; ++i) {
    const double share = all == 0 ? 0 : 100 * static_cast<double>(counts[i]) / static_cast<double>(all);
    json[kRanges[i]] = rounded(share);
  }
  return json;
}

Json options(const workload::OptionList& list) {
  Json json = Json::object();
  for (const auto& [name, value] : list) json[name] = value;
  return json;
}

}  // namespace

FioReport::FioReport(const workload::Source& source) : source_(source), jobs_(source.jobs()) {}

void FioReport::add(const FinishedRequest& request, Picoseconds measured_from) {
  Job& job = jobs_.at(request.job);
  job.begin = std::min(job.begin, std::max(request.submitted, measured_from));
  job.end = std::max(job.end, request.completed);
  const auto op = static_cast<std::size_t>(request.op);
  auto& operation = job.operations[op];
  if (operation == nullptr) operation = std::make_unique<Operation>();
  operation->bytes += request.bytes;
  operation->latency.add(request.latency());
  if (request.op == Op::kFlush) return;
  std::size_t level = 0;
  while (level + 1 < kDepths && request.depth >= 2U << level) ++level;
  ++job.depths[level];
  const auto ns = static_cast<std::uint64_t>(request.latency().count()) / 1000;
  if (ns < 1000) {
    ++job.below_us[range_of(ns)];
  } else if (ns < 1'000'000) {
    ++job.below_ms[range_of(ns / 1000)];
  } else {
    ++job.above[range_of(ns / 1'000'000)];
  }
  Interval& interval = job.intervals[request.completed.count() / kInterval];
  ++interval.requests[op];
  interval.bytes[op] += request.bytes;
}

std::uint64_t FioReport::Job::requests() const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : depths) all += count;
  return all;
}

void FioReport::Job::add(const Job& other) {
  begin = std::min(begin, other.begin);
  end = std::max(end, other.end);
  for (std::size_t op = 0; op < kOpCount; ++op) {
    if (other.operations[op] == nullptr) continue;
    if (operations[op] == nullptr) operations[op] = std::make_unique<Operation>();
    operations[op]->bytes += other.operations[op]->bytes;
    operations[op]->latency.merge(other.operations[op]->latency);
  }
  const auto sum = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  sum(depths, other.depths);
  sum(below_us, other.below_us);
  sum(below_ms, other.below_ms);
  sum(above, other.above);
  for (const auto& [at, interval] : other.intervals) {
    sum(intervals[at].requests, interval.requests);
    sum(intervals[at].bytes, interval.bytes);
  }
}

/// Makes the parts of one entry of "jobs".
struct FioReport::Writer {
  const Job& job;
  bool bins;
  workload::PercentileChoice choice;

  /// Which percentiles are printed of a latency that has some, or none.
  [[nodiscard]] const std::vector<double>* list(bool wanted) const {
    if (!wanted) return nullptr;
    return choice.list.empty() ? &kPercentiles : &choice.list;
  }

  [[nodiscard]] double seconds() const {
    return job.end <= job.begin ? 0 : static_cast<double>((job.end - job.begin).count()) * 1e-12;
  }
  [[nodiscard]] std::int64_t milliseconds() const {
    return job.end <= job.begin ? 0 : std::max<std::int64_t>(1, (job.end - job.begin).count() / kMillisecond);
  }

  /// By whole intervals of the job's time; a shorter time is one sample.
  [[nodiscard]] Samples samples(std::size_t op, bool bytes, double per_second) const {
    Samples samples;
    const std::int64_t first = (job.begin.count() + kInterval - 1) / kInterval;
    const std::int64_t end = job.end.count() / kInterval;
    if (job.end <= job.begin) return samples;
    if (end <= first) {
      samples.values.push_back(per_second);
      return samples;
    }
    constexpr double kPerSecond = 1e12 / static_cast<double>(kInterval);
    for (std::int64_t at = first; at < end; ++at) {
      const auto interval = job.intervals.find(at);
      std::uint64_t amount = 0;
      if (interval != job.intervals.end()) {
        amount = bytes ? interval->second.bytes[op] : interval->second.requests[op];
      }
      samples.values.push_back(static_cast<double>(amount) * kPerSecond / (bytes ? 1024 : 1));
    }
    return samples;
  }

  [[nodiscard]] Json direction(Op op) const {
    static const Operation kNothing;
    const auto i = static_cast<std::size_t>(op);
    const Operation& operation = job.operations[i] == nullptr ? kNothing : *job.operations[i];
    const std::uint64_t count = operation.latency.count();
    const double time = seconds();
    const double bytes_per_second = time == 0 ? 0 : static_cast<double>(operation.bytes) / time;
    const double iops = time == 0 ? 0 : static_cast<double>(count) / time;
    Json json{{"io_bytes", operation.bytes},
              {"io_kbytes", operation.bytes / 1024},
              {"bw_bytes", std::llround(bytes_per_second)},
              {"bw", std::llround(bytes_per_second / 1024)},
              {"iops", rounded(iops)},
              {"runtime", count == 0 ? 0 : milliseconds()},
              {"total_ios", count},
              {"short_ios", 0},
              {"drop_ios", 0},
              {"slat_ns", no_latency()},
              {"clat_ns", latency(operation.latency, list(choice.clat), bins)},
              {"lat_ns", latency(operation.latency, list(choice.lat), bins && choice.lat)}};
    const bool any = count != 0;
    const Samples bandwidth = any ? samples(i, true, bytes_per_second / 1024) : Samples();
    json["bw_min"] = bandwidth.min();
    json["bw_max"] = bandwidth.max();
    json["bw_agg"] = any ? 100.0 : 0.0;
    json["bw_mean"] = rounded(bandwidth.mean());
    json["bw_dev"] = rounded(bandwidth.deviation());
    json["bw_samples"] = bandwidth.values.size();
    const Samples rate = any ? samples(i, false, iops) : Samples();
    json["iops_min"] = rate.min();
    json["iops_max"] = rate.max();
    json["iops_mean"] = rounded(rate.mean());
    json["iops_stddev"] = rounded(rate.deviation());
    json["iops_samples"] = rate.values.size();
    return json;
  }

  [[nodiscard]] Json flushes() const {
    static const Operation kNothing;
    const auto& flush = job.operations[static_cast<std::size_t>(Op::kFlush)];
    const Operation& operation = flush == nullptr ? kNothing : *flush;
    return {{"total_ios", operation.latency.count()}, {"lat_ns", latency(operation.latency, list(true), bins)}};
  }

  void distributions(Json& json) const {
    const std::uint64_t all = job.requests();
    static constexpr std::array<const char*, kDepths> kLevels = {"1", "2", "4", "8", "16", "32", ">=64"};
    static constexpr std::array<const char*, kDepths> kBatches = {"0", "4", "8", "16", "32", "64", ">=64"};
    Json levels = Json::object(), batches = Json::object();
    for (std::size_t i = 0; i < kDepths; ++i) {
      const double share = all == 0 ? 0 : 100 * static_cast<double>(job.depths[i]) / static_cast<double>(all);
      levels[kLevels[i]] = rounded(share);
      // The host submits and takes completions one by one: batches of up to four, in fio's ranges.
      batches[kBatches[i]] = i == 1 && all != 0 ? 100.0 : 0.0;
    }
    json["iodepth_level"] = levels;
    json["iodepth_submit"] = json["iodepth_complete"] = batches;
    json["latency_ns"] = distribution(job.below_us, all, job.below_us.size());
    json["latency_us"] = distribution(job.below_ms, all, job.below_ms.size());
    json["latency_ms"] = distribution(job.above, all, job.above.size());
  }

  [[nodiscard]] Json entry(const workload::JobOrigin& origin) const {
    Json json{{"jobname", origin.name},
              {"groupid", origin.group},
              {"job_start", job.end <= job.begin ? 0 : job.begin.count() / kMillisecond},
              {"error", 0},
              {"eta", 0},
              {"elapsed", static_cast<std::int64_t>(std::ceil(seconds()))},
              {"job options", options(origin.options)},
              {"read", direction(Op::kRead)},
              {"write", direction(Op::kWrite)},
              {"trim", direction(Op::kTrim)},
              {"sync", flushes()},
              {"job_runtime", milliseconds()},
              {"usr_cpu", 0.0},
              {"sys_cpu", 0.0},
              {"ctx", 0},
              {"majf", 0},
              {"minf", 0}};
    distributions(json);
    json["latency_depth"] = 0;
    json["latency_target"] = 0;
    json["latency_percentile"] = 100.0;
    json["latency_window"] = 0;
    if (!origin.description.empty()) json["desc"] = origin.description;
    return json;
  }
};

std::string FioReport::to_json(const std::string& generator, bool bins) const {
  Json json{{"fio version", "fio-3.33"},
            {"timestamp", 0},
            {"timestamp_ms", 0},
            {"time", "Thu Jan  1 00:00:00 1970"},
            {"generator", generator}};
  const workload::OptionList globals = source_.global_options();
  if (!globals.empty()) json["global options"] = options(globals);
  json["jobs"] = Json::array();
  for (unsigned i = 0; i < jobs_.size(); ++i) {
    const workload::JobOrigin origin = source_.job_origin(i);
    if (!origin.grouped) {
      json["jobs"].push_back(Writer{jobs_[i], bins, origin.percentiles}.entry(origin));
      continue;
    }
    // Jobs of a group that are reported as one stand together.
    Job group;
    for (group.add(jobs_[i]); i + 1 < jobs_.size(); ++i) {
      const workload::JobOrigin next = source_.job_origin(i + 1);
      if (!next.grouped || next.group != origin.group) break;
      group.add(jobs_[i + 1]);
    }
    json["jobs"].push_back(Writer{group, bins, origin.percentiles}.entry(origin));
  }
  json["disk_util"] = Json::array();
  // A file name that is not UTF-8 must not lose the result.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace wordline::results
