// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/steady/steady_statistics.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "models/results/number_text.h"

namespace wordline::results {
namespace {

struct PercentileRow {
  const char* name;
  const char* text;
};
constexpr std::array<PercentileRow, 4> kPercentiles{{{"p50_ps", "Median"},
                                                     {"p99_ps", "99th percentile"},
                                                     {"p99_9_ps", "99.9th percentile"},
                                                     {"p99_99_ps", "99.99th percentile"}}};
static_assert(kPercentiles.size() == OpIntervals::kPercentiles.size());

constexpr const char* kUnknown = "too few requests";

using Bound = double Interval::*;

Value rate_value(const Interval& interval, Bound bound) {
  if (!interval.known) return {};
  return interval.*bound;
}

Value time_value(const Interval& interval, Bound bound) {
  if (!interval.known) return {};
  return Picoseconds(std::llround(interval.*bound));
}

struct BoundRow {
  const char* name;
  const char* text;
  Bound bound;
};
constexpr BoundRow kBounds[] = {
    {"value", "since the warm-up (`steady.since_requests`) and until the jobs end", &Interval::value},
    {"low", "lower end of the 95 % interval in which a longer run has it", &Interval::low},
    {"high", "upper end of that interval", &Interval::high},
};

void register_intervals(Registry& registry, const std::shared_ptr<const SteadyAnswer>& answer, Op op) {
  const std::string name = workload::op_name(op);
  const OpIntervals& of = answer->ops[static_cast<std::size_t>(op)];
  for (const BoundRow& row : kBounds) {
    registry
        .add({fmt::format("ios.OP.interval.iops.{}", row.name).c_str(), {name}}, "requests/s",
             fmt::format("Rate of the operation: {}.", row.text),
             [answer, &of, bound = row.bound] { return rate_value(of.iops, bound); })
        .null_when(kUnknown);
  }
  const auto add_time = [&](const char* latency, const char* what, const Interval& interval) {
    for (const BoundRow& row : kBounds) {
      registry
          .add({fmt::format("ios.OP.interval.{}.{}", latency, row.name).c_str(), {name}}, "ps",
               fmt::format("{} of its latency: {}.", what, row.text),
               [answer, &interval, bound = row.bound] { return time_value(interval, bound); })
          .null_when("too few requests, or fewer than ten beyond");
    }
  };
  add_time("mean_ps", "Mean", of.mean);
  for (std::size_t i = 0; i < kPercentiles.size(); ++i)
    add_time(kPercentiles[i].name, kPercentiles[i].text, of.percentiles[i]);
}

std::string share(double value) { return fmt::format("{:.{}f} %", 100 * value, value < 0.0995 ? 1 : 0); }

}  // namespace

void register_steady(Registry& registry, const std::shared_ptr<const SteadyAnswer>& answer) {
  for (std::size_t op = 0; op < kOpCount; ++op) {
    // Reads and writes are always there, the others when they occurred.
    if (op < 2 || answer->ops[op].iops.value > 0) register_intervals(registry, answer, static_cast<Op>(op));
  }
  registry.add("steady.class", "name",
               "steady: a longer run has the same numbers. before_gc: it has them until the drive begins to collect "
               "superblocks. not_steady: it has others. overload: more requests arrive than are served, so latencies "
               "are those of the queue in front of the drive. too_short: too few requests to say (docs/steady.md).",
               [answer] { return std::string(name_of(answer->steady)); });
  registry.add("steady.sentence", "text", "The same in words, as the summary has it.",
               [answer] { return steady_sentence(*answer); });
  registry.add("steady.reached", "count", "1 for the class steady, 0 for the others.",
               [answer] { return std::uint64_t{answer->reached()}; });
  registry
      .add("steady.reason", "text", "Why it is of that class.",
           [answer]() -> Value {
             if (answer->reason.empty()) return {};
             return answer->reason;
           })
      .null_when("steady");
  registry.add("steady.since_requests", "requests",
               "Requests of the warm-up, from the begin of the measurement on: until the write buffer was as full as "
               "it gets, and all but 16 of `superblocks_needed` were collected. With run.until the measurement begins "
               "anew with that, and `window` and `ios` are of the rest.",
               [answer] { return answer->since; });
  registry.add("steady.since_ps", "ps", "Simulated time from which the intervals count.",
               [answer] { return answer->since_time; });
  registry.add("steady.requests", "requests", "Requests that the intervals are from.",
               [answer] { return answer->requests; });
  registry.add("steady.least_requests", "requests",
               "The fewest to judge by: 2048, and 200 for each request in flight, of a trace 500.",
               [answer] { return answer->least; });
  registry.add("steady.in_flight", "requests", "Mean number of requests in flight: rate times mean latency.",
               [answer] { return answer->in_flight; });
  registry
      .add("steady.offered_iops", "requests/s",
           "Requests that the load asks for: of a trace those that arrive, of jobs their rate limits.",
           [answer]() -> Value {
             if (answer->offered <= 0) return {};
             return answer->offered;
           })
      .null_when("as many as are served");
  registry.add("steady.superblocks_written", "superblocks",
               "Logical pages programmed since the begin of the workload, by superblock.",
               [answer] { return answer->superblocks_written; });
  registry.add("steady.superblocks_collected", "superblocks", "Emptied and erased since the begin of the workload.",
               [answer] { return answer->superblocks_collected; });
  registry.add("steady.superblocks_needed", "superblocks",
               "That are collected before a drive that writes can be steady, 16 of them since the warm-up.",
               [answer] { return answer->superblocks_needed; });
  registry
      .add("steady.writes_until_gc", "logical pages",
           "That the host can write before GC begins, at this write amplification.",
           [answer]() -> Value {
             if (!answer->writes_until_gc) return {};
             return *answer->writes_until_gc;
           })
      .null_when("GC has begun, or nothing is written");
  registry
      .add("steady.waf", "ratio",
           "Programmed over written logical pages since the warm-up; beside `waf_of_state` it shows whether the drive "
           "is where its state was.",
           [answer]() -> Value {
             if (!answer->waf.known) return {};
             return answer->waf.value;
           })
      .null_when("nothing written");
  registry
      .add("steady.waf_of_state", "ratio",
           "Write amplification with which `precondition.fill` = steady, or `precondition.overwrites`, made the state "
           "that the drive began with.",
           [answer]() -> Value {
             if (answer->waf_of_state <= 0) return {};
             return answer->waf_of_state;
           })
      .null_when("no such state");
  for (const BoundRow& row : kBounds) {
    registry
        .add(fmt::format("steady.iops.{}", row.name).c_str(), "requests/s",
             fmt::format("Rate of all operations: {}.", row.text),
             [answer, bound = row.bound] { return rate_value(answer->iops, bound); })
        .null_when(kUnknown);
  }
}

std::string steady_sentence(const SteadyAnswer& answer) {
  std::string rate;
  if (answer.iops.known) {
    rate = fmt::format("{} IOPS +-{} since request {}",
                       grouped(static_cast<std::uint64_t>(std::llround(answer.iops.value))), share(answer.iops.width()),
                       grouped(answer.since));
  }
  switch (answer.steady) {
    case SteadyClass::kSteady:
      return fmt::format("Steady: {}.", rate);
    case SteadyClass::kBeforeGc:
      return fmt::format("Before GC: {}; {}.", rate, answer.reason);
    case SteadyClass::kOverload:
      return fmt::format("Overload: {}.", answer.reason);
    case SteadyClass::kNotSteady:
      return fmt::format("Not steady: {}{}{}.", answer.reason, rate.empty() ? "" : "; so far ", rate);
    case SteadyClass::kTooShort:
      break;
  }
  return fmt::format("Too short: {}.", answer.reason);
}

}  // namespace wordline::results
