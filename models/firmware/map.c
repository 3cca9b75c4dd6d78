/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map, sector to place, and its inverse. Both start as zeros, which mean the sequential fill where the drive was
 * preconditioned, so a huge drive costs nothing until it is touched. A place holds valid data exactly when the map points
 * to it; the inverse only names the candidate.
 */
#include "models/firmware/tasks.h"

uint32_t wl_map_get(const struct wl_firmware* fw, uint32_t lpn) {
  return wl_map_resolve(fw->l2p[lpn], lpn, fw->boot.preconditioned);
}

bool wl_map_is_zero(uint32_t value) { return value == WL_MAP_DEALLOCATED; }

uint32_t wl_place_owner(const struct wl_firmware* fw, uint32_t place) {
  return wl_owner_resolve(fw->p2l[place], place, fw->boot.preconditioned ? fw->boot.user_sectors : 0);
}

/* What `lpn` pointed to so far holds no data any more. */
static void drop_old(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t old) {
  if (old >= WL_MAP_BUFFER) {
    const uint32_t slot = old & ~WL_MAP_BUFFER;
    /* Once the program is on its way, the slot table belongs to the hardware; its end finds the map changed. */
    if (fw->units[wl_unit_of_slot(fw, slot)].state != WL_UNIT_PROGRAMMING) fw->slot_table[slot].lpn = WL_LPN_NONE;
  } else if (old >= WL_MAP_PLACE0) {
    wl_line_invalidate(fw, hal, (old - WL_MAP_PLACE0) / fw->geometry.line_sectors);
  }
}

void wl_map_set_buffer(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot) {
  const uint32_t old = wl_map_get(fw, lpn);
  const uint32_t value = WL_MAP_BUFFER | slot;
  if (old == value) return; /* rewritten in place */
  fw->slot_table[slot].lpn = lpn;
  wl_map_put(fw, lpn, value);
  drop_old(fw, hal, old);
}

void wl_map_set_gone(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t value) {
  const uint32_t old = wl_map_get(fw, lpn);
  if (old == value) return; /* an untouched map stays untouched */
  wl_map_put(fw, lpn, value);
  drop_old(fw, hal, old);
}
