// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/observe_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "models/config/latency_trigger.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

Observe defaults() {
  Config config{};
  for (const Key& key : schema()) {
    if (table_of(key.name) == "observe") key.set(config, default_value(key));
  }
  return config.observe;
}

/// The numbers of a list are those of something that there is, once each.
void check_list(const char* key, const char* thing, const std::vector<std::uint32_t>& numbers, std::uint32_t count,
                std::string_view counted, const std::string& count_text, std::vector<Conflict>& found) {
  std::set<std::uint32_t> seen;
  for (const std::uint32_t number : numbers) {
    if (number >= count) {
      found.push_back({{key, counted},
                       fmt::format("{} has {} {}, expected {} below {} = {}", key, thing, number,
                                   thing == std::string_view("die") ? "dies" : "channels", count_text, count)});
    } else if (!seen.insert(number).second) {
      found.push_back({{key}, fmt::format("{} has {} {} twice, expected it once", key, thing, number)});
    }
  }
}

std::vector<Conflict> scope_conflicts(const Config& config) {
  const Observe& o = config.observe;
  std::vector<Conflict> found;
  const bool records = o.waves || o.timeline;
  const std::pair<std::string_view, bool> scopes[] = {{"observe.channels", !o.channels.empty()},
                                                      {"observe.dies", !o.dies.empty()}};
  for (const auto& [key, given] : scopes) {
    if (!given || records) continue;
    found.push_back({{key, "observe.waves"},
                     fmt::format("{} has no effect with observe.waves = false, expected observe.waves = true", key)});
  }
  const std::uint32_t dies = config.channels.count * config.channels.packages * config.channels.dies_per_package;
  check_list("observe.channels", "channel", o.channels, config.channels.count, "channels.count", "channels.count",
             found);
  check_list("observe.dies", "die", o.dies, dies, "channels.packages", "channels.count x packages x dies_per_package",
             found);
  if (!o.channels.empty()) {
    for (const std::uint32_t die : o.dies) {
      const std::uint32_t channel = die % config.channels.count;
      if (std::find(o.channels.begin(), o.channels.end(), channel) != o.channels.end()) continue;
      found.push_back({{"observe.dies", "observe.channels"},
                       fmt::format("observe.dies has die {}, which is on channel {}, expected a die of "
                                   "observe.channels",
                                   die, channel)});
    }
  }
  return found;
}

}  // namespace

std::vector<Conflict> observe_conflicts(const Config& config) {
  const Observe& o = config.observe;
  std::vector<Conflict> found = scope_conflicts(config);
  const auto add = [&found](std::vector<std::string_view> keys, std::string text) {
    found.push_back({std::move(keys), std::move(text)});
  };
  if (o.waves_to.count() != 0 && o.waves_to <= o.waves_from) {
    add({"observe.waves_to", "observe.waves_from"},
        "observe.waves_to is not after observe.waves_from, expected a later time, or 0 for the end of the run");
  }
  const Observe standard = defaults();
  if (o.trigger.empty()) {
    const Observe standard = defaults();
    const std::pair<std::string_view, bool> changed[] = {
        {"observe.trigger_before", o.trigger_before != standard.trigger_before},
        {"observe.trigger_after", o.trigger_after != standard.trigger_after},
        {"observe.trigger_limit", o.trigger_limit != standard.trigger_limit}};
    for (const auto& [key, is_changed] : changed) {
      if (!is_changed) continue;
      add({key, "observe.trigger"},
          fmt::format("{} has no effect without observe.trigger, expected observe.trigger = \"latency > 2ms\" or the "
                      "like",
                      key));
    }
    return found;
  }
  if (o.timeline) {
    add({"observe.trigger", "observe.timeline"},
        "observe.trigger keeps windows that are found afterwards, and observe.timeline is written as the run goes on, "
        "expected observe.timeline = false");
  }
  if (!parse_latency_trigger(o.trigger)) {
    add({"observe.trigger"},
        fmt::format("observe.trigger is {}, expected \"latency > 2ms\" or, of one operation, \"read latency > 500us\" "
                    "(read, write, trim or flush)",
                    quoted(o.trigger)));
  }
  if (o.waves_from.count() != 0 || o.waves_to.count() != 0) {
    add({"observe.trigger", o.waves_from.count() != 0 ? "observe.waves_from" : "observe.waves_to"},
        "observe.trigger says by itself what is recorded, expected observe.waves_from and observe.waves_to = 0");
  }
  return found;
}

}  // namespace wordline::config
