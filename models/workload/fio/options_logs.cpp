// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "models/workload/fio/options.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

/// A log's name; without one its files have the name of the job, as in fio.
std::string name_of(const Value& value) { return value.given ? std::string(value.text) : std::string(); }

void set_window_value(const Value& value, Job& job) {
  if (value.text == "both") throw Refused{"its lines have a column more than all others; give avg or max"};
  if (value.text != "avg" && value.text != "max") throw Bad{"avg, max or both"};
  job.reporting.logs.greatest = value.text == "max";
}

/// "50:99:99.99"
void set_percentiles(const Value& value, Job& job) {
  constexpr std::size_t kMostOfFio = 20;
  std::vector<std::string_view> parts;
  text::split(value.text, ':', parts);
  if (parts.size() > kMostOfFio) throw Bad{"at most 20 percentiles"};
  std::vector<double> list;
  for (const std::string_view part : parts) list.push_back(value.of(part).real(0, 100));
  std::sort(list.begin(), list.end());
  job.reporting.percentiles.list = std::move(list);
}

constexpr std::uint64_t kLongestWindow = 86'400'000;  // ms: a day

constexpr std::uint64_t kMostCoarse = 6;  // as fio

constexpr ObeyedOption kRows[] = {
    {"write_lat_log", [](const Value& value, Job& job) { job.reporting.logs.latency = name_of(value); }},
    {"write_bw_log", [](const Value& value, Job& job) { job.reporting.logs.bandwidth = name_of(value); }},
    {"write_iops_log", [](const Value& value, Job& job) { job.reporting.logs.iops = name_of(value); }},
    {"write_hist_log", [](const Value& value, Job& job) { job.reporting.logs.histogram = name_of(value); }},
    {"log_hist_msec",
     [](const Value& value, Job& job) {
       job.reporting.logs.histogram_ms = static_cast<std::uint32_t>(value.number(0, kLongestWindow));
     }},
    {"log_hist_coarseness",
     [](const Value& value, Job& job) {
       job.reporting.logs.histogram_coarseness = static_cast<std::uint32_t>(value.number(0, kMostCoarse));
     }},
    {"log_avg_msec",
     [](const Value& value, Job& job) {
       job.reporting.logs.average_ms = static_cast<std::uint32_t>(value.number(0, kLongestWindow));
     }},
    {"log_window_value", set_window_value},
    {"log_max_value", [](const Value& value, Job& job) { job.reporting.logs.greatest = value.flag(); }},
    {"log_offset", [](const Value& value, Job& job) { job.reporting.logs.offset = value.flag(); }},
    {"log_prio", [](const Value& value, Job& job) { job.reporting.logs.priority = value.flag(); }},
    {"percentile_list", set_percentiles},
    {"clat_percentiles", [](const Value& value, Job& job) { job.reporting.percentiles.clat = value.flag(); }},
    {"lat_percentiles", [](const Value& value, Job& job) { job.reporting.percentiles.lat = value.flag(); }},
    {"per_job_logs", [](const Value& value, Job& job) { job.reporting.logs.per_job = value.flag(); }},
};

}  // namespace

Rows<ObeyedOption> log_options() { return {std::begin(kRows), std::end(kRows)}; }

}  // namespace wordline::workload::fio
