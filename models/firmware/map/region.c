/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/region.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/state.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/space/space.h"

bool wl_map_in_region(const struct wl_firmware* fw, wl_lpn_t lpn) { return wl_lies_in_region(wl_map_view(fw), lpn); }

wl_map_value_t wl_map_region_get(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return wl_map_view(fw)->region_l2p[lpn];
}

void wl_map_region_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (!wl_has_small_pages(fw)) return;
  const uint64_t l2p = (uint64_t)fw->boot.user_lpages * sizeof(wl_map_state(fw)->region_l2p[0]);
  const uint64_t bits = ((uint64_t)fw->boot.user_lpages + 31) / 32 * sizeof(wl_map_state(fw)->in_region[0]);
  wl_map_state(fw)->region_l2p = wl_arena_take(dram, wl_map_table_bytes(fw, l2p));
  wl_map_state(fw)->in_region = wl_arena_take(dram, wl_map_table_bytes(fw, bits));
}

static void count_mapped(struct wl_firmware* fw, int32_t lpages) {
  fw->statistics.mapped_lpages += (uint64_t)lpages;
  fw->statistics.small.mapped_lpages += (uint64_t)lpages;
}

void wl_map_region_drop(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn) {
  const wl_map_value_t value = wl_map_region_get(fw, lpn);
  wl_map_state(fw)->in_region[lpn / 32] &= ~(1u << lpn % 32);
  if (value < WL_MAP_BUFFER) count_mapped(fw, -1);
  if (wl_durable_kept(fw))
    wl_durable_small_covered(fw, lpn, value);
  else if (value >= WL_MAP_BUFFER)
    wl_slot_drop(fw, value & ~WL_MAP_BUFFER);
  else
    wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, value - WL_MAP_PPA0));
}

void wl_map_region_leave(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, uint32_t lpages) {
  if (wl_map_state(fw)->in_region == NULL) return;
  for (uint32_t i = 0; i < wl_map_unit(fw); ++i) {
    const wl_lpn_t lpn = unit * wl_map_unit(fw) + i;
    if ((lpages >> i & 1) != 0 && wl_map_in_region(fw, lpn)) wl_map_region_drop(fw, hal, lpn);
  }
}

/* Small pages are a logical page each, and their PPAs lie a larger page apart. */
uint32_t wl_map_region_commit(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  (void)hal;
  const struct wl_unit* unit = wl_unit(fw, u);
  const uint32_t apart = wl_map_unit(fw);
  uint32_t valid = 0, read_there = 0;
  for (uint32_t i = 0; i < wl_unit_lpages(fw, u); ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const wl_lpn_t lpn = wl_slot_table(fw)[unit->slot + i].lpn;
    const wl_ppa_t ppa = unit->ppa + i * apart;
    wl_map_state(fw)->p2l[ppa / apart] = lpn == WL_LPN_NONE ? WL_NONE : lpn + 1;
    if (lpn == WL_LPN_NONE) continue;
    const bool newest = wl_map_in_region(fw, lpn) && wl_map_region_get(fw, lpn) == (WL_MAP_BUFFER | (unit->slot + i));
    if (wl_durable_kept(fw)) valid += wl_durable_small_committed(fw, hal, lpn, unit->slot + i, ppa, newest);
    if (!newest) continue;
    wl_map_state(fw)->region_l2p[lpn] = ppa + WL_MAP_PPA0;
    ++read_there;
  }
  count_mapped(fw, (int32_t)read_there);
  return wl_durable_kept(fw) ? valid : read_there;
}

wl_lpn_t wl_map_region_at(const struct wl_firmware* fw, wl_ppa_t ppa) {
  const uint32_t at = ppa / wl_map_unit(fw);
  const wl_lpn_t lpn = wl_owner_resolve(wl_map_view(fw)->p2l[at], at, 0);
  if (lpn == WL_NONE) return WL_NONE;
  if (wl_map_in_region(fw, lpn) && wl_map_region_get(fw, lpn) == ppa + WL_MAP_PPA0) return lpn;
  return wl_durable_kept(fw) && wl_durable_small_at(fw, lpn) == ppa + WL_MAP_PPA0 ? lpn : (wl_lpn_t)WL_NONE;
}
