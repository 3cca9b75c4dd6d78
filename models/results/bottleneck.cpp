// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/bottleneck.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace wordline::results {
namespace {

/// From here on a resource counts as saturated: queueing for it dominates.
constexpr double kSaturated = 0.85;
/// A group whose busiest member is this far above the mean is uneven, and the member is named.
constexpr double kUneven = 0.10;

struct Resource {
  std::string key;
  std::string text;  // "channels", or "die 7" when the group is uneven
  bool plural = false;
  std::string aside;  // the mean of an uneven group
  double busy = 0;
};

std::string percent(double share) { return fmt::format("{} %", std::lround(100 * share)); }

void consider(std::vector<Resource>& all, const char* key, const char* member, const std::vector<double>& group) {
  if (group.empty()) return;
  const auto busiest = std::max_element(group.begin(), group.end());
  double mean = 0;
  for (const double share : group) mean += share;
  mean /= static_cast<double>(group.size());
  Resource resource{key, key, true, "", *busiest};
  if (*busiest - mean > kUneven) {
    resource.text = fmt::format("{} {}", member, busiest - group.begin());
    resource.plural = false;
    resource.aside = fmt::format(" (mean of all {} {})", key, percent(mean));
  } else if (group.size() == 1) {
    resource.text = fmt::format("the {}", member);
    resource.plural = false;
  }
  all.push_back(std::move(resource));
}

}  // namespace

Bottleneck find_bottleneck(const Utilisation& utilisation, std::uint64_t queue_depth) {
  std::vector<Resource> all;
  all.push_back({"link", "the link", false, "", utilisation.link});
  consider(all, "cores", "core", utilisation.cores);
  all.push_back({"dram", "the DRAM", false, "", utilisation.dram});
  consider(all, "channels", "channel", utilisation.channels);
  consider(all, "dies", "die", utilisation.dies);
  std::stable_sort(all.begin(), all.end(), [](const Resource& a, const Resource& b) { return a.busy > b.busy; });

  const Resource& top = all[0];
  const Resource& second = all[1];
  const char* const are = top.plural ? "are" : "is";
  Bottleneck result;
  result.utilisation = top.busy;
  if (top.busy >= kSaturated) {
    result.resource = top.key;
    result.next = second.key;
    result.sentence = fmt::format("Limit: {} {} busy {} of the time{}; next: {} {}.", top.text, are, percent(top.busy),
                                  top.aside, second.text, percent(second.busy));
    return result;
  }
  result.resource = queue_depth == 0 ? "arrival_rate" : "queue_depth";
  result.next = top.key;
  result.sentence =
      fmt::format("No resource is saturated: the {} limits; {} {} the busiest at {}{}.",
                  queue_depth == 0 ? "arrival rate of the workload" : fmt::format("queue depth ({})", queue_depth),
                  top.text, are, percent(top.busy), top.aside);
  return result;
}

Utilisation utilisation_of(const Registry& registry) {
  using Shares = std::vector<double>;
  return {registry.get<double>("utilisation.link"), registry.get<Shares>("utilisation.cores"),
          registry.get<double>("utilisation.dram"), registry.get<Shares>("utilisation.channels"),
          registry.get<Shares>("utilisation.dies")};
}

void register_bottleneck(Registry& registry, std::uint64_t queue_depth) {
  const auto found = [&registry, queue_depth] { return find_bottleneck(utilisation_of(registry), queue_depth); };
  registry.add("bottleneck.resource", "name",
               "What limits: the resource whose busiest member is busiest (link, cores, dram, channels, dies) when "
               "that share is 0.85 or more; otherwise the load, as queue_depth (closed loop) or arrival_rate (trace).",
               [found] { return found().resource; });
  registry.add("bottleneck.utilisation", "share",
               "Busy share of the busiest member of that resource; when the load limits, of the resource in `next`.",
               [found] { return found().utilisation; });
  registry.add("bottleneck.next", "name", "The second busiest resource; when the load limits, the busiest.",
               [found] { return found().next; });
}

}  // namespace wordline::results
