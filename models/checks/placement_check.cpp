// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/placement_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "models/engines/table/engine_table.h"
#include "models/firmware/firmware.h"

namespace wordline::config {

std::vector<Conflict> placement_conflicts(const Config& config, std::string_view policy) {
  std::vector<Conflict> found;
  const Placement& fdp = config.ftl.fdp;
  const bool persistent = fdp.isolation == Isolation::kPersistently;
  if (fdp.handles == 0) {
    if (persistent) {
      found.push_back({{"ftl.fdp.isolation", "ftl.fdp.handles"},
                       "ftl.fdp.isolation = persistently has no effect with ftl.fdp.handles = 0, expected at least 1"});
    }
    return found;
  }
  const auto refuse = [&](bool wrong, std::string_view key, const std::string& has, const std::string& expected) {
    if (!wrong) return;
    found.push_back({{"ftl.fdp.handles", key},
                     fmt::format("ftl.fdp.handles = {} with {}, expected {}", fdp.handles, has, expected)});
  };
  refuse(!wl_policy_takes_handles(config.ftl.policy), "ftl.policy", fmt::format("ftl.policy = {}", policy),
         "ftl.policy = page_greedy or page_cost_benefit: the handles of the host are the classes of its data, and the "
         "others have classes, or an order of victims, of their own");
  refuse(config.host.model != HostModel::kNvme, "host.model", "host.model = direct",
         "host.model = nvme: placement handles are in its commands");
  refuse(config.ftl.recovery == Recovery::kScan, "ftl.recovery", "ftl.recovery = scan",
         "ftl.recovery = none: spare records do not say the handle");
  refuse(config.nvme.namespaces.size() > 1, "nvme.namespaces",
         fmt::format("{} of nvme.namespaces", config.nvme.namespaces.size()),
         "one: the placement handles are those of one namespace");
  refuse(config.ftl.map == MapUnit::kPage, "ftl.map", "ftl.map = page",
         "ftl.map = sector: data of two handles may share a page");
  refuse(persistent && config.engines.on(engines::EngineId::kCopy), "engines.copy",
         "ftl.fdp.isolation = persistently and engines.copy = on",
         "engines.copy = off: the engine writes moved data to one superblock");
  return found;
}

}  // namespace wordline::config
