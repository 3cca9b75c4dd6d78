// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/bottleneck.h"

#include <algorithm>
#include <map>
#include <optional>

#include "models/results/bottleneck_text.h"

namespace wordline::results {
namespace {

/// A server that is full, and one that drains a pool too slowly.
constexpr double kFull = 0.95;
constexpr double kDrains = 0.85;
/// Busier than another by so much.
constexpr double kClearly = 0.05;
/// What limits is at least so busy: with less, half of it would do.
constexpr double kBusy = 0.5;
/// The share from which a pool counts as too small.
constexpr double kWaitedFor = 0.5;
/// Share of the latency: with so much less, the same load would make half as many requests again.
constexpr double kMuch = 1.0 / 3;
constexpr double kSome = 0.2;  // of the latency: is named, and does not limit
/// Share of the requests that a job may have in flight: with fewer it is the host that makes none.
constexpr double kFew = 0.7;
/// GC writes as much as the host.
constexpr double kCollected = 0.5;
/// Share of the busy time of dies in which retry controllers hold them.
constexpr double kRetrying = 0.75;
/// Of what was read.
constexpr double kWithoutData = 0.5;

using Groups = std::vector<GroupShares>;

double greatest(const Groups& groups, const std::string& key) {
  const GroupShares* const group = find_group(groups, key);
  return group == nullptr ? 0 : group->greatest();
}

const GroupShares* top(const Groups& groups, ResourceKind kind, const std::string& but = {}) {
  const GroupShares* best = nullptr;
  for (const GroupShares& group : groups) {
    if (group.kind != kind || group.key == but || group.shares.empty()) continue;
    if (best == nullptr || group.greatest() > best->greatest()) best = &group;
  }
  return best;
}

/// Where the mean latency goes.
struct Latency {
  double waiting = 0;                                  // share of it
  std::vector<std::pair<std::string, double>> waits;   // waits by group, the largest share first
  std::vector<std::pair<std::string, double>> served;  // shares by what serves, the largest first
};

Latency latency_of(const std::vector<StageShare>& stages) {
  double all = 0;
  for (const StageShare& stage : stages) all += stage.time;
  Latency latency;
  if (all <= 0) return latency;
  const auto add = [all](auto& list, const std::string& key, double time) {
    const auto known = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == key; });
    if (known == list.end()) {
      list.emplace_back(key, time / all);
    } else {
      known->second += time / all;
    }
  };
  for (const StageShare& stage : stages) {
    if (stage.time <= 0) continue;
    if (!stage.wait.empty()) {
      latency.waiting += stage.time / all;
      add(latency.waits, stage.wait, stage.time);
    } else if (!stage.server.empty()) {
      add(latency.served, stage.server, stage.time);
    }
  }
  const auto longer = [](const auto& a, const auto& b) { return a.second > b.second; };
  std::stable_sort(latency.waits.begin(), latency.waits.end(), longer);
  std::stable_sort(latency.served.begin(), latency.served.end(), longer);
  return latency;
}

/// What is behind `key`, a server: retries that hold the dies, GC that keeps them at work, or itself.
std::string behind(const std::string& key, const Groups& groups, double collected) {
  if (key != "dies" && key != "channels") return key;
  if (greatest(groups, "retry") >= kRetrying * greatest(groups, key)) return "retry";
  return collected >= kCollected ? kGc : key;
}

/// What is behind `key`, a pool that requests wait for. A larger one would only be full later where its drain is slow.
std::string behind_pool(const std::string& key, const Groups& groups, double collected) {
  const GroupShares* const drain = top(groups, ResourceKind::kServer);
  if (drain != nullptr && drain->greatest() >= kDrains) return behind(drain->key, groups, collected);
  if (key != "free_space" && key != "write_buffer") return key;
  // Writes wait for GC, and GC for its buffer.
  if (greatest(groups, "gc_buffer") >= kWaitedFor) return "gc_buffer";
  const bool space = key == "free_space" || greatest(groups, "free_space") >= kWaitedFor;
  return space ? kGc : key;
}

