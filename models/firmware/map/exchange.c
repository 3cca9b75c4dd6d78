/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/exchange.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/region.h"
#include "models/firmware/map/state.h"

void wl_map_region_put(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_slot_t slot) {
  const wl_map_value_t value = WL_MAP_BUFFER | slot;
  if (wl_map_get(fw, lpn) == value) return; /* rewritten in place */
  wl_slot_set_record(fw, slot, lpn, wl_map_next_sequence(fw));
  if (wl_map_in_region(fw, lpn))
    wl_map_region_drop(fw, hal, lpn);
  else
    wl_map_set_gone(fw, hal, lpn, WL_MAP_DEALLOCATED);
  wl_map_state(fw)->region_l2p[lpn] = value;
  wl_map_state(fw)->in_region[lpn / 32] |= 1u << lpn % 32;
}

/* Logical pages of the map unit whose copies are still what the map points to. `small`: those in the region. */
static uint32_t unchanged(const struct wl_firmware* fw, wl_map_unit_t unit, uint32_t present, wl_ppa_t from,
                          const struct wl_gc_source* source, uint32_t* small) {
  uint32_t all = 0;
  *small = 0;
  for (uint32_t k = 0; k < wl_map_unit(fw); ++k) {
    const wl_lpn_t lpn = unit * wl_map_unit(fw) + k;
    if (source[k].lpn == WL_LPN_NONE) continue;
    if (wl_map_in_region(fw, lpn) && wl_map_region_get(fw, lpn) == source[k].ppa + WL_MAP_PPA0) *small |= 1u << k;
    if ((present >> k & 1) != 0 && source[k].ppa == from + k) all |= 1u << k;
  }
  return all | *small;
}

bool wl_map_region_merge(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_merge* merge,
                         const struct wl_gc_source* source, wl_ppa_t to) {
  const wl_map_unit_t unit = merge->unit;
  const wl_ppa_t from = merge->from;
  const struct wl_mapped old = wl_mapped(fw, unit);
  const bool same = from == WL_NONE ? old.present == 0 : old.present == 0 || old.value == from + WL_MAP_PPA0;
  /* A write of a part of the unit has read the rest as it was before. */
  const bool written = wl_hazard_locked(fw, wl_hazard(unit));
  uint32_t small;
  const uint32_t present = unchanged(fw, unit, old.present, from, source, &small);
  const bool durable = wl_durable_kept(fw);
  if (!same || written || (durable ? wl_durable_page_newer(fw, unit, merge->sequence) : small == 0)) {
    wl_map_state(fw)->p2l[to / wl_map_unit(fw)] = WL_NONE;
    return false;
  }
  wl_map_region_leave(fw, hal, unit, small);
  fw->statistics.mapped_lpages += wl_map_count(small);
  if (durable) wl_durable_merged(fw, hal, unit, merge->slot, to, merge->sequence, present != 0);
  wl_map_merged(fw, hal, unit, to, present);
  return true;
}
