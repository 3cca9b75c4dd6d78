// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <stdexcept>

#include "models/results/request_statistics.h"
#include "models/results/steady/steady_statistics.h"

namespace wordline::results {
namespace {

constexpr const char* kStageText =
    "Mean time in the stage, over all requests of the operation, also those that did not pass it";

}  // namespace

void RequestStatistics::register_statistics(Registry& registry, const std::vector<StageName>& stages,
                                            const std::vector<std::string>& jobs) const {
  if (stages.size() != stages_) throw std::invalid_argument("stage names do not match the recorded stages");
  register_window(registry);
  series_.register_statistics(registry, [this] { return measured_to(); });
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    register_rates(registry, op);
    register_latency(registry, op);
    register_stages(registry, op, stages);
  }
  register_steady(registry, std::make_shared<const SteadyAnswer>(steady()));
  jobs_.register_statistics(registry, jobs);
  waits_.register_statistics(registry);
  slowest_.register_statistics(registry, stages);
  registry.add("flash.host_bytes_written", "bytes",
               "Bytes of the completed write requests, ramp time included; they may still be in the write buffer at "
               "the end of the run.",
               [this] { return bytes_written_; });
}

void RequestStatistics::register_window(Registry& registry) const {
  registry.add("window.begin_ps", "ps",
               "Begin of the measurement, in simulated time: the first submission of a request that is counted, or the "
               "end of the ramp time when that is later.",
               [this] { return measured_from(); });
  registry.add("window.end_ps", "ps",
               "Its end: the last completion of a request of the workload, of those without an error.",
               [this] { return measured_to(); });
  registry.add("window.length_ps", "ps", "From begin to end: the time that rates and busy shares are counted over.",
               [this] { return span(); });
  registry.add("window.ramp_requests", "requests",
               "Requests that completed before the begin, in the ramp time: they are in no rate and no latency.",
               [this] { return completed_ - requests(); });
}

void RequestStatistics::register_rates(Registry& registry, Op op) const {
  const std::string name = workload::op_name(op);
  registry.add({"ios.OP.count", {name}}, "requests", "Requests completed in the measurement.",
               [this, op] { return count(op); });
  registry.add({"ios.OP.bytes", {name}}, "bytes", "Bytes that these requests asked for; 0 for flush.",
               [this, op] { return bytes(op); });
  registry.add({"ios.OP.iops", {name}}, "requests/s",
               "Requests completed, divided by the length of the measurement, so that the rates of reads and writes of "
               "a mixed run add up. It contains how the run begins and ends: the fill of the write buffer, and the "
               "last requests. Of several jobs that do not end together see `jobs`.",
               [this, op] { return iops(op); });
  registry.add({"ios.OP.bytes_per_s", {name}}, "bytes/s", "Bytes over the same time.",
               [this, op] { return bytes_per_second(op); });
}

void RequestStatistics::register_latency(Registry& registry, Op op) const {
  const std::string name = workload::op_name(op);
  const Histogram& latency = latency_[index(op)];
  const auto add = [&](const char* path, const char* text, Picoseconds (Histogram::*value)() const) {
    registry.add({path, {name}}, "ps", text, [&latency, value] { return (latency.*value)(); });
  };
  const auto add_percentile = [&](const char* which, const char* text, double percent) {
    registry.add({fmt::format("ios.OP.lat_ps.{}", which).c_str(), {name}}, "ps", text,
                 [&latency, percent] { return latency.percentile(percent); });
  };
  add("ios.OP.lat_ps.min",
      "Least latency: from the submission of the request by the host to the moment at which the host has taken its "
      "completion.",
      &Histogram::min);
  add("ios.OP.lat_ps.mean", "Mean latency, rounded to the nearest picosecond.", &Histogram::mean);
  add("ios.OP.lat_ps.stddev", "Standard deviation of the latency, of a sample (n - 1).", &Histogram::stddev);
  add("ios.OP.lat_ps.max", "Greatest latency.", &Histogram::max);
  add_percentile(
      "p50",
      "Median: the least latency that 50 % of the requests do not exceed, from a histogram with fio's buckets; at "
      "most 0.78 % off from 64 ns on, exact when all latencies of its bucket are the same; as are the percentiles "
      "below.",
      50);
  add_percentile("p80", "Latency that 80 % of the requests do not exceed.", 80);
  add_percentile("p90", "Latency that 90 % of the requests do not exceed.", 90);
  add_percentile("p95", "Latency that 95 % of the requests do not exceed.", 95);
  add_percentile("p99", "Latency that 99 % of the requests do not exceed.", 99);
  add_percentile("p99_9", "Latency that 99.9 % of the requests do not exceed.", 99.9);
  add_percentile("p99_99", "Latency that 99.99 % of the requests do not exceed.", 99.99);
  registry.add({"ios.OP.lat_ps.sum", {name}}, "ps", "Sum of all latencies; 2^64 - 1 when it is greater.",
               [&latency] { return saturated(latency.sum()); });
  const auto add_beyond = [&](const char* which, const char* text, double percent) {
    registry.add({fmt::format("ios.OP.beyond.{}", which).c_str(), {name}}, "requests", text,
                 [&latency, percent] { return latency.beyond(percent); });
  };
  add_beyond("p50",
             "Requests behind the median; of fewer than ten behind a percentile (below) another run has another "
             "percentile, and the summary marks it.",
             50);
  add_beyond("p95", "Behind the 95th percentile.", 95);
  add_beyond("p99", "Behind the 99th percentile.", 99);
  add_beyond("p99_9", "Behind the 99.9th percentile.", 99.9);
  add_beyond("p99_99", "Behind the 99.99th percentile.", 99.99);
}

void RequestStatistics::register_stages(Registry& registry, Op op, const std::vector<StageName>& stages) const {
  const std::string name = workload::op_name(op);
  std::vector<std::string> names;
  for (const StageName& stage : stages) names.push_back(stage.name);
  const auto means = [this, op, stages](bool of_waits) {
    std::vector<Picoseconds> times = stage_means(op);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (stages[i].is_wait != of_waits) times[i] = Picoseconds(0);
    }
    return times;
  };
  registry.add({"stages.OP.mean[].stage", {name}}, "name",
               "Name of the stage; stages in the order in which a read passes them.", [names] { return names; });
  registry.add({"stages.OP.mean[].waiting_ps", {name}}, "ps",
               fmt::format("{}; 0 unless the stage is waiting for a resource.", kStageText),
               [means] { return means(true); });
  registry.add({"stages.OP.mean[].service_ps", {name}}, "ps",
               fmt::format("{}; 0 if the stage is waiting for a resource.", kStageText),
               [means] { return means(false); });
  for (std::size_t i = 0; i < stages.size(); ++i) {
    registry.add({"stages.OP.total_ps.STAGE", {name, stages[i].name}}, "ps",
                 "Time in the stage, summed over all requests of the operation; the stages sum to `ios.OP.lat_ps.sum`.",
                 [this, op, i] { return stage_total(op, i); });
  }
}

}  // namespace wordline::results
