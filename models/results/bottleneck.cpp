// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/bottleneck.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace wordline::results {
namespace {

/// A server that is full, and one that is when requests wait most for it.
constexpr double kFull = 0.95;
constexpr double kSaturated = 0.85;
/// And a pool as too small.
constexpr double kWaitedFor = 0.5;
/// Of the latency: so much less, and the same load would make half as many requests again.
constexpr double kWaiting = 1.0 / 3;
/// A group whose busiest member is this far above the mean is uneven, and the member is named.
constexpr double kUneven = 0.10;
/// GC writes as much as the host.
constexpr double kCollected = 0.5;
/// Of the time in which dies are busy, the retry controllers hold them.
constexpr double kRetrying = 0.75;

constexpr const char* kGc = "gc";

std::string percent(double share) { return fmt::format("{} %", std::lround(100 * share)); }

const GroupShares* find(const std::vector<GroupShares>& groups, const std::string& key) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const GroupShares& g) { return g.key == key; });
  return found == groups.end() ? nullptr : &*found;
}

double greatest(const std::vector<GroupShares>& groups, const std::string& key) {
  const GroupShares* const group = find(groups, key);
  return group == nullptr ? 0 : group->greatest();
}

const GroupShares* top(const std::vector<GroupShares>& groups, ResourceKind kind, const std::string& but = {}) {
  const GroupShares* best = nullptr;
  for (const GroupShares& group : groups) {
    if (group.kind != kind || group.key == but || group.shares.empty()) continue;
    if (best == nullptr || group.greatest() > best->greatest()) best = &group;
  }
  return best;
}

/// What requests wait for, from the stages.
struct Waiting {
  double share = 0;                        // of the mean latency
  std::string most;                        // the group behind the largest wait; empty: there is none
  std::map<std::string, double> by_group;  // groups that a stage waits for
};

Waiting waiting_of(const std::vector<StageWait>& stages) {
  Waiting waiting;
  double all = 0;
  double wait = 0;
  double longest = 0;
  for (const StageWait& stage : stages) {
    all += stage.time;
    if (stage.group.empty()) continue;
    wait += stage.time;
    double& sum = waiting.by_group[stage.group];
    sum += stage.time;
    if (sum <= longest) continue;
    longest = sum;
    waiting.most = stage.group;
  }
  waiting.share = all > 0 ? wait / all : 0;
  return waiting;
}

/// The busiest server that is saturated; null: none.
const GroupShares* full_server(const std::vector<GroupShares>& groups, const Waiting& waiting) {
  const GroupShares* best = nullptr;
  for (const GroupShares& group : groups) {
    if (group.kind != ResourceKind::kServer || group.greatest() < kSaturated) continue;
    const bool others = waiting.by_group.count(group.key) != 0 && waiting.most != group.key;
    if (group.greatest() < kFull && others) continue;
    if (best == nullptr || group.greatest() > best->greatest()) best = &group;
  }
  return best;
}

/// What is behind `key`, a server: retries that hold the dies, GC that keeps them at work, or itself.
std::string behind(const std::string& key, const std::vector<GroupShares>& groups, double collected) {
  if (key != "dies" && key != "channels") return key;
  if (greatest(groups, "retry") >= kRetrying * greatest(groups, key)) return "retry";
  return collected >= kCollected ? kGc : key;
}

/// Steps 1 and 2. Nothing: the load limits, or what requests wait for.
std::optional<std::string> saturated(const std::vector<GroupShares>& groups, double collected, const Waiting& waiting) {
  const GroupShares* const server = full_server(groups, waiting);
  if (server != nullptr) return behind(server->key, groups, collected);
  const GroupShares* const pool = top(groups, ResourceKind::kPool);
  if (pool == nullptr || pool->greatest() < kWaitedFor) return std::nullopt;
  // A larger pool would only be full later.
  const GroupShares* const drain = top(groups, ResourceKind::kServer);
  if (drain != nullptr && drain->greatest() >= kSaturated) return behind(drain->key, groups, collected);
  if (pool->key != "free_space" && pool->key != "write_buffer") return pool->key;
  // Writes wait for GC, and GC for its buffer.
  if (greatest(groups, "gc_buffer") >= kWaitedFor) return "gc_buffer";
  const bool space = pool->key == "free_space" || greatest(groups, "free_space") >= kWaitedFor;
  return space ? kGc : pool->key;
}

struct Verdict {
  std::optional<std::string> resource;
  double part = 1;
};

Verdict by_parts(const Evidence& evidence, const Waiting& waiting) {
  if (evidence.shares_by_part.empty()) return {saturated(evidence.shares, evidence.collected, waiting), 1};
  std::map<std::optional<std::string>, unsigned> votes;
  for (const auto& part : evidence.shares_by_part) ++votes[saturated(part, evidence.collected, waiting)];
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, most->second / static_cast<double>(evidence.shares_by_part.size())};
}

/// "the link", "dies are", "die 7 is", and the mean of an uneven group.
struct Spoken {
  std::string subject, verb, aside;
};

