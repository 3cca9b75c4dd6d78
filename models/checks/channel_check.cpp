// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/channel_check.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "models/config/channel_clocks.h"

namespace wordline::config {

std::vector<Conflict> channel_conflicts(const Config& config) {
  const Channels& c = config.channels;
  std::vector<Conflict> found;
  const auto add = [&found](std::vector<std::string_view> keys, std::string text) {
    found.push_back({std::move(keys), std::move(text)});
  };
  if (c.rtl.flash_sequencer_exact && c.rtl.flash_sequencer.empty()) {
    add({"channels.rtl.flash_sequencer_exact", "channels.rtl.flash_sequencer"},
        "channels.rtl.flash_sequencer_exact = true has no effect without channels.rtl.flash_sequencer, expected "
        "channels.rtl.flash_sequencer = the file of a block");
  }
  if (c.suspend_depth == 2 && c.suspend == SuspendPolicy::kErase) {
    add({"channels.suspend_depth", "channels.suspend"},
        "channels.suspend_depth = 2 has no effect with channels.suspend = erase, expected both: no program is "
        "suspended");
  }
  if (c.model == ChannelModel::kTlm) return found;
  if (c.rtl_channel >= c.count) {
    add({"channels.rtl_channel", "channels.count"},
        fmt::format("channels.rtl_channel is {}, expected a channel below channels.count = {}", c.rtl_channel,
                    c.count));
  }
  const std::uint64_t dies = std::uint64_t{c.packages} * c.dies_per_package;
  if (dies > kMostGateDies) {
    add({"channels.packages", "channels.dies_per_package", "channels.model"},
        fmt::format("channels.model = rtl with {} dies on a channel: the flash interface in gates has {} chip enables "
                    "and R/B_n of {} dies, expected channels.packages times channels.dies_per_package at most {}",
                    dies, kMostGateDies, kMostGateDies, kMostGateDies));
  }
  const std::pair<std::string_view, bool> not_yet[] = {
      {"channels.cache_read", c.cache_read},
      {"channels.cache_program", c.cache_program},
  };
  for (const auto& [key, on] : not_yet) {
    if (!on) continue;
    add({key, "channels.model"},
        fmt::format("{} = true with channels.model = rtl: a channel in gates has no cache operations, expected {} = "
                    "false or channels.model = tlm",
                    key, key));
  }
  if (c.suspend != SuspendPolicy::kNever) {
    add({"channels.suspend", "channels.model"},
        "channels.suspend with channels.model = rtl: a channel in gates sends nothing but status to a busy die, "
        "expected channels.suspend = never or channels.model = tlm");
  }
  const std::string fault = clocks_fault(c);
  if (!fault.empty()) {
    add({"channels.model", "channels.mode"}, fmt::format("channels.model = rtl: {}, or channels.model = tlm", fault));
  }
  return found;
}

}  // namespace wordline::config
