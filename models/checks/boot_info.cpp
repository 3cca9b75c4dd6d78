// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/boot_info.h"

#include <algorithm>
#include <cmath>

#include "models/checks/policy_words.h"
#include "models/checks/upkeep_check.h"
#include "models/engines/engine_set.h"
#include "models/firmware/contract/parity.h"
#include "models/firmware/firmware.h"

namespace wordline::config {
namespace {

wl_small_region small_region(const Config& config, const Layout& layout) {
  return {config.nand.region.blocks_per_plane, layout.small.pages, layout.small.lpages_per_page};
}

}  // namespace

Millivolts agcr_step(double times, Millivolts step) { return Millivolts(std::round(times * step.count())); }

wl_boot_info boot_info_of(const Config& config, const Layout& layout) {
  wl_boot_info info{};
  const bool port = config.ftl.map_access == MapAccess::kPort && layout.map_page != 0;  // else it is refused
  info.magic = port ? WL_BOOT_MAGIC_PORT : WL_BOOT_MAGIC;
  info.cores = config.cpu.cores;
  for (std::size_t task = 0; task < WL_TASK_COUNT; ++task) info.task_core[task] = config.cpu.task_core[task];
  info.channels = config.channels.count;
  info.dies = layout.dies;
  info.planes = config.nand.geometry.planes;
  info.blocks = layout.superblocks;
  info.pages = layout.pages_per_block;
  info.ftl.lpage_shift = layout.lpage.shift();
  info.lpages_per_page = layout.lpages_per_page;
  info.pages_per_program = layout.pages_per_program;
  info.user_lpages = static_cast<std::uint32_t>(layout.user_lpages);
  info.write_slots = static_cast<std::uint32_t>(config.ftl.write_buffer.count() / layout.lpage.bytes());
  info.read_slots = static_cast<std::uint32_t>(config.ftl.read_buffer.count() / layout.lpage.bytes());
  info.gc_slots = static_cast<std::uint32_t>(config.ftl.gc_buffer.count() / layout.lpage.bytes());
  info.host_tags = config.nvme.tags;
  info.gc_start_superblocks = config.ftl.gc_start_superblocks;
  info.gc_reserve_superblocks = config.ftl.gc_reserve_superblocks;
  info.ftl.gc_pacing = config.ftl.pace.gc ? 1 : 0;
  info.ftl.admission = config.ftl.pace.admission == Admission::kMeanRate ? 1 : 0;
  info.ftl.reads_wait = config.ftl.pace.who_waits == WhoWaits::kBoth ? 1 : 0;
  info.ftl.pace = {static_cast<std::uint16_t>(std::lround(config.ftl.pace.lead * 16)),
                   static_cast<std::uint16_t>(std::lround(config.ftl.pace.gain * 256))};
  info.power_safe = config.ftl.power_safe ? 1 : 0;
  info.preconditioned =
      config.precondition.fill != PreconditionFill::kNone || !config.precondition.file.empty() ? 1 : 0;
  info.dram_bytes = WL_DRAM_SIZE - 4096;  // the last page stays unmapped, so that a stray index faults
  info.tcm_bytes = WL_TCM_SIZE;
  info.engines = engines::engine_set(config.engines);
  info.engine_slots = engines::engine_slots(config.engines, info.host_tags, info.read_slots);
  const NandGeometry& g = config.nand.geometry;
  info.ftl.policy = static_cast<std::uint16_t>(config.ftl.policy);
  info.ftl.map_page = layout.map_page;
  info.ftl.map_frames = static_cast<std::uint32_t>(config.ftl.map_cache.count() / layout.lpage.bytes());
  if (info.ftl.map_frames != 0)
    info.ftl.host_pages = static_cast<std::uint32_t>(config.nvme.hmb.count() / layout.lpage.bytes());
  info.ftl.pages_apart = config.ftl.packing ? 0 : 1;
  info.ftl.write_through = config.ftl.write_back ? 0 : 1;
  info.ftl.modify_in_die = config.ftl.read_modify == ReadModify::kDie ? 1 : 0;
  info.layers.count = g.layers;
  info.layers.references_by_block = config.ecc.ort_scope == OrtScope::kBlock ? 1 : 0;
  info.layers.pages = layout.page_types * (g.order == ProgramOrder::kVertical ? 1U : std::max(1U, g.wls_per_layer));
  info.ftl.word_line_order = static_cast<std::uint16_t>(config.ftl.word_line_order);
  info.ftl.idle_after_us =
      static_cast<std::uint32_t>((config.ftl.idle_after + Picoseconds(999'999)) / Picoseconds(1'000'000));
  info.ftl.idle_free_superblocks = config.ftl.idle_free_superblocks;
  if (config.ftl.recovery == Recovery::kScan) {
    info.ftl.recovery = 1;
    info.ftl.word_line_programs = static_cast<std::uint16_t>(layout.page_types / layout.pages_per_program);
    if (info.ftl.word_line_programs > 1) info.ftl.word_line_order = WL_ORDER_WHOLE;
    info.ftl.checkpoint_after = static_cast<std::uint16_t>(config.ftl.checkpoint_after);
  }
  const bool persistent = config.ftl.fdp.isolation == Isolation::kPersistently;
  if (wl_policy_takes_handles(info.ftl.policy)) {  // others are refused
    info.ftl.placement = {config.ftl.fdp.handles, persistent ? 1U : 0U};
  }
  info.ftl.small = small_region(config, layout);
  set_policy_words(info, config, layout);
  info.replacement.spares = config.ftl.spare_blocks;
  info.replacement.by_plane = g.plane_blocks == PlaneBlocks::kAny ? 1 : 0;
  info.replacement.least_worn_first = config.ftl.wear_levelling == WearLevelling::kFifo ? 0 : 1;
  info.ftl.upkeep = upkeep_rules(config, layout.superblocks);
  if (config.ftl.has_slc_cache()) {
    info.ftl.slc_cache = {static_cast<std::uint16_t>(config.ftl.slc.superblocks),
                          static_cast<std::uint16_t>(config.ftl.slc.cache == SlcCache::kStatic ? 1 : 0)};
  }
  info.ftl.health.erases_before = config.nand.aging.pe_cycles;
  info.ftl.health.rated_erases = config.nand.faults.rated_cycles;
  info.ftl.health.temperature = static_cast<std::uint32_t>(config.nand.aging.temperature_c + 273.5);
  if (config.ftl.parity == Parity::kDies && layout.dies > 1)
    info.ftl.parity_slots = wl_parity_sums(wl_open_superblocks(&info)) * layout.lpages_per_program;
  return info;
}

}  // namespace wordline::config
