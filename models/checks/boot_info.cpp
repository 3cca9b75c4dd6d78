// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/boot_info.h"

#include <algorithm>
#include <cmath>

#include "models/engines/engine_set.h"

namespace wordline::config {
namespace {

wl_ppb_rules ppb_rules(const FtlPpb& ppb, const Layout& layout, const wl_boot_info& info) {
  const std::uint32_t unit = wl_boot_map_unit(&info);
  const std::uint32_t units = (info.user_sectors + unit - 1) / unit;
  wl_ppb_rules rules{};
  rules.virtual_blocks = static_cast<std::uint8_t>(ppb.virtual_blocks);
  rules.half_full_blocks = static_cast<std::uint8_t>(ppb.half_full_blocks & 0xfU);  // at most 4
  rules.hot_sectors = static_cast<std::uint16_t>(ppb.hot_write_size.count() / layout.sector.bytes());
  rules.hot_units = static_cast<std::uint32_t>(ppb.hot_list * units);
  rules.iron_hot_units = static_cast<std::uint32_t>(ppb.iron_hot_list * units);
  rules.bounded_table = ppb.table == PpbTable::kBounded ? 1 : 0;
  return rules;
}

wl_cube_rules cube_rules(const FtlCube& cube) {
  constexpr double kPerCell = 1e9;  // of the firmware's error rates
  wl_cube_rules rules{};
  rules.by_demand = cube.allocation == CubeAllocation::kDemand ? 1 : 0;
  rules.active_superblocks = static_cast<std::uint8_t>(cube.active_blocks);
  rules.moves_to_leaders = cube.gc_uses == CubeMoves::kLeaders ? 1 : 0;
  rules.skips = cube.programs == CubePrograms::kBoth || cube.programs == CubePrograms::kSkip ? 1 : 0;
  rules.narrows = cube.programs == CubePrograms::kBoth || cube.programs == CubePrograms::kWindow ? 1 : 0;
  rules.demand_permille = static_cast<std::uint16_t>(std::lround(1000 * cube.demand_threshold));
  rules.bad_percent = static_cast<std::uint16_t>(std::lround(100 * cube.bad_write));
  rules.margin_mv = static_cast<std::uint16_t>(cube.voltage_per_margin.count());
  rules.most_mv = static_cast<std::uint16_t>(cube.most_voltage.count());
  const double full = cube.voltage_per_margin.count() > 0
                          ? kPerCell * cube.best_ber_ep1 * (cube.most_voltage / cube.voltage_per_margin)
                          : 0;
  rules.full_margin = static_cast<std::uint32_t>(full);
  rules.ber_ep1_unit = static_cast<std::uint32_t>(std::lround(kPerCell * cube.best_ber_ep1));
  rules.most_ber_ep1 = static_cast<std::uint32_t>(std::lround(kPerCell * cube.best_ber_ep1 * cube.most_ber_ep1));
  return rules;
}

wl_agcr_rules agcr_rules(const FtlAgcr& agcr, Millivolts step) {
  wl_agcr_rules rules{};
  rules.coarse_step_mv = static_cast<std::uint16_t>(agcr_step(agcr.coarse_step, step).count());
  rules.fine_step_mv = static_cast<std::uint16_t>(agcr_step(agcr.fine_step, step).count());
  rules.window = static_cast<std::uint8_t>(agcr.window);
  rules.classes = static_cast<std::uint8_t>(agcr.classes);
  rules.rewrite = static_cast<std::uint8_t>(agcr.rewrite);
  rules.queue = static_cast<std::uint16_t>(agcr.queue);
  if (agcr.read_levels == ReadLevels::kMeasured) return rules;
  rules.initial = static_cast<std::uint8_t>(agcr.initial);
  rules.senses[WL_AGCR_DEFAULT] = static_cast<std::uint8_t>(agcr.default_senses);
  rules.senses[WL_AGCR_COARSE] = static_cast<std::uint8_t>(agcr.coarse_senses);
  rules.senses[WL_AGCR_FINE] = static_cast<std::uint8_t>(agcr.fine_senses);
  return rules;
}

wl_small_region small_region(const Config& config, const Layout& layout) {
  return {config.nand.region.blocks_per_plane, layout.small.pages, layout.small.sectors_per_page};
}

wl_mpnfm_rules mpnfm_rules(const Config& config) {
  const FtlMpnfm& mpnfm = config.ftl.mpnfm;
  const Bytes threshold = mpnfm.threshold.count() != 0 ? mpnfm.threshold : config.nand.region.page;
  return {static_cast<std::uint32_t>(threshold.count() / kLbaBytes), mpnfm.gc_start_blocks};
}

}  // namespace

Millivolts agcr_step(double times, Millivolts step) { return Millivolts(std::round(times * step.count())); }

wl_boot_info boot_info_of(const Config& config, const Layout& layout) {
  wl_boot_info info{};
  info.magic = WL_BOOT_MAGIC;
  info.cores = config.cpu.cores;
  for (std::size_t task = 0; task < WL_TASK_COUNT; ++task) info.task_core[task] = config.cpu.task_core[task];
  info.channels = config.channels.count;
  info.dies = layout.dies;
  info.planes = config.nand.geometry.planes;
  info.blocks = layout.superblocks;
  info.pages = layout.pages_per_block;
  info.ftl.sector_shift = layout.sector.shift();
  info.sectors_per_page = layout.sectors_per_page;
  info.pages_per_program = layout.pages_per_program;
  info.user_sectors = static_cast<std::uint32_t>(layout.user_sectors);
  info.write_slots = static_cast<std::uint32_t>(config.ftl.write_buffer.count() / layout.sector.bytes());
  info.read_slots = static_cast<std::uint32_t>(config.ftl.read_buffer.count() / layout.sector.bytes());
  info.gc_slots = static_cast<std::uint32_t>(config.ftl.gc_buffer.count() / layout.sector.bytes());
  info.host_tags = config.nvme.tags;
  info.gc_start_superblocks = config.ftl.gc_start_superblocks;
  info.gc_reserve_superblocks = config.ftl.gc_reserve_superblocks;
  info.ftl.gc_pacing = config.ftl.gc_pacing ? 1 : 0;
  info.power_safe = config.ftl.power_safe ? 1 : 0;
  info.preconditioned =
      config.precondition.fill != PreconditionFill::kNone || !config.precondition.file.empty() ? 1 : 0;
  info.dram_bytes = WL_DRAM_SIZE - 4096;  // the last page stays unmapped, so that a stray index faults
  info.tcm_bytes = WL_TCM_SIZE;
  info.engines = engines::engine_set(config.engines);
  info.engine_slots = engines::engine_slots(config.engines, info.host_tags, info.read_slots);
  const NandGeometry& g = config.nand.geometry;
  info.ftl.policy = config.ftl.policy;
  info.ftl.map_page = config.ftl.map == MapUnit::kPage ? layout.sectors_per_page : 0;
  info.ftl.pages_apart = config.ftl.packing ? 0 : 1;
  info.ftl.write_through = config.ftl.write_back ? 0 : 1;
  info.ftl.modify_in_die = config.ftl.read_modify == ReadModify::kDie ? 1 : 0;
  info.layers.count = g.layers;
  info.layers.references_by_block = config.ecc.ort_scope == OrtScope::kBlock ? 1 : 0;
  info.layers.pages = layout.page_types * (g.order == ProgramOrder::kVertical ? 1U : std::max(1U, g.wls_per_layer));
  info.ftl.word_line_order = static_cast<std::uint32_t>(config.ftl.word_line_order);
  info.ftl.idle_after_us =
      static_cast<std::uint32_t>((config.ftl.idle_after + Picoseconds(999'999)) / Picoseconds(1'000'000));
  info.ftl.idle_free_superblocks = config.ftl.idle_free_superblocks;
  info.ftl.ppb = ppb_rules(config.ftl.ppb, layout, info);
  info.ftl.cube = cube_rules(config.ftl.cube);
  info.ftl.vert_cut_mv = static_cast<std::uint32_t>(config.ftl.vert.final_cut.count());
  info.ftl.agcr = agcr_rules(config.ftl.agcr, config.nand.ispp.step);
  info.ftl.small = small_region(config, layout);
  info.ftl.mpnfm = mpnfm_rules(config);
  info.replacement.spares = config.ftl.spare_blocks;
  info.replacement.by_plane = g.plane_blocks == PlaneBlocks::kAny ? 1 : 0;
  info.replacement.least_worn_first = config.ftl.wear_levelling == WearLevelling::kDynamic ? 1 : 0;
  return info;
}

}  // namespace wordline::config
