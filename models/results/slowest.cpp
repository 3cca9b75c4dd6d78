// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/slowest.h"

#include <algorithm>
#include <utility>

#include "models/results/request_statistics.h"

namespace wordline::results {

/// Rows of one list, and where it stands in result.json: with an operation, below its name.
struct SlowestRequests::Rows {
  Registry& registry;
  const char* pattern;  // "slowest[]"
  std::string op;       // empty: of all

  void add(const std::string& member, const std::string& of, const char* unit, const char* text,
           Statistic::Read read) const {
    const std::string path = std::string(pattern) + "." + member;
    if (op.empty() && of.empty()) {
      registry.add(Name(path.c_str()), unit, text, std::move(read));
    } else if (op.empty()) {
      registry.add(Name(path.c_str(), {of}), unit, text, std::move(read));
    } else if (of.empty()) {
      registry.add(Name(path.c_str(), {op}), unit, text, std::move(read)).only_if_nonzero();
    } else {
      registry.add(Name(path.c_str(), {op, of}), unit, text, std::move(read)).only_if_nonzero();
    }
  }
};

void SlowestRequests::insert(const FinishedRequest& request) {
  const auto place = std::upper_bound(kept_.begin(), kept_.end(), request.latency(),
                                      [](Picoseconds t, const Entry& entry) { return t > entry.request.latency(); });
  Entry entry{request, {request.stages, request.stages + stages_}, {}};
  if (request.waits != nullptr) std::copy_n(request.waits, kWaitCauses, entry.waits.begin());
  entry.request.stages = entry.request.waits = nullptr;
  entry.request.dies = nullptr;
  kept_.insert(place, std::move(entry));
  if (kept_.size() > most_) kept_.pop_back();
  least_ = kept_.back().request.latency();
}

void SlowestRequests::register_rows(const Rows& rows, const std::vector<StageName>& stages) const {
  const auto add = [&](const char* member, const std::string& of, const char* unit, const char* text, auto value) {
    using T = decltype(value(kept_.front()));
    rows.add(member, of, unit, text, [this, value]() -> Value {
      std::vector<T> list;
      for (const Entry& entry : kept_) list.push_back(value(entry));
      return list;
    });
  };
  if (rows.op.empty()) {
    add("op", {}, "name", "What it asked for: read, write, trim or flush.",
        [](const Entry& entry) { return std::string(workload::op_name(entry.request.op)); });
  }
  add("latency_ps", {}, "ps", "Its latency, counted as in `ios.OP.lat_ps`.",
      [](const Entry& entry) { return entry.request.latency(); });
  add("submitted_ps", {}, "ps", "When the host submitted it, in simulated time: the place in the waveform.",
      [](const Entry& entry) { return entry.request.submitted; });
  add("lba", {}, "LBA", "Its first block of 512 bytes.", [](const Entry& entry) { return entry.request.lba; });
  add("bytes", {}, "bytes", "Its length.", [](const Entry& entry) { return entry.request.bytes; });
  add("job", {}, "number", "The job that it belongs to, a row of `jobs`.",
      [](const Entry& entry) { return std::uint64_t{entry.request.job}; });
  add("die", {}, "number",
      "The die of the last flash read that it waited for, numbered as in `utilisation.dies`; -1: it waited for none.",
      [](const Entry& entry) {
        return entry.request.die == FinishedRequest::kNoDie ? std::int64_t{-1} : std::int64_t{entry.request.die};
      });
  add("retries", {}, "steps", "Steps of read retry that its flash reads took.",
      [](const Entry& entry) { return std::uint64_t{entry.request.retries}; });
  add("behind", {}, "name",
      "What it waited behind the longest, a member of `behind_ps`; none: it never waited. docs/latency.md explains the "
      "causes.",
      [](const Entry& entry) {
        const std::size_t cause = longest_wait(entry.waits.data());
        return std::string(cause == kWaitCauses ? "none" : wait_cause_name(cause));
      });
  for (std::size_t cause = 0; cause < kWaitCauses; ++cause) {
    add("behind_ps.CAUSE", std::string(wait_cause_name(cause)), "ps",
        "How long it waited behind each cause; they sum to its waiting stages.",
        [cause](const Entry& entry) { return entry.waits[cause]; });
  }
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    add("stage_ps.STAGE", stages[stage].name, "ps", "Its time in each stage of `stages`; they sum to its latency.",
        [stage](const Entry& entry) { return entry.stages[stage]; });
  }
}

void SlowestRequests::register_statistics(Registry& registry, const std::vector<StageName>& stages) const {
  register_rows({registry, "slowest[]", {}}, stages);
}

void SlowestRequests::register_statistics_of(Registry& registry, Op op, const std::vector<StageName>& stages) const {
  register_rows({registry, "slowest_of.OP.requests[]", workload::op_name(op)}, stages);
}

void SlowestByOperation::register_statistics(Registry& registry, const std::vector<StageName>& stages) const {
  all_.register_statistics(registry, stages);
  for (std::size_t i = 0; i < kOpCount; ++i) {
    of_each_[i].register_statistics_of(registry, static_cast<Op>(i), stages);
  }
}

}  // namespace wordline::results
