/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/two_sizes.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/pages.h"
#include "models/firmware/map/small_pages.h"

void wl_map_small_put(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot) {
  const uint32_t value = WL_MAP_BUFFER | slot;
  if (wl_map_get(fw, lpn) == value) return; /* rewritten in place */
  wl_slot_set_owner(fw, slot, lpn);
  if (wl_map_in_small(fw, lpn))
    wl_map_small_leave(fw, hal, lpn);
  else
    wl_map_page_gone(fw, hal, lpn, WL_MAP_DEALLOCATED);
  wl_map_small_enter(fw, lpn, value);
}

/* Sectors of the page whose copies are still what the map points to. `small`: those in small pages. */
static uint32_t unchanged(const struct wl_firmware* fw, uint32_t page, uint32_t present, uint32_t from,
                          const struct wl_gc_source* source, uint32_t* small) {
  uint32_t all = 0;
  *small = 0;
  for (uint32_t k = 0; k < fw->boot.ftl.map_page; ++k) {
    const uint32_t lpn = page * fw->boot.ftl.map_page + k;
    if (source[k].lpn == WL_LPN_NONE) continue;
    if (wl_map_in_small(fw, lpn) && wl_map_small(fw, lpn) == source[k].ppa + WL_MAP_PPA0) *small |= 1u << k;
    if ((present >> k & 1) != 0 && source[k].ppa == from + k) all |= 1u << k;
  }
  return all | *small;
}

bool wl_map_page_merge(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t from,
                       const struct wl_gc_source* source, uint32_t to) {
  const struct wl_mapped_page old = wl_map_page(fw, page);
  const bool same = from == WL_NONE ? old.present == 0 : old.present == 0 || old.value == from + WL_MAP_PPA0;
  /* A write of a part of the page has read the rest as it was before. */
  const bool written = wl_hazard_locked(fw, wl_hazard(page));
  uint32_t small;
  const uint32_t present = unchanged(fw, page, old.present, from, source, &small);
  if (!same || written || small == 0) {
    fw->map.p2l[to / fw->boot.ftl.map_page] = WL_NONE;
    return false;
  }
  for (uint32_t k = 0; k < fw->boot.ftl.map_page; ++k)
    if ((small >> k & 1) != 0) wl_map_small_leave(fw, hal, page * fw->boot.ftl.map_page + k);
  fw->statistics.mapped_sectors += wl_map_count(small);
  wl_map_page_merged(fw, hal, page, to, present);
  return true;
}
