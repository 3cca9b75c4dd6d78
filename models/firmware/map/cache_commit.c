/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With a cached map: what a program unit of the host holds is on flash.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/map.h"

#if WL_HAS_LARGE_MAPS

/* A write of the host waits for the end of a program. */
static bool is_newest(const struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot) {
  return wl_map_get(fw, lpn) == (WL_MAP_BUFFER | slot);
}

/* With ftl.recovery a copy that flash has counts until a newer one is there. */
static bool counts(const struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot) {
  return is_newest(fw, lpn, slot) || (wl_durable_kept(fw) && wl_durable_is_newer(fw, lpn, slot));
}

bool wl_map_commit_cached(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  const struct wl_unit* program = wl_unit(fw, u);
  struct wl_map_late* late = wl_map_late(fw, u);
  *late = (struct wl_map_late){0, 0, 0, 0};
  for (uint32_t i = 0; i < fw->geometry.unit_lpages; ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const wl_slot_t slot = program->slot + i;
    const wl_lpn_t lpn = wl_slot_table(fw)[slot].lpn;
    wl_map_own(fw, program->ppa + i, lpn);
    if (lpn == WL_LPN_NONE || !counts(fw, lpn, slot)) continue; /* overwritten or deallocated meanwhile */
    if (wl_map_look(fw, lpn)) {
      wl_map_hit(fw);
      wl_map_commit_slot(fw, hal, u, slot);
    } else {
      wl_map_await(fw, lpn, wl_map_waiter_of_slot(fw, slot), WL_MAP_PINNED);
      ++late->left;
    }
  }
  return late->left == 0;
}

void wl_map_commit_slot(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, wl_slot_t slot) {
  const struct wl_unit* program = wl_unit(fw, u);
  const wl_lpn_t lpn = wl_slot_table(fw)[slot].lpn;
  const wl_ppa_t ppa = program->ppa + (slot - program->slot);
  if (wl_durable_kept(fw)) {
    wl_map_late(fw, u)->valid += wl_durable_committed(fw, hal, lpn, slot, ppa);
    return;
  }
  if (!is_newest(fw, lpn, slot)) return;
  wl_map_committed(fw, lpn, ppa);
  ++wl_map_late(fw, u)->valid;
}

#endif
