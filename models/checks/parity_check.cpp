// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/parity_check.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "models/checks/row_policies.h"
#include "models/engines/table/engine_table.h"

namespace wordline::config {
namespace {

constexpr std::uint32_t kLeastDies = 4;  // one of them may fail, and rows of data and parity are left

std::vector<Conflict> of_dead_dies(const Config& config) {
  std::vector<Conflict> found;
  const NandFaults& faults = config.nand.faults;
  if (faults.dead_dies.size() != faults.dead_at.size()) {
    found.push_back({{"nand.faults.dead_dies", "nand.faults.dead_at"},
                     fmt::format("nand.faults.dead_dies names {} dies and nand.faults.dead_at {} instants, expected as "
                                 "many",
                                 faults.dead_dies.size(), faults.dead_at.size())});
  }
  std::set<std::uint32_t> seen;
  for (const std::uint32_t die : faults.dead_dies) {
    if (die < config.dies() && seen.insert(die).second) continue;
    found.push_back({{"nand.faults.dead_dies", "channels.count", "channels.packages", "channels.dies_per_package"},
                     fmt::format("nand.faults.dead_dies names die {} of {}, expected dies that there are, each once",
                                 die, config.dies())});
  }
  return found;
}

}  // namespace

std::vector<Conflict> parity_conflicts(const Config& config, std::string_view policy) {
  std::vector<Conflict> found = of_dead_dies(config);
  if (config.ftl.parity == Parity::kNone) return found;
  const auto refuse = [&](bool wrong, std::vector<std::string_view> keys, const std::string& has,
                          const std::string& expected) {
    if (!wrong) return;
    keys.insert(keys.begin(), "ftl.parity");
    found.push_back({std::move(keys), fmt::format("ftl.parity = dies with {}, expected {}", has, expected)});
  };
  const Ftl& ftl = config.ftl;
  const Precondition& p = config.precondition;
  refuse(config.dies() < kLeastDies, {"channels.count", "channels.packages", "channels.dies_per_package"},
         fmt::format("{} dies", config.dies()),
         fmt::format("at least {}: a row has data, parity, and may lose a die", kLeastDies));
  refuse(!is_row_policy(policy), {"ftl.policy"}, fmt::format("ftl.policy = {}", policy),
         fmt::format("one that fills superblocks row by row and programs as the device does: ftl.policy = {}",
                     row_policies()));
  refuse(ftl.word_line_order != WordLineOrder::kHorizontal, {"ftl.word_line_order"},
         "word lines in another order than their numbers",
         "ftl.word_line_order = horizontal: rows are filled one by one");
  const bool mounts = ftl.recovery == Recovery::kScan;
  const Layout layout = layout_of(config);
  refuse(mounts && layout.page_types != layout.pages_per_program, {"ftl.recovery", "nand.program"},
         "ftl.recovery = scan and word lines that take several programs",
         "nand.program = wordline: a row has its parity when each of its units has been programmed once");
  refuse(mounts && ftl.checkpoint_after != 0, {"ftl.recovery", "ftl.checkpoint_after"},
         fmt::format("ftl.checkpoint_after = {}", ftl.checkpoint_after),
         "0: what rows lack is kept by the checkpoint of a shutdown alone");
  refuse(mounts && p.fill != PreconditionFill::kNone, {"ftl.recovery", "precondition.fill"},
         "ftl.recovery = scan and a drive that begins filled",
         "precondition.fill = none, or precondition.flash: the last row of a fill is not programmed as rows are");
  refuse(ftl.map == MapUnit::kPage, {"ftl.map"}, "ftl.map = page",
         "ftl.map = sector: rows are filled by logical pages");
  refuse(ftl.read_modify == ReadModify::kDie, {"ftl.read_modify"}, "ftl.read_modify = die",
         "ftl.read_modify = controller: what stays in the die never reaches the sum of its row");
  refuse(ftl.fdp.handles != 0, {"ftl.fdp.handles"}, fmt::format("ftl.fdp.handles = {}", ftl.fdp.handles),
         "0: a reclaim unit would end where its superblock is closed for a rebuild");
  refuse(config.nand.region.blocks_per_plane != 0, {"nand.region.blocks_per_plane"},
         fmt::format("nand.region.blocks_per_plane = {}", config.nand.region.blocks_per_plane),
         "0: rows have pages of one size");
  refuse(config.nvme.metadata != BlockMetadata::kNone, {"nvme.metadata"}, "metadata of blocks",
         "nvme.metadata = none: a sum has room for content and spare records alone");
  refuse(ftl.spare_blocks != 0, {"ftl.spare_blocks"}, fmt::format("ftl.spare_blocks = {}", ftl.spare_blocks),
         "0: what a die lacks that has failed is no matter of spare blocks");
  refuse(config.ecc.model == EccModel::kRtl, {"ecc.model"}, "ecc.model = rtl",
         "ecc.model = calibrated: bits are made of the content of logical pages, and parity has none");
  refuse(p.begins_with_state(), {"precondition.fill", "precondition.overwrites", "precondition.file"},
         "a state that the drive begins with",
         "precondition.fill = none or sequential, without precondition.overwrites and precondition.file: states have "
         "no parity");
  refuse(!p.ages.empty(), {"precondition.ages"}, "precondition.ages",
         "[]: the parity of the fill belongs to no region of the logical space");
  for (const engines::EngineRow& row : engines::kEngines) {
    const std::string key = fmt::format("engines.{}", row.name);
    refuse(row.home == engines::Home::kEngineBlock && config.engines.on(row.id), {}, key + " = on",
           key + " = off: it knows nothing of rows, and of reads that are rebuilt");
  }
  return found;
}

}  // namespace wordline::config
