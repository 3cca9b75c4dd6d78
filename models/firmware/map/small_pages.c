/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/small_pages.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/pages.h"
#include "models/firmware/space/space.h"

void wl_map_small_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (!wl_has_small_pages(fw)) return;
  fw->map.small_l2p = wl_arena_take(dram, (uint64_t)fw->boot.user_sectors * sizeof(fw->map.small_l2p[0]));
  fw->map.in_small = wl_arena_take(dram, ((uint64_t)fw->boot.user_sectors + 31) / 32 * sizeof(fw->map.in_small[0]));
}

static void enter(struct wl_firmware* fw, uint32_t lpn) { fw->map.in_small[lpn / 32] |= 1u << lpn % 32; }

static void count_mapped(struct wl_firmware* fw, int32_t sectors) {
  fw->statistics.mapped_sectors += (uint64_t)sectors;
  fw->statistics.small.mapped_sectors += (uint64_t)sectors;
}

/* What the small page or the slot held is valid no more. */
static void drop(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t value) {
  if (value >= WL_MAP_BUFFER) {
    wl_slot_drop(fw, value & ~WL_MAP_BUFFER);
    return;
  }
  wl_line_invalidate(fw, hal, wl_line_of(fw, value - WL_MAP_PLACE0));
  count_mapped(fw, -1);
}

void wl_map_small_leave(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn) {
  fw->map.in_small[lpn / 32] &= ~(1u << lpn % 32);
  drop(fw, hal, wl_map_small(fw, lpn));
}

void wl_map_small_put(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot) {
  const uint32_t value = WL_MAP_BUFFER | slot;
  if (wl_map_get(fw, lpn) == value) return; /* rewritten in place */
  wl_slot_set_owner(fw, slot, lpn);
  if (wl_map_in_small(fw, lpn))
    drop(fw, hal, wl_map_small(fw, lpn));
  else
    wl_map_page_gone(fw, hal, lpn, WL_MAP_DEALLOCATED);
  fw->map.small_l2p[lpn] = value;
  enter(fw, lpn);
}

/* Small pages are a sector each, and their places lie a larger page apart. */
uint32_t wl_map_commit_small(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u) {
  (void)hal;
  const struct wl_unit* unit = wl_unit(fw, u);
  const uint32_t apart = fw->boot.ftl.map_page;
  uint32_t valid = 0;
  for (uint32_t i = 0; i < wl_unit_sectors(fw, u); ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const uint32_t lpn = wl_slot_table(fw)[unit->slot + i].lpn;
    const uint32_t place = unit->place + i * apart;
    fw->map.p2l[place / apart] = lpn == WL_LPN_NONE ? WL_NONE : lpn + 1;
    if (lpn == WL_LPN_NONE || !wl_map_in_small(fw, lpn)) continue;
    if (fw->map.small_l2p[lpn] != (WL_MAP_BUFFER | (unit->slot + i))) continue;
    fw->map.small_l2p[lpn] = place + WL_MAP_PLACE0;
    ++valid;
  }
  count_mapped(fw, (int32_t)valid);
  return valid;
}

uint32_t wl_map_small_at(const struct wl_firmware* fw, uint32_t place) {
  const uint32_t at = place / fw->boot.ftl.map_page;
  const uint32_t lpn = wl_owner_resolve(fw->map.p2l[at], at, 0);
  if (lpn == WL_NONE || !wl_map_in_small(fw, lpn)) return WL_NONE;
  return wl_map_small(fw, lpn) == place + WL_MAP_PLACE0 ? lpn : WL_NONE;
}

/* Sectors of the page whose copies are still what the map points to. `small`: those in small pages. */
static uint32_t unchanged(const struct wl_firmware* fw, uint32_t page, uint32_t present, uint32_t from,
                          const struct wl_gc_source* source, uint32_t* small) {
  uint32_t all = 0;
  *small = 0;
  for (uint32_t k = 0; k < fw->boot.ftl.map_page; ++k) {
    const uint32_t lpn = page * fw->boot.ftl.map_page + k;
    if (source[k].lpn == WL_LPN_NONE) continue;
    if (wl_map_in_small(fw, lpn) && wl_map_small(fw, lpn) == source[k].place + WL_MAP_PLACE0) *small |= 1u << k;
    if ((present >> k & 1) != 0 && source[k].place == from + k) all |= 1u << k;
  }
  return all | *small;
}

bool wl_map_page_merge(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t from,
                       const struct wl_gc_source* source, uint32_t to) {
  const struct wl_mapped_page old = wl_map_page(fw, page);
  const bool same = from == WL_NONE ? old.present == 0 : old.present == 0 || old.value == from + WL_MAP_PLACE0;
  /* A write of a part of the page has read the rest as it was before. */
  const bool written = wl_hazard_locked(fw, wl_hazard(page));
  uint32_t small;
  const uint32_t present = unchanged(fw, page, old.present, from, source, &small);
  if (!same || written || small == 0) {
    wl_map_pad(fw, to, fw->boot.ftl.map_page);
    return false;
  }
  for (uint32_t k = 0; k < fw->boot.ftl.map_page; ++k)
    if ((small >> k & 1) != 0) wl_map_small_leave(fw, hal, page * fw->boot.ftl.map_page + k);
  fw->statistics.mapped_sectors += wl_map_count(small);
  wl_map_page_merged(fw, hal, page, to, present);
  return true;
}
