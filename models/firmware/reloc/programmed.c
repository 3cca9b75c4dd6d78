/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A unit of GC is programmed: the map points to it, the superblocks that its data lay in have less.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/pages.h"
#include "models/firmware/reloc/merge.h"
#include "models/firmware/reloc/moved.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

/* Where the map unit is the page. Returns how many sectors are valid in the new PPA; counts what was copied. */
__attribute__((noinline)) static uint32_t pages_programmed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u,
                                                           uint32_t* copied) {
  const struct wl_unit* unit = wl_unit(fw, u);
  const uint32_t size = fw->boot.ftl.map_page;
  uint32_t valid = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_sectors; i += size) {
    FW_TASK(hal, WL_COST_FTL_GC_MOVED);
    if (wl_merge_programmed(fw, hal, unit->slot + i, unit->ppa + i, &valid, copied)) continue;
    const struct wl_gc_source* source = wl_source(fw, unit->slot + i);
    uint32_t page = WL_NONE;
    for (uint32_t k = 0; k < size; ++k) {
      if (source->ppa == WL_NONE || source[k].lpn == WL_LPN_NONE) continue;
      page = source[k].lpn / size;
      ++*copied;
    }
    if (page == WL_NONE)
      wl_map_pad(fw, unit->ppa + i, size);
    else if (wl_map_page_move(fw, hal, page, source->ppa, unit->ppa + i))
      valid += size;
    if (page != WL_NONE) ++fw->statistics.moved_pages;
    if (source->ppa == WL_NONE) continue;
    for (uint32_t k = 0; k < size; ++k) wl_moved(fw, wl_superblock_of(fw, source->ppa));
  }
  return valid;
}

void wl_mover_programmed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u, uint32_t superblock) {
  const struct wl_unit* unit = wl_unit(fw, u);
  if (fw->reloc.idle_unit == u) fw->reloc.idle_unit = WL_NONE; /* wl_unit_free kicks */
  uint32_t valid = 0;
  uint32_t copied = 0;
  const bool pages = wl_maps_pages(fw);
  if (pages) valid = pages_programmed(fw, hal, u, &copied);
  for (uint32_t i = 0; !pages && i < fw->geometry.unit_sectors; ++i) {
    FW_TASK(hal, WL_COST_FTL_GC_MOVED);
    const struct wl_gc_source* source = wl_source(fw, unit->slot + i);
    const uint32_t from = source->ppa;
    const uint32_t ppa = unit->ppa + i;
    if (from == WL_NONE) {
      wl_map_pad(fw, ppa, 1);
      continue;
    }
    ++copied;
    if (wl_map_move(fw, hal, source->lpn, from, ppa)) ++valid;
    wl_moved(fw, wl_superblock_of(fw, from));
  }
  fw->statistics.gc_sectors_copied += copied;
  const uint32_t page = fw->boot.sectors_per_page;
  if (!pages) fw->statistics.moved_pages += (copied + page - 1) / page;
  fw->statistics.pad_sectors += fw->geometry.unit_sectors - copied;
  if (wl_has_engines(fw, WL_ENGINES_COLLECT)) fw->reloc.filling -= fw->geometry.unit_sectors;
  wl_superblock_program_done(fw, superblock, valid);
  if (wl_has_engines(fw, WL_ENGINE_COPY) && copied != 0) wl_pace_copies_made(fw, copied);
  wl_pace_unit_moved(fw);
}