std::optional<std::string> full_server(const Groups& groups, double collected) {
  const GroupShares* const server = top(groups, ResourceKind::kServer);
  if (server == nullptr || server->greatest() < kFull) return std::nullopt;
  return behind(server->key, groups, collected);
}

std::optional<std::string> waited_for(const Groups& groups, double collected, const Latency& latency) {
  if (latency.waiting < kMuch) return std::nullopt;
  for (const auto& [key, share] : latency.waits) {
    // What is left is less than half of a wait that is large by itself.
    if (share < kMuch / 2) break;
    const GroupShares* const group = find_group(groups, key);
    const bool server = group != nullptr && group->kind == ResourceKind::kServer;
    if (!server) return key == "same_sector" || key == "map_cache" ? key : behind_pool(key, groups, collected);
    if (group->greatest() >= kBusy) return behind(key, groups, collected);
  }
  return std::nullopt;
}

/// A full server has made the queue, wherever it stands: programs wait for the DRAM port while they hold their die.
bool overruled(const std::string& waited, const Groups& groups) {
  const GroupShares* const server = top(groups, ResourceKind::kServer);
  const GroupShares* const group = find_group(groups, waited);
  return server != nullptr && group != nullptr && group->kind == ResourceKind::kServer &&
         server->greatest() >= std::max(kFull, group->greatest() + kClearly);
}

/// Steps 2 and 3. Nothing: what serves, or the load.
std::optional<std::string> short_of(const Groups& groups, const Evidence& evidence, const Latency& latency) {
  if (evidence.queue_depth != 0) {
    const auto found = waited_for(groups, evidence.collected, latency);
    return found && !overruled(*found, groups) ? found : full_server(groups, evidence.collected);
  }
  if (const auto full = full_server(groups, evidence.collected)) return full;
  const GroupShares* const pool = top(groups, ResourceKind::kPool);
  if (pool == nullptr || pool->greatest() < kWaitedFor) return std::nullopt;
  return behind_pool(pool->key, groups, evidence.collected);
}

struct Verdict {
  std::optional<std::string> resource;
  double part = 1;
};

Verdict by_parts(const Evidence& evidence, const Latency& latency) {
  if (evidence.shares_by_part.empty()) return {short_of(evidence.shares, evidence, latency), 1};
  std::map<std::optional<std::string>, unsigned> votes;
  for (const auto& part : evidence.shares_by_part) ++votes[short_of(part, evidence, latency)];
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, most->second / static_cast<double>(evidence.shares_by_part.size())};
}

/// A job that waits for a flush makes no requests, and not by itself.
bool host_limits(const Evidence& evidence) {
  double all = 0, of_few = 0;
  for (const JobLoad& job : evidence.jobs) {
    all += job.requests;
    const auto depth = static_cast<double>(job.queue_depth);
    // With so few requests the last ones, when there is nothing left to submit, are a large part.
    if (job.requests >= 2 * depth && job.in_flight < kFew * depth) of_few += job.requests;
  }
  return evidence.queue_depth != 0 && 2 * of_few > all &&
         evidence.flushing < kBusy * static_cast<double>(evidence.jobs.size());
}

}  // namespace