Spoken spoken(const GroupShares& group) {
  const double most = group.greatest();
  if (group.key == "link") return {"the link", "is", ""};  // its busier direction
  // The members of a pool are those that wait for it, not parts of it.
  if (group.kind == ResourceKind::kPool && group.shares.size() > 1) return {group.member, "is", ""};
  if (group.shares.size() > 1 && most - group.mean() > kUneven) {
    const auto busiest = std::max_element(group.shares.begin(), group.shares.end()) - group.shares.begin();
    return {fmt::format("{} {}", group.member, busiest), "is",
            fmt::format(" (mean of all {}s {})", group.member, percent(group.mean()))};
  }
  if (group.shares.size() == 1) return {fmt::format("the {}", group.member), "is", ""};
  return {group.member + "s", "are", ""};
}

std::string busy_text(const GroupShares& group) {
  const Spoken s = spoken(group);
  if (group.kind == ResourceKind::kPool) {
    return fmt::format("requests wait for {} {} of the time", s.subject, percent(group.greatest()));
  }
  return fmt::format("{} {} busy {} of the time{}", s.subject, s.verb, percent(group.greatest()), s.aside);
}

std::string next_text(const GroupShares* next) {
  if (next == nullptr) return "";
  return fmt::format("; next: {} {}", spoken(*next).subject, percent(next->greatest()));
}

std::string load_text(const std::string& resource, const Evidence& evidence) {
  if (resource == "arrival_rate") return "the arrival rate of the workload limits";
  if (resource == "same_sector") return "requests wait for others that write the same sector";
  if (resource == "tags") return fmt::format("the drive's tags limit (nvme.tags = {})", evidence.tags);
  return fmt::format("the queue depth ({}) limits", evidence.queue_depth);
}

}  // namespace

Bottleneck find_bottleneck(const Evidence& evidence) {
  Bottleneck result;
  if (!evidence.measured) {
    result.resource = "none";
    result.sentence = "Nothing was measured.";
    return result;
  }
  const Waiting waiting = waiting_of(evidence.stages);
  result.waiting = waiting.share;
  const Verdict verdict = by_parts(evidence, waiting);
  result.part = verdict.part;
  std::string how;
  if (verdict.resource) {
    result.resource = *verdict.resource;
  } else if (evidence.queue_depth != 0 && waiting.share >= kWaiting) {
    result.resource = behind(waiting.most, evidence.shares, evidence.collected);
    how = fmt::format("; {} of the latency is waiting, most of it for {}", percent(waiting.share), waiting.most);
  } else {
    const bool tags = evidence.tags != 0 && evidence.tags < evidence.queue_depth;
    result.resource = evidence.queue_depth == 0 ? "arrival_rate" : tags ? "tags" : "queue_depth";
  }
  const bool gc = result.resource == kGc;
  const GroupShares* const named = find(evidence.shares, gc ? "dies" : result.resource);
  const GroupShares* const next = top(evidence.shares, ResourceKind::kServer, gc ? "dies" : result.resource);
  result.next = next == nullptr ? "" : next->key;
  const std::string when =
      result.part < 1 ? fmt::format(" in {} of the measurement", percent(result.part)) : std::string();
  if (gc) {
    result.utilisation = named == nullptr ? 0 : named->greatest();
    result.sentence = fmt::format("Limit: GC{}: {} of what is programmed are its copies, and dies are busy {}{}.", when,
                                  percent(evidence.collected), percent(result.utilisation), next_text(next));
  } else if (named != nullptr) {
    result.utilisation = named->greatest();
    result.sentence = fmt::format("Limit: {}{}{}{}.", busy_text(*named), when, how, next_text(next));
  } else {
    result.utilisation = next == nullptr ? 0 : next->greatest();
    result.sentence = fmt::format("No resource is saturated: {}{}; {} of the latency is waiting{}.",
                                  load_text(result.resource, evidence), when, percent(result.waiting), next_text(next));
  }
  return result;
}

void register_bottleneck(Registry& registry, const std::function<Evidence()>& evidence) {
  const auto found = [evidence] { return find_bottleneck(evidence()); };
  registry.add(
      "bottleneck.resource", "name",
      "What limits. A group of `utilisation` whose busiest member is busy 95 % of the time or more, from 85 % "
      "on unless requests wait more for another (`gc`: when these are dies and half of what they program are "
      "copies; `retry`: when retries hold them); a buffer or free space that requests wait for half of the "
      "time; what requests wait for most, when a third of their latency is waiting (not of a trace; "
      "`same_sector`: for other writes of the same sector); else the load: `queue_depth`, `tags` when the drive "
      "has fewer, `arrival_rate` of a trace; `none`: nothing was measured. Found for eight parts of the "
      "measurement; the one of most parts is given.",
      [found] { return found().resource; });
  registry.add("bottleneck.utilisation", "share",
               "Busy share of the busiest member of that group, of a buffer the share of time in which requests waited "
               "for it, of `gc` that of the dies; when the load limits, of the group in `next`.",
               [found] { return found().utilisation; });
  registry.add("bottleneck.part", "share", "Share of the measurement in which it limited.",
               [found] { return found().part; });
  registry.add("bottleneck.waiting", "share",
               "Share of the mean latency, all operations together, that is waiting (the stages `queue_...`).",
               [found] { return found().waiting; });
  registry.add("bottleneck.next", "name", "The busiest group of `utilisation` apart from it: what would limit next.",
               [found] { return found().next; });
  registry.add("bottleneck.sentence", "text", "The same in words, as the summary has it.",
               [found] { return found().sentence; });
}

}  // namespace wordline::results
