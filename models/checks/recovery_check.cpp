// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/recovery_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "models/checks/boot_info.h"
#include "models/engines/table/engine_table.h"
#include "models/firmware/contract/checkpoint.h"
#include "models/firmware/firmware.h"

namespace wordline::config {

std::vector<Conflict> recovery_conflicts(const Config& config, std::string_view policy) {
  std::vector<Conflict> found;
  const Precondition& p = config.precondition;
  if (config.ftl.recovery != Recovery::kScan && !p.flash.empty()) {
    found.push_back({{"precondition.flash", "ftl.recovery"},
                     "precondition.flash with ftl.recovery = none, expected scan: the firmware has to mount it"});
  }
  if (config.ftl.recovery != Recovery::kScan && config.ftl.checkpoint_after != 0) {
    found.push_back({{"ftl.checkpoint_after", "ftl.recovery"},
                     fmt::format("ftl.checkpoint_after = {} has no effect with ftl.recovery = none, expected scan",
                                 config.ftl.checkpoint_after)});
  }
  if (config.ftl.recovery != Recovery::kScan) return found;
  if (!p.flash.empty() && (p.fill != PreconditionFill::kNone || p.begins_with_state())) {
    found.push_back({{"precondition.flash", "precondition.fill", "precondition.overwrites", "precondition.file"},
                     "precondition.flash with another state that the drive begins with, expected precondition.fill = "
                     "none, without precondition.overwrites and precondition.file"});
  }
  const auto refuse = [&](bool wrong, std::vector<std::string_view> keys, const std::string& has,
                          const std::string& expected) {
    if (!wrong) return;
    keys.insert(keys.begin(), "ftl.recovery");
    found.push_back({std::move(keys), fmt::format("ftl.recovery = scan with {}, expected {}", has, expected)});
  };
  const Ftl& ftl = config.ftl;
  refuse(ftl.power_safe && config.power.hold_up == 0, {"ftl.power_safe", "power.hold_up"},
         "ftl.power_safe = true and power.hold_up = 0J",
         "ftl.power_safe = false, or energy that programs the buffer: power.hold_up above 0J");
  const wl_declared declared = wl_policy_declares(ftl.policy);
  const std::uint32_t wide = config.nand.geometry.wls_per_layer;
  refuse(
      declared.by_word_line && wide > 32, {"ftl.policy", "nand.wls_per_layer"},
      fmt::format("ftl.policy = {} and nand.wls_per_layer = {}", policy, wide),
      "at most 32 word lines in an h-layer: a mount knows by bits of a word which v-layers it has read to their ends");
  const Layout layout = layout_of(config);
  refuse(ftl.map == MapUnit::kPage && ftl.checkpoint_after != 0, {"ftl.checkpoint_after", "ftl.map"},
         fmt::format("ftl.checkpoint_after = {} and ftl.map = page", ftl.checkpoint_after),
         "0: with a map by pages a mount begins with a checkpoint of a shutdown, or with records alone");
  refuse(
      declared.host_streams > 1 && layout.page_types != layout.pages_per_program, {"ftl.policy", "nand.program"},
      fmt::format("ftl.policy = {} and word lines that take several programs", policy),
      "nand.program = wordline, or a policy that keeps one superblock open for the host: the buffer holds what waits "
      "for its word line");
  refuse(!ftl.write_back, {"ftl.write_back"}, "ftl.write_back = false", "ftl.write_back = true, and FUA or FLUSH");
  refuse(ftl.spare_blocks != 0, {"ftl.spare_blocks"}, fmt::format("ftl.spare_blocks = {}", ftl.spare_blocks),
         "0: the table of spare blocks is not on flash");
  refuse(config.nand.faults.bad_blocks > 0, {"nand.faults.bad_blocks"}, "nand.faults.bad_blocks above 0",
         "0: without spare blocks a mount does not know which are bad");
  refuse(
      ftl.word_line_order != WordLineOrder::kHorizontal, {"ftl.word_line_order"},
      "word lines in another order than their numbers",
      "ftl.word_line_order = horizontal: a mount reads a block up to its first blank page, or each v-layer where the "
      "policy chooses word lines");
  if (ftl.checkpoint_after != 0) {
    refuse(p.fill != PreconditionFill::kNone || p.begins_with_state(),
           {"ftl.checkpoint_after", "precondition.fill", "precondition.file"},
           fmt::format("ftl.checkpoint_after = {} and a drive that begins with data", ftl.checkpoint_after),
           "precondition.fill = none, or precondition.flash: what a drive begins with has no sequences");
    const wl_boot_info info = boot_info_of(config, layout);
    const std::uint64_t block = std::uint64_t{layout.programs_per_block} * layout.lpages_per_program * layout.dies;
    const std::uint64_t whole = wl_checkpoint_lpages(&info, layout.raw_lpages, layout.lpages_per_program);
    refuse(whole > block, {"ftl.checkpoint_after", "nand.blocks_per_plane"},
           fmt::format("ftl.checkpoint_after = {} and checkpoints of {} logical pages", ftl.checkpoint_after, whole),
           fmt::format("at most the {} of a superblock: fewer blocks, or ftl.checkpoint_after = 0", block));
  }
  for (const engines::EngineRow& row : engines::kEngines) {
    const std::string key = fmt::format("engines.{}", row.name);
    refuse(row.home == engines::Home::kEngineBlock && config.engines.on(row.id), {}, key + " = on",
           key + " = off: it knows no copy that is valid on flash alone");
  }
  return found;
}

}  // namespace wordline::config