Bottleneck find_bottleneck(const Evidence& evidence) {
  Bottleneck result;
  if (!evidence.measured) {
    result.resource = "none";
    result.sentence = "Nothing was measured.";
    return result;
  }
  const Latency latency = latency_of(evidence.stages);
  result.waiting = latency.waiting;
  const Verdict verdict = by_parts(evidence, latency);
  BottleneckWords words{evidence.in_flight, evidence.queue_depth, evidence.tags, evidence.collected,
                        evidence.without_data};
  if (evidence.reads >= kBusy && evidence.without_data >= kWithoutData) {
    result.resource = "no_data";
  } else if (host_limits(evidence)) {
    result.resource = "host";
  } else if (verdict.resource) {
    result.resource = *verdict.resource;
    result.part = verdict.part;
    if (evidence.queue_depth != 0 && latency.waiting >= kMuch) words.most_waited = latency.waits.front().first;
  } else if (evidence.queue_depth != 0 && !latency.served.empty() && latency.served.front().second >= kMuch) {
    result.resource = latency.served.front().first;
    words.served = latency.served.front().second;
    words.in_flight += evidence.flushing;
  } else {
    const bool tags = evidence.tags != 0 && evidence.tags < evidence.queue_depth;
    result.resource = evidence.queue_depth == 0 ? "arrival_rate" : tags ? "tags" : "queue_depth";
    if (latency.waiting >= kMuch) words.most_waited = latency.waits.front().first;
    if (!latency.served.empty() && latency.served.front().second >= kSome) words.most_served = latency.served.front();
  }
  const std::string group = result.resource == kGc ? "dies" : result.resource;
  const GroupShares* const named = find_group(evidence.shares, group);
  const GroupShares* const busiest = top(evidence.shares, ResourceKind::kServer, group);
  result.busiest = busiest == nullptr ? "" : busiest->key;
  result.utilisation = named != nullptr ? named->greatest() : busiest != nullptr ? busiest->greatest() : 0;
  words.named = named;
  words.busiest = busiest;
  result.sentence = bottleneck_sentence(result, words);
  return result;
}

void register_bottleneck(Registry& registry, const std::function<Evidence()>& evidence) {
  const auto found = [evidence] { return find_bottleneck(evidence()); };
  registry.add(
      "bottleneck.resource", "name",
      "What limits, by what fills the time of requests. Where a third of their latency or more is waiting: the group "
      "of "
      "`utilisation` that they wait for most, if its busiest member is at least half busy (`gc`: when these are dies "
      "or "
      "channels and half of what they program are copies; `retry`: when retries hold the dies); a buffer, free space "
      "or "
      "`tags` where no server is busy 85 %; `same_sector`: other writes of the same logical page; `map_cache`: map "
      "pages from flash. Else a group that is "
      "busy 95 %. Else what serves a request for a third of its latency or more: `t_r`, `t_prog` (of writes and FLUSH "
      "that wait for their program), `retry`, `write_latency`, `link_latency` or a group of `utilisation`. Else the "
      "load: `queue_depth`, `tags`. `host`: most requests are of jobs that have less than 70 % of their queue depth in "
      "flight, because they make no more; `arrival_rate`: of a trace, where nothing is full; `no_data`: most of what "
      "was read had never been written, so that nothing of the flash was measured; `none`: nothing was measured. Found "
      "for eight parts of the measurement; the one of most parts is given.",
      [found] { return found().resource; });
  registry.add("bottleneck.utilisation", "share",
               "Busy share of the busiest member of that group, of a buffer the share of time in which requests waited "
               "for it, of `gc` that of the dies; where it is no group, of the group in `busiest`.",
               [found] { return found().utilisation; });
  registry.add("bottleneck.part", "share", "Share of the measurement in which it limited.",
               [found] { return found().part; });
  registry.add("bottleneck.waiting", "share",
               "Share of the mean latency, all operations together, that is waiting (the stages `queue_...`).",
               [found] { return found().waiting; });
  registry.add("bottleneck.in_flight", "requests",
               "Requests in flight in the mean, those of FLUSH left out: their rate times their latency.",
               [evidence] { return evidence().in_flight; });
  registry.add("bottleneck.busiest", "name",
               "The busiest group of `utilisation` apart from it. That it is busy does not say that more of it would "
               "help: `wordline run --what-if` says that.",
               [found] { return found().busiest; });
  registry.add("bottleneck.sentence", "text", "The same in words, as the summary has it.",
               [found] { return found().sentence; });
}

}  // namespace wordline::results
