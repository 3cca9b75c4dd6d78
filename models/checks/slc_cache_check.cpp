// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/slc_cache_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "models/checks/row_policies.h"

namespace wordline::config {

std::vector<Conflict> slc_cache_conflicts(const Config& config, std::string_view policy) {
  std::vector<Conflict> found;
  const Ftl& ftl = config.ftl;
  if (!ftl.has_slc_cache()) return found;
  const std::string of = ftl.slc.cache == SlcCache::kStatic ? "static" : "dynamic";
  const auto refuse = [&](bool wrong, std::vector<std::string_view> keys, const std::string& has,
                          const std::string& expected) {
    if (!wrong) return;
    keys.insert(keys.begin(), "ftl.slc_cache");
    found.push_back({std::move(keys), fmt::format("ftl.slc_cache = {} with {}, expected {}", of, has, expected)});
  };
  const NandGeometry& g = config.nand.geometry;
  refuse(g.cell == CellType::kSlc, {"nand.cell"}, "nand.cell = slc", "a device with several bits a cell");
  refuse(g.program != ProgramGranularity::kWordLine, {"nand.program"}, "nand.program = page",
         "nand.program = wordline: in SLC mode a word line takes one program, and so it does otherwise");
  refuse(config.nand.region.blocks_per_plane != 0, {"nand.region.blocks_per_plane"},
         fmt::format("nand.region.blocks_per_plane = {}", config.nand.region.blocks_per_plane),
         "0: blocks in SLC mode are those of one page size");
  refuse(g.plane_blocks == PlaneBlocks::kAny, {"nand.plane_blocks"}, "nand.plane_blocks = any",
         "nand.plane_blocks = same: one sense reads blocks of one mode");
  refuse(!is_row_policy(policy), {"ftl.policy"}, fmt::format("ftl.policy = {}", policy),
         fmt::format("one that programs as the device does: ftl.policy = {}", row_policies()));
  refuse(ftl.recovery != Recovery::kNone, {"ftl.recovery"}, "ftl.recovery = scan",
         "ftl.recovery = none: a mount does not know in which mode a block was programmed");
  refuse(ftl.parity != Parity::kNone, {"ftl.parity"}, "ftl.parity = dies",
         "ftl.parity = none: sums of rows have program units of one size");
  refuse(ftl.fdp.handles != 0, {"ftl.fdp.handles"}, fmt::format("ftl.fdp.handles = {}", ftl.fdp.handles),
         "0: data of all handles would share the cache, and a reclaim unit would be shorter there");
  refuse(config.channels.model == ChannelModel::kRtl, {"channels.model"}, "channels.model = rtl",
         "channels.model = tlm: the sequencer in gates sends no command cycle before another");
  return found;
}

}  // namespace wordline::config
