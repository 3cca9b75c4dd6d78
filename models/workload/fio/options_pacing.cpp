// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "models/workload/fio/options.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

constexpr std::uint64_t kMostPerSecond = 1'000'000'000'000;

void set_rates(const Value& value, ByOp<std::uint64_t>& rates) {
  for_directions(value, [&](std::size_t op, const Value& part) { rates[op] = part.number(0, kMostPerSecond); });
}

void set_byte_rates(const Value& value, ByOp<std::uint64_t>& rates) {
  for_directions(value, [&](std::size_t op, const Value& part) {
    rates[op] = part.bytes();
    if (rates[op] > kMostPerSecond) throw Bad{"at most 10^12 bytes a second"};
  });
}

void set_start_delay(const Value& value, Job& job) {
  const auto dash = value.text.find('-');
  auto& delay = job.order.start_delay;
  delay.first = delay.second = value.of(text::trimmed(value.text.substr(0, dash))).time(kSecond);
  if (dash == std::string_view::npos) return;
  delay.second = value.of(text::trimmed(value.text.substr(dash + 1))).time(kSecond);
  if (delay.second < delay.first) std::swap(delay.first, delay.second);
}

void set_exit_what(const Value& value, Job& job) {
  if (value.text == "group") {
    job.order.exit_what = ExitWhat::kGroup;
  } else if (value.text == "stonewall") {
    job.order.exit_what = ExitWhat::kStonewall;
  } else if (value.text == "all") {
    job.order.exit_what = ExitWhat::kAll;
  } else {
    throw Bad{"group, stonewall or all"};
  }
}

/// "iops:10%", "bw_slope:1%", "lat:500".
void set_steady_state(const Value& value, Job& job) {
  static constexpr const char* kExpected = "iops, bw or lat, perhaps with _slope, ':' and a limit, iops:10%";
  const auto colon = value.text.find(':');
  if (colon == std::string_view::npos) throw Bad{kExpected};
  auto name = value.text.substr(0, colon);
  auto limit = value.text.substr(colon + 1);
  SteadyState steady = job.steady.value_or(SteadyState{});
  static constexpr std::string_view kSlope = "_slope";
  steady.slope = name.size() > kSlope.size() && name.substr(name.size() - kSlope.size()) == kSlope;
  if (steady.slope) name.remove_suffix(kSlope.size());
  if (name == "iops") {
    steady.of = SteadyState::Of::kIops;
  } else if (name == "bw") {
    steady.of = SteadyState::Of::kBandwidth;
  } else if (name == "lat") {
    steady.of = SteadyState::Of::kLatency;
  } else {
    throw Bad{kExpected};
  }
  steady.percent = !limit.empty() && limit.back() == '%';
  if (steady.percent) {
    limit.remove_suffix(1);
    steady.limit = value.of(limit).real(0, 1e6);
  } else if (steady.of == SteadyState::Of::kBandwidth) {
    steady.limit = static_cast<double>(value.of(limit).bytes());
  } else {
    steady.limit = value.of(limit).real(0, 1e18);
  }
  job.steady = steady;
}

/// ss_dur and its like may stand above ss; without ss they say nothing.
SteadyState& steady_of(Job& job) {
  if (!job.steady) {
    job.steady = SteadyState{};
    job.steady->limit = -1;  // no criterion yet
  }
  return *job.steady;
}

void set_thinktime_blocks_type(const Value& value, Job& job) {
  if (value.text != "complete" && value.text != "issue") throw Bad{"complete or issue"};
  job.pacing.thinktime_by_issue = value.text == "issue";
}

void set_rate_process(const Value& value, Job& job) {
  if (value.text != "linear" && value.text != "poisson") throw Bad{"linear or poisson"};
  job.pacing.poisson = value.text == "poisson";
}

void set_rate_cycle(const Value& value, Job& job) {
  job.pacing.rate_cycle = value.time(kMillisecond);
  if (job.pacing.rate_cycle.count() == 0) throw Bad{"a time above 0"};
}

void set_spin(const Value& value, Job& job) {
  // The processor is busy for this part of the pause; the drive waits either way.
  job.pacing.thinktime = std::max(job.pacing.thinktime, value.time(kMicrosecond));
}

const auto kDuration = [](const Value& value, Job& job) { steady_of(job).duration = value.time(kSecond); };
const auto kRamp = [](const Value& value, Job& job) { steady_of(job).ramp = value.time(kSecond); };
const auto kInterval = [](const Value& value, Job& job) {
  steady_of(job).interval = value.time(kSecond);
  if (job.steady->interval.count() == 0) throw Bad{"a time above 0"};
};
const auto kStonewall = [](const Value& value, Job& job) { job.order.stonewall = value.flag(); };

const ObeyedOption kRows[] = {
    {"rate", [](const Value& value, Job& job) { set_byte_rates(value, job.pacing.rate); }},
    {"rate_min", [](const Value& value, Job& job) { set_byte_rates(value, job.pacing.rate_min); }},
    {"ratemin", [](const Value& value, Job& job) { set_byte_rates(value, job.pacing.rate_min); }},
    {"rate_iops", [](const Value& value, Job& job) { set_rates(value, job.pacing.rate_iops); }},
    {"rate_iops_min", [](const Value& value, Job& job) { set_rates(value, job.pacing.rate_iops_min); }},
    {"rate_process", set_rate_process},
    {"rate_cycle", set_rate_cycle},
    {"ratecycle", set_rate_cycle},
    {"rate_ignore_thinktime", [](const Value& value, Job& job) { job.pacing.ignore_thinktime = value.flag(); }},
    {"thinktime", [](const Value& value, Job& job) { job.pacing.thinktime = value.time(kMicrosecond); }},
    {"thinktime_spin", set_spin},
    {"thinktime_blocks", [](const Value& value, Job& job) { job.pacing.thinktime_blocks = value.number(1, kMost); }},
    {"thinktime_blocks_type", set_thinktime_blocks_type},
    {"thinktime_iotime", [](const Value& value, Job& job) { job.pacing.thinktime_iotime = value.time(kSecond); }},
    {"flow", [](const Value& value, Job& job) { job.pacing.flow = static_cast<std::uint32_t>(value.number(0, 1000)); }},
    {"flow_id", [](const Value& value, Job& job) { job.pacing.flow_id = value.number(0, UINT64_MAX); }},
    {"flow_sleep", [](const Value& value, Job& job) { job.pacing.flow_sleep = value.time(kMicrosecond); }},
    {"startdelay", set_start_delay},
    {"stonewall", kStonewall},
    {"wait_for_previous", kStonewall},
    {"wait_for", [](const Value& value, Job& job) { job.order.wait_for = value.text; }},
    {"new_group", [](const Value& value, Job& job) { job.order.new_group = value.flag(); }},
    {"exitall", [](const Value& value, Job& job) { job.order.exitall = value.flag(); }},
    {"exit_what", set_exit_what},
    {"steadystate", set_steady_state},
    {"ss", set_steady_state},
    {"steadystate_duration", kDuration},
    {"ss_dur", kDuration},
    {"steadystate_ramp_time", kRamp},
    {"ss_ramp", kRamp},
    {"steadystate_check_interval", kInterval},
    {"ss_interval", kInterval},
};

}  // namespace

Rows<ObeyedOption> pacing_options() { return {std::begin(kRows), std::end(kRows)}; }

}  // namespace wordline::workload::fio
