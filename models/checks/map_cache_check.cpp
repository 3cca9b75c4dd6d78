// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/map_cache_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/checks/lpage_engines.h"
#include "models/checks/row_policies.h"

namespace wordline::config {

std::vector<Conflict> map_cache_conflicts(const Config& config, std::string_view policy) {
  std::vector<Conflict> found;
  const Ftl& ftl = config.ftl;
  if (ftl.map_cache.count() == 0 || ftl.map == MapUnit::kPage) return found;  // the latter: it has no effect
  const auto refuse = [&](bool wrong, std::vector<std::string_view> keys, const std::string& has,
                          const std::string& expected) {
    if (!wrong) return;
    keys.insert(keys.begin(), "ftl.map_cache");
    found.push_back({std::move(keys), fmt::format("ftl.map_cache with {}, expected {}", has, expected)});
  };
  for (const engines::EngineId id : kLpageEngines) {
    refuse(config.engines.on(id), {key_of_engine(id)}, fmt::format("{} = on", key_of_engine(id)),
           fmt::format("{} = off: the engine has the whole map in DRAM", key_of_engine(id)));
  }
  refuse(!is_row_policy(policy), {"ftl.policy"}, fmt::format("ftl.policy = {}", policy),
         fmt::format("one whose data go to the next word line: ftl.policy = {}", row_policies()));
  refuse(ftl.recovery != Recovery::kNone && ftl.checkpoint_after != 0, {"ftl.recovery", "ftl.checkpoint_after"},
         fmt::format("ftl.checkpoint_after = {}", ftl.checkpoint_after),
         "0: a mount after a power cut reads the records of all superblocks");
  refuse(ftl.parity != Parity::kNone, {"ftl.parity"}, "ftl.parity = dies",
         "ftl.parity = none: reads of map pages are not rebuilt");
  refuse(ftl.has_slc_cache(), {"ftl.slc_cache"}, "ftl.slc_cache",
         "ftl.slc_cache = off: program units in SLC mode are not all of one size");
  refuse(ftl.fdp.handles != 0, {"ftl.fdp.handles"}, fmt::format("ftl.fdp.handles = {}", ftl.fdp.handles),
         "0: map pages are of no reclaim unit");
  const Layout l = layout_of(config);
  refuse(ftl.recovery != Recovery::kNone && l.page_types != l.pages_per_program, {"ftl.recovery", "nand.program"},
         "ftl.recovery = scan and word lines that take several programs",
         "nand.program = wordline: frames of the cache would wait for programs that complete word lines");
  // Two program units of changed map pages are written while others are used.
  const std::uint64_t least = std::max<std::uint64_t>(8, std::uint64_t{2} * l.lpages_per_program) * l.lpage.bytes();
  refuse(static_cast<std::uint64_t>(ftl.map_cache.count()) < least, {},
         fmt::format("{} KiB", ftl.map_cache.count() / 1024),
         fmt::format("at least {} KiB: eight map pages, and two program units of them", least / 1024));
  return found;
}

}  // namespace wordline::config
