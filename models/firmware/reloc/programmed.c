/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A unit of GC is programmed: the map points to it, the superblocks that its data lay in have less.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/reloc/merge.h"
#include "models/firmware/reloc/moved.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/wear.h"

struct outcome {
  uint32_t valid;  /* logical pages in the new place */
  uint32_t copied; /* logical pages with data */
};

/* The map units in it. */
WL_BOTH_GRAINS struct outcome moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, struct wl_grain g) {
  const struct wl_unit* program = wl_unit(fw, u);
  struct outcome all = {0, 0};
  for (uint32_t i = 0; i < fw->geometry.unit_lpages; i += g.lpages) {
    FW_TASK(hal, WL_COST_FTL_GC_MOVED);
    const wl_ppa_t ppa = program->ppa + i;
    if (g.by_page && wl_merge_programmed(fw, hal, program->slot + i, ppa, &all.valid, &all.copied)) continue;
    const struct wl_gc_source* source = wl_source(fw, program->slot + i);
    const wl_ppa_t from = source->ppa;
    wl_map_unit_t unit = WL_NONE;
    for (uint32_t k = 0; k < g.lpages; ++k) {
      if (from == WL_NONE || (g.by_page && source[k].lpn == WL_LPN_NONE)) continue;
      unit = source[k].lpn / g.lpages;
      ++all.copied;
    }
    if (unit == WL_NONE)
      wl_map_pad(fw, ppa, g.lpages);
    else if (wl_map_move(fw, hal, unit, from, ppa, source, g))
      all.valid += g.lpages;
    if (g.by_page && unit != WL_NONE) ++fw->statistics.moved_pages;
    if (from == WL_NONE) continue;
    for (uint32_t k = 0; k < g.lpages; ++k) wl_moved(fw, wl_superblock_of(fw, from));
  }
  return all;
}

WL_BY_PAGE static struct outcome pages_moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  return moved(fw, hal, u, wl_by_page(fw));
}

/* Before the superblocks that the copies are from may be erased. */
__attribute__((noinline)) static void count_by_handle(struct wl_firmware* fw, wl_unit_t u) {
  for (uint32_t i = 0; i < fw->geometry.unit_lpages; ++i) {
    const struct wl_gc_source* source = wl_source(fw, wl_unit(fw, u)->slot + i);
    if (source->ppa == WL_NONE || source->lpn == WL_LPN_NONE) continue;
    ++wl_handle_statistics(fw, wl_superblock(fw, wl_superblock_of(fw, source->ppa))->handle)->copied_lpages;
  }
}

void wl_mover_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, wl_superblock_t superblock) {
  /* wl_unit_free kicks */
  if (wl_reloc_state(fw)->idle_unit == u) wl_reloc_state(fw)->idle_unit = WL_NONE;
  if (wl_reloc_state(fw)->slow_unit == u) wl_reloc_state(fw)->slow_unit = WL_NONE;
  if (wl_has_handles(fw)) count_by_handle(fw, u);
  const bool by_lpage = wl_maps_by_lpage(fw);
  const struct outcome all = by_lpage ? moved(fw, hal, u, WL_BY_LPAGE) : pages_moved(fw, hal, u);
  FW_TASK(hal, WL_COST_FTL_GC_END);
  const uint32_t copied = all.copied;
  fw->statistics.gc_lpages_copied += copied;
  const uint32_t page = fw->boot.lpages_per_page;
  if (by_lpage) fw->statistics.moved_pages += (copied + page - 1) / page;
  fw->statistics.pad_lpages += fw->geometry.unit_lpages - copied;
  if (wl_has_engines(fw, WL_ENGINES_COLLECT)) wl_reloc_state(fw)->filling -= fw->geometry.unit_lpages;
  wl_superblock_program_done(fw, superblock, all.valid);
}

/* ---- with a cached map ---- */
#if WL_HAS_LARGE_MAPS

/* The copy of the logical page in the slot is where its unit is, or is not wanted any more. */
static bool slot_moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, wl_slot_t slot) {
  const struct wl_unit* program = wl_unit(fw, u);
  const struct wl_gc_source* source = wl_source(fw, slot);
  const wl_ppa_t from = source->ppa;
  const bool valid = wl_map_lpage_move(fw, hal, source->lpn, from, program->ppa + (slot - program->slot));
  wl_moved(fw, wl_superblock_of(fw, from));
  return valid;
}

/* A map page that the cache has written. */
static void slot_written(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, wl_slot_t slot) {
  const struct wl_unit* program = wl_unit(fw, u);
  wl_map_page_written(fw, hal, slot, program->ppa + (slot - program->slot));
}

bool wl_mover_programmed_cached(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  const struct wl_unit* program = wl_unit(fw, u);
  struct wl_map_late* late = wl_map_late(fw, u);
  *late = (struct wl_map_late){0, 0, 0, 0};
  for (uint32_t i = 0; i < fw->geometry.unit_lpages; ++i) {
    FW_TASK(hal, WL_COST_FTL_GC_MOVED);
    const wl_slot_t slot = program->slot + i;
    const struct wl_gc_source* source = wl_source(fw, slot);
    if (wl_map_pages_kept(fw)) wl_map_page_out_of_slot(fw, slot);
    if (wl_map_slot_written(fw, slot)) {
      slot_written(fw, hal, u, slot);
      ++late->valid;
      ++late->written;
      continue;
    }
    if (source->ppa == WL_NONE) {
      wl_map_pad(fw, program->ppa + i, 1);
      continue;
    }
    ++late->copied;
    const bool is_map = wl_is_map_page(fw, source->lpn);
    if (is_map) ++wl_map_cache_statistics(fw)->copied;
    if (!is_map && wl_map_lpage_at(fw, source->ppa) == source->lpn && !wl_map_look(fw, source->lpn)) {
      wl_map_await(fw, source->lpn, wl_map_waiter_of_slot(fw, slot), WL_MAP_PINNED);
      ++late->left;
      continue;
    }
    if (!is_map) wl_map_hit(fw);
    late->valid += slot_moved(fw, hal, u, slot);
  }
  return late->left == 0;
}

void wl_mover_slot_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, wl_slot_t slot) {
  wl_map_late(fw, u)->valid += slot_moved(fw, hal, u, slot);
}

void wl_mover_unit_ends(struct wl_firmware* fw, wl_unit_t u, wl_superblock_t superblock) {
  const struct wl_map_late* late = wl_map_late(fw, u);
  if (wl_reloc_state(fw)->idle_unit == u) wl_reloc_state(fw)->idle_unit = WL_NONE;
  if (wl_reloc_state(fw)->slow_unit == u) wl_reloc_state(fw)->slow_unit = WL_NONE;
  const uint32_t page = fw->boot.lpages_per_page;
  fw->statistics.gc_lpages_copied += late->copied;
  fw->statistics.moved_pages += (late->copied + page - 1) / page;
  fw->statistics.pad_lpages += fw->geometry.unit_lpages - late->copied - late->written;
  wl_superblock_program_done(fw, superblock, late->valid);
}
#endif
