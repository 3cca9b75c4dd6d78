// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/observe_check.h"

#include <fmt/format.h>

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

std::vector<Conflict> channel_conflicts(const Config& config) {
  const Observe& o = config.observe;
  std::vector<Conflict> found;
  if (!o.channels.empty() && !o.waves) {
    found.push_back({{"observe.channels", "observe.waves"},
                     "observe.channels has no effect with observe.waves = false, expected observe.waves = true"});
  }
  std::set<std::uint32_t> seen;
  for (const std::uint32_t channel : o.channels) {
    if (channel >= config.channels.count) {
      found.push_back({{"observe.channels", "channels.count"},
                       fmt::format("observe.channels has channel {}, expected channels below channels.count = {}",
                                   channel, config.channels.count)});
    } else if (!seen.insert(channel).second) {
      found.push_back(
          {{"observe.channels"}, fmt::format("observe.channels has channel {} twice, expected it once", channel)});
    }
  }
  return found;
}

}  // namespace

std::vector<Conflict> observe_conflicts(const Config& config) {
  const Observe& o = config.observe;
  std::vector<Conflict> found = channel_conflicts(config);
  const auto add = [&found](std::vector<std::string_view> keys, std::string text) {
    found.push_back({std::move(keys), std::move(text)});
  };
  if (o.waves_to.count() != 0 && o.waves_to <= o.waves_from) {
    add({"observe.waves_to", "observe.waves_from"},
        "observe.waves_to is not after observe.waves_from, expected a later time, or 0 for the end of the run");
  }
  if (o.trigger.empty()) {
    const Observe standard = defaults();
    const std::pair<std::string_view, bool> changed[] = {
        {"observe.trigger_before", o.trigger_before != standard.trigger_before},
        {"observe.trigger_after", o.trigger_after != standard.trigger_after},
        {"observe.trigger_limit", o.trigger_limit != standard.trigger_limit},
        {"observe.trigger_checkpoint", o.trigger_checkpoint != standard.trigger_checkpoint}};
    for (const auto& [key, is_changed] : changed) {
      if (!is_changed) continue;
      add({key, "observe.trigger"},
          fmt::format("{} has no effect without observe.trigger, expected observe.trigger = \"latency > 2ms\" or the "
                      "like",
                      key));
    }
    return found;
  }
  if (!parse_latency_trigger(o.trigger)) {
    add({"observe.trigger"},
        fmt::format("observe.trigger is {}, expected \"latency > 2ms\" or, of one operation, \"read latency > 500us\" "
                    "(read, write, trim or flush)",
                    quoted(o.trigger)));
  }
  if (!o.waves) {
    add({"observe.trigger", "observe.waves"},
        "observe.trigger has no effect with observe.waves = false, expected observe.waves = true");
  }
  if (o.waves_from.count() != 0 || o.waves_to.count() != 0) {
    add({"observe.trigger", o.waves_from.count() != 0 ? "observe.waves_from" : "observe.waves_to"},
        "observe.trigger says by itself what is recorded, expected observe.waves_from and observe.waves_to = 0");
  }
  return found;
}

}  // namespace wordline::config
