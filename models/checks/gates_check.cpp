// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/gates_check.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "models/checks/lpage_engines.h"
#include "models/checks/needs_check.h"
#include "models/config/schema.h"
#include "models/engines/gate_times.h"

namespace wordline::config {

using engines::EngineId;
using engines::is_in_gates;

std::vector<Conflict> gates_conflicts(const Config& config) {
  const Engines& e = config.engines;
  std::vector<Conflict> found;
  const auto add = [&found](std::vector<std::string_view> keys, std::string text) {
    found.push_back({std::move(keys), std::move(text)});
  };
  if (e.model != EngineModel::kRtl) return found;
  if (!engines::any_in_gates(config)) {
    add({"engines.model", "engines.gates", "engines.parse", "engines.l2p", "engines.victim", "ftl.parity",
         "host.model"},
        "engines.model = rtl has no effect without an engine that the drive has in gates, expected engines.parse, "
        "engines.l2p or engines.victim = on, ftl.parity = dies, or host.model = nvme for completion_entry, and "
        "engines.gates = all or one of these");
  }
  const auto own_block = [&](std::string_view key, const std::string& file, EngineId id) {
    if (file.empty() || is_in_gates(e, id)) return;
    const std::string_view needed = e.on(id) ? "engines.gates" : key_of_engine(id);
    const std::string_view name = engines::row_of(id).name;
    add({key, needed},
        e.on(id)
            ? fmt::format("{} = \"{}\" has no effect with engines.gates = another, expected all or {}", key, file, name)
            : fmt::format("{} = \"{}\" has no effect with {} = off, expected {} = on", key, file, needed, needed));
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
  for (const engines::GateTimes& times : engines::kGateTimes) {
    if (!is_in_gates(e, times.id)) continue;
    for (const char* time : {"latency", "interval", "depth"}) {
      const std::string name = fmt::format("engines.{}_{}", engines::row_of(times.id).name, time);
      const Key& key = schema().at(static_cast<std::size_t>(find_key(name)));
      if (is_default(key.name, config)) continue;
      add({key.name, "engines.model"},
          fmt::format(
              "{} = {} has no effect with engines.model = rtl, expected engines.model = model: gates have their "
              "own times",
              key.name, typed_value(key, config)));
    }
  }
  for (const char* const key : {"nvme.completion_time", "nvme.coalescing_ticks"}) {
    if (!engines::completion_in_gates(config) || is_default(key, config)) continue;
    add({key, "engines.model"},
        fmt::format("{} has no effect with engines.model = rtl, expected engines.model = model, or engines.gates = "
                    "another: gates have their own times",
                    key));
  }
  if (!is_in_gates(e, EngineId::kParse)) return found;
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
