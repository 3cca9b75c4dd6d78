// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/gates_check.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "models/checks/lpage_engines.h"

namespace wordline::config {

using engines::EngineId;

std::vector<Conflict> gates_conflicts(const Config& config) {
  const Engines& e = config.engines;
  std::vector<Conflict> found;
  const auto add = [&found](std::vector<std::string_view> keys, std::string text) {
    found.push_back({std::move(keys), std::move(text)});
  };
  if (e.model != EngineModel::kRtl) return found;
  if (!e.on(EngineId::kParse) && !e.on(EngineId::kL2p) && !e.on(EngineId::kVictim)) {
    add({"engines.model", "engines.parse", "engines.l2p", "engines.victim"},
        "engines.model = rtl has no effect without an engine that the drive has in gates, expected engines.parse, "
        "engines.l2p or engines.victim = on");
  }
  const auto own_block = [&](std::string_view key, const std::string& file, EngineId id) {
    if (file.empty() || e.on(id)) return;
    const std::string_view needed = key_of_engine(id);
    add({key, needed},
        fmt::format("{} = \"{}\" has no effect with {} = off, expected {} = on", key, file, needed, needed));
  };
  own_block("engines.rtl.parse", e.rtl.parse, EngineId::kParse);
  own_block("engines.rtl.l2p", e.rtl.l2p, EngineId::kL2p);
  own_block("engines.rtl.victim", e.rtl.victim, EngineId::kVictim);
  if (!e.rtl.parse.empty() && config.host.model == HostModel::kDirect) {
    add({"engines.rtl.parse", "host.model"},
        fmt::format("engines.rtl.parse = \"{}\" has no effect with host.model = direct, whose commands need no parser, "
                    "expected host.model = nvme",
                    e.rtl.parse));
  }
  if (!e.on(EngineId::kParse)) return found;
  if (config.nvme.metadata != BlockMetadata::kNone) {
    add({"engines.model", "nvme.metadata"},
        "engines.model = rtl with nvme.metadata, expected nvme.metadata = none: the parser in gates knows none");
  }
  if (config.ftl.fdp.handles != 0) {
    add({"engines.model", "ftl.fdp.handles"},
        "engines.model = rtl with ftl.fdp.handles, expected ftl.fdp.handles = 0: the parser in gates knows no "
        "placement handles");
  }
  return found;
}

}  // namespace wordline::config
