// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/bottleneck_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace wordline::results {
namespace {

/// A group whose busiest member is this far above the mean is uneven, and the member is named.
constexpr double kUneven = 0.10;

std::string percent(double share) { return fmt::format("{} %", std::lround(100 * share)); }

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

/// What serves a request, as "N % of the latency is ...".
std::string service_text(const std::string& key) {
  static const std::map<std::string, std::string> kTexts{{"t_r", "the array's read time, tR"},
                                                         {"t_prog", "waiting for programs, tPROG"},
                                                         {"retry", "read retry"},
                                                         {"cores", "work of the cores"},
                                                         {"channels", "transfers on the flash bus"},
                                                         {"decoders", "decoding"},
                                                         {"dma", "setting up DMA, link.dma_setup"},
                                                         {"link", "transfers over DRAM and link"},
                                                         {"link_latency", "queue entries on their way, link.latency"},
                                                         {"write_latency", "nvme.write_latency"},
                                                         {"engines", "work of the engines"}};
  const auto found = kTexts.find(key);
  return found == kTexts.end() ? key : found->second;
}

std::string load_text(const std::string& resource, const BottleneckWords& words) {
  if (resource == "arrival_rate") return "the arrival rate of the workload limits";
  if (resource == "map_cache")
    return "requests wait for map pages from flash, which DRAM has no room for (ftl.map_cache)";
  if (resource == "same_sector") return "requests wait for others that write the same logical page";
  if (resource == "tags") return fmt::format("the drive's tags limit (nvme.tags = {})", words.tags);
  return fmt::format("the queue depth ({}) limits", words.queue_depth);
}

std::string busiest_text(const GroupShares* busiest) {
  return busiest == nullptr ? "" : "; " + busy_text(*busiest) + ", the busiest resource";
}

}  // namespace

const GroupShares* find_group(const std::vector<GroupShares>& groups, const std::string& key) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const GroupShares& g) { return g.key == key; });
  return found == groups.end() ? nullptr : &*found;
}

std::string busy_text(const GroupShares& group) {
  const Spoken s = spoken(group);
  if (group.kind == ResourceKind::kPool) {
    return fmt::format("requests wait for {} {} of the time", s.subject, percent(group.greatest()));
  }
  return fmt::format("{} {} busy {} of the time{}", s.subject, s.verb, percent(group.greatest()), s.aside);
}

std::string bottleneck_sentence(const Bottleneck& found, const BottleneckWords& words) {
  const std::string& resource = found.resource;
  const std::string when =
      found.part < 1 ? fmt::format(" in {} of the measurement", percent(found.part)) : std::string();
  const std::string waits = fmt::format("{} of the latency is waiting", percent(found.waiting));
  if (resource == "no_data") {
    return fmt::format(
        "No verdict: {} of what was read had never been written, so reads met no data and nothing of the flash was "
        "measured; fill the drive (precondition.fill = \"sequential\").",
        percent(words.without_data));
  }
  if (resource == "host") {
    return fmt::format("Limit: the host: on average {:.1f} of {} requests are in flight{}.", words.in_flight,
                       words.queue_depth, busiest_text(words.busiest));
  }
  if (words.served > 0) {
    return fmt::format("Limit: {} of the latency is {}; with {:.3g} in flight {} is waiting{}.", percent(words.served),
                       service_text(resource), words.in_flight, percent(found.waiting), busiest_text(words.busiest));
  }
  if (resource == kGc) {
    return fmt::format("Limit: GC{}: {} of what is programmed are its copies, and dies are busy {}.", when,
                       percent(words.collected), percent(found.utilisation));
  }
  if (words.named != nullptr) {
    const std::string how =
        words.most_waited.empty() ? "" : fmt::format("; {}, most of it for {}", waits, words.most_waited);
    return fmt::format("Limit: {}{}{}.", busy_text(*words.named), when, how);
  }
  // Not more in flight, but less of these would make such a request quicker.
  const std::string behind = words.most_waited.empty() || words.most_waited == resource
                                 ? ""
                                 : fmt::format(", most of it for {}", words.most_waited);
  const std::string served =
      words.most_served.first.empty()
          ? ""
          : fmt::format("; {} is {}", percent(words.most_served.second), service_text(words.most_served.first));
  return fmt::format("No resource is saturated: {}{}; {}{}{}{}.", load_text(resource, words), when, waits, behind,
                     served, busiest_text(words.busiest));
}

}  // namespace wordline::results
