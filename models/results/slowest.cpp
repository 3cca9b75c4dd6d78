// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/slowest.h"

#include <algorithm>
#include <functional>
#include <string>

#include "models/results/request_statistics.h"

namespace wordline::results {

void SlowestRequests::insert(const FinishedRequest& request) {
  const auto place = std::upper_bound(kept_.begin(), kept_.end(), request.latency(),
                                      [](Picoseconds t, const Entry& entry) { return t > entry.request.latency(); });
  Entry entry{request, {request.stages, request.stages + stages_}};
  entry.request.stages = nullptr;
  kept_.insert(place, std::move(entry));
  if (kept_.size() > kKept) kept_.pop_back();
  least_ = kept_.back().request.latency();
}

void SlowestRequests::register_statistics(Registry& registry, const std::vector<StageName>& stages) const {
  const auto add = [&](const char* path, const char* unit, const char* text, auto value) {
    using T = decltype(value(kept_.front()));
    registry.add(path, unit, text, [this, value]() -> Value {
      std::vector<T> list;
      for (const Entry& entry : kept_) list.push_back(value(entry));
      return list;
    });
  };
  add("slowest[].op", "name", "What it asked for: read, write, trim or flush.",
      [](const Entry& entry) { return std::string(workload::op_name(entry.request.op)); });
  add("slowest[].latency_ps", "ps", "Its latency, counted as in `ios.OP.lat_ps`.",
      [](const Entry& entry) { return entry.request.latency(); });
  add("slowest[].submitted_ps", "ps", "When the host submitted it, in simulated time: the place in the waveform.",
      [](const Entry& entry) { return entry.request.submitted; });
  add("slowest[].lba", "LBA", "Its first block of 512 bytes.", [](const Entry& entry) { return entry.request.lba; });
  add("slowest[].bytes", "bytes", "Its length.", [](const Entry& entry) { return entry.request.bytes; });
  add("slowest[].job", "number", "The job that it belongs to, a row of `jobs`.",
      [](const Entry& entry) { return std::uint64_t{entry.request.job}; });
  registry.add("slowest[].die", "number",
               "The die of the last flash read that it waited for, numbered as in `utilisation.dies`; -1: it waited "
               "for none.",
               [this]() -> Value {
                 std::vector<std::int64_t> dies;
                 for (const Entry& entry : kept_) {
                   const bool none = entry.request.die == FinishedRequest::kNoDie;
                   dies.push_back(none ? -1 : std::int64_t{entry.request.die});
                 }
                 return dies;
               });
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    registry.add({"slowest[].stage_ps.STAGE", {stages[stage].name}}, "ps",
                 "Its time in each stage of `stages`; they sum to its latency.", [this, stage]() -> Value {
                   std::vector<Picoseconds> times;
                   for (const Entry& entry : kept_) times.push_back(entry.stages[stage]);
                   return times;
                 });
  }
}

}  // namespace wordline::results
