// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/report.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

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

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

void consider(std::vector<Resource>& all, const char* key, const char* member, const std::vector<double>& group) {
  if (group.empty()) return;
  const auto busiest = std::max_element(group.begin(), group.end());
  double mean = 0;
  for (const double share : group) mean += share;
  mean /= static_cast<double>(group.size());
  Resource resource{key, key, true, "", *busiest};
  if (*busiest - mean > kUneven) {
    resource.text = std::string(member) + " " + std::to_string(busiest - group.begin());
    resource.plural = false;
    resource.aside = " (mean of all " + std::string(key) + " " + percent(mean) + ")";
  } else if (group.size() == 1) {
    resource.text = std::string("the ") + member;
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
  const std::string are = top.plural ? " are " : " is ";
  Bottleneck result;
  result.utilisation = top.busy;
  if (top.busy >= kSaturated) {
    result.resource = top.key;
    result.next = second.key;
    result.sentence = "Limit: " + top.text + are + "busy " + percent(top.busy) + " of the time" + top.aside +
                      "; next: " + second.text + " " + percent(second.busy) + ".";
    return result;
  }
  result.resource = queue_depth == 0 ? "arrival_rate" : "queue_depth";
  result.next = top.key;
  result.sentence =
      std::string("No resource is saturated: the ") +
      (queue_depth == 0 ? "arrival rate of the workload" : "queue depth (" + std::to_string(queue_depth) + ")") +
      " limits; " + top.text + are + "the busiest at " + percent(top.busy) + top.aside + ".";
  return result;
}

void add_requests(const Collector& collector, const std::vector<StageName>& names, Report& report) {
  if (names.size() != collector.stages()) throw std::invalid_argument("stage names do not match the recorded stages");
  report.stages.clear();
  for (const auto& name : names) report.stages.push_back({name.name, name.is_wait, {}, {}});
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const Histogram& h = collector.latency(op);
    OpReport& out = report.ios[i];
    out.count = collector.count(op);
    out.bytes = collector.bytes(op);
    out.iops = collector.iops(op);
    out.bytes_per_s = collector.bytes_per_second(op);
    out.latency = {h.min(),          h.mean(),           h.stddev(),
                   h.max(),          h.percentile(50),   h.percentile(95),
                   h.percentile(99), h.percentile(99.9), h.percentile(99.99),
                   saturated(h.sum())};
    const auto means = collector.stage_means(op);
    const auto totals = collector.stage_totals(op);
    for (std::size_t stage = 0; stage < means.size(); ++stage) {
      report.stages[stage].mean[i] = means[stage];
      report.stages[stage].total_ps[i] = totals[stage];
    }
  }
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace wordline::results
