// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/results/report.h"

namespace wordline::results {
namespace {

using Json = nlohmann::ordered_json;

/// Six decimals; the writer then prints the shortest text that reads back as this value.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

std::vector<double> rounded(const std::vector<double>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double v : values) result.push_back(rounded(v));
  return result;
}

Json latency_json(const LatencyReport& l) {
  return {{"min", l.min.count()},     {"mean", l.mean.count()},     {"stddev", l.stddev.count()}, {"max", l.max.count()},
          {"p50", l.p50.count()},     {"p95", l.p95.count()},       {"p99", l.p99.count()},       {"p99_9", l.p99_9.count()},
          {"p99_99", l.p99_99.count()}, {"sum", l.sum}};
}

Json ios_json(const Report& report) {
  Json ios = Json::object();
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const OpReport& op = report.ios[i];
    ios[workload::op_name(static_cast<Op>(i))] = {{"count", op.count},
                                                  {"bytes", op.bytes},
                                                  {"iops", rounded(op.iops)},
                                                  {"bytes_per_s", rounded(op.bytes_per_s)},
                                                  {"lat_ps", latency_json(op.latency)}};
  }
  return ios;
}

/// The mean of every stage in an array, because the order of the stages is part of the answer; the sums by name.
Json stages_json(const Report& report) {
  Json stages = Json::object();
  for (std::size_t i = 0; i < kOpCount; ++i) {
    Json list = Json::array();
    Json totals = Json::object();
    for (const auto& stage : report.stages) {
      const std::int64_t ps = stage.mean[i].count();
      list.push_back(
          {{"stage", stage.name}, {"waiting_ps", stage.is_wait ? ps : 0}, {"service_ps", stage.is_wait ? 0 : ps}});
      totals[stage.name] = stage.total_ps[i];
    }
    stages[workload::op_name(static_cast<Op>(i))] = {{"mean", std::move(list)},
                                                     {"total_ps", std::move(totals)}};
  }
  return stages;
}

Json flash_json(const FlashReport& f) {
  return {{"host_bytes_written", f.host_bytes_written},
          {"programs", f.programs},
          {"reads", f.reads},
          {"erases", f.erases},
          {"sectors_programmed", f.sectors_programmed},
          {"waf", f.waf ? Json(rounded(*f.waf)) : Json(nullptr)},
          {"retries", f.retries},
          {"soft_reads", f.soft_reads},
          {"uncorrectable", f.uncorrectable},
          {"failures", f.failures}};
}

/// Whole picojoules: a fraction of one is noise of the sum.
Json energy_json(const Report& report) {
  Json energy = Json::object();
  std::int64_t total = 0;
  for (const auto& [name, pj] : report.energy) {
    const std::int64_t whole = std::llround(pj.count());
    energy[name] = whole;
    total += whole;
  }
  energy["total"] = total;
  for (const auto& [name, pj] : report.array_energy) {
    energy["nand_array_by_operation"][name] = std::llround(pj.count());
  }
  return energy;
}

}  // namespace

std::string to_json(const Report& report) {
  const Bottleneck bottleneck = find_bottleneck(report.utilisation, report.queue_depth);
  const Utilisation& u = report.utilisation;
  Json json = Json::object();
  json["wordline"] = {{"version", report.version},
                      {"seed", report.seed},
                      {"config_sha256", report.config_sha256},
                      {"workload", report.workload}};
  json["simulated_ps"] = report.simulated.count();
  json["ios"] = ios_json(report);
  json["flash"] = flash_json(report.flash);
  json["utilisation"] = {{"link", rounded(u.link)},
                         {"cores", rounded(u.cores)},
                         {"dram", rounded(u.dram)},
                         {"channels", rounded(u.channels)},
                         {"dies", rounded(u.dies)}};
  json["bottleneck"] = {
      {"resource", bottleneck.resource}, {"utilisation", rounded(bottleneck.utilisation)}, {"next", bottleneck.next}};
  json["stages"] = stages_json(report);
  json["energy_pj"] = energy_json(report);
  if (!report.firmware_cycles.empty()) {
    Json cycles = Json::object();
    for (const auto& [tag, n] : report.firmware_cycles) cycles[tag] = n;
    json["firmware_cycles"] = std::move(cycles);
  }
  if (!report.engines.empty()) {
    Json engines = Json::object();
    for (const auto& engine : report.engines) {
      engines[engine.name] = {{"operations", engine.operations}, {"busy", rounded(engine.busy)}};
    }
    json["engines"] = std::move(engines);
  }
  json["check"] = {{"reads_checked", report.reads_checked}, {"mismatches", report.mismatches}};
  // A file name that is not UTF-8 must not lose the result.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const Cost& cost) {
  const double rate = cost.cpu_seconds > 0 ? static_cast<double>(cost.requests) / cost.cpu_seconds : 0.0;
  const Json json = {{"cpu_seconds", rounded(cost.cpu_seconds)}, {"wall_seconds", rounded(cost.wall_seconds)},
                     {"peak_rss_bytes", cost.peak_rss_bytes},    {"kernel_events", cost.kernel_events},
                     {"instructions", cost.instructions},        {"requests_per_cpu_second", std::round(rate)}};
  return json.dump(2) + "\n";
}

}  // namespace wordline::results
