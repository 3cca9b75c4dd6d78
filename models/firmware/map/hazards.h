/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes of the host that are on their way to the map. A write of a part of a map unit is exclusive, those
 * of whole ones are not. By hash: what hashes alike waits for each other.
 */
#ifndef WORDLINE_FIRMWARE_MAP_HAZARDS_H
#define WORDLINE_FIRMWARE_MAP_HAZARDS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/space/space.h"

static inline void wl_hazards_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  fw->map.writers = wl_arena_take(tcm, WL_HAZARDS * sizeof(fw->map.writers[0]));
  fw->map.locks = wl_arena_take(tcm, WL_HAZARDS * sizeof(fw->map.locks[0]));
}

/* Of a map unit. */
static inline uint32_t wl_hazard(uint32_t unit) { return unit & (WL_HAZARDS - 1); }
static inline uint32_t wl_hazard_of(const struct wl_firmware* fw, uint32_t lpn) {
  return wl_hazard(wl_map_unit_with(fw, lpn));
}

static inline bool wl_hazard_written(const struct wl_firmware* fw, uint32_t hazard) {
  return fw->map.writers[hazard] != 0;
}
static inline bool wl_hazard_locked(const struct wl_firmware* fw, uint32_t hazard) {
  return fw->map.locks[hazard] != 0;
}
static inline void wl_hazard_write(struct wl_firmware* fw, uint32_t hazard) { ++fw->map.writers[hazard]; }
/* The slots that the map names are written: reads of them wait. */
static inline bool wl_hazard_in_place(const struct wl_firmware* fw, uint32_t hazard) {
  return fw->map.locks[hazard] == WL_LOCKED_IN_PLACE;
}
static inline void wl_hazard_lock(struct wl_firmware* fw, uint32_t hazard, enum wl_hazard_lock lock) {
  fw->map.locks[hazard] = (uint16_t)lock;
}
static inline void wl_hazard_end_write(struct wl_firmware* fw, uint32_t hazard) { --fw->map.writers[hazard]; }
static inline void wl_hazard_unlock(struct wl_firmware* fw, uint32_t hazard) {
  fw->map.locks[hazard] = WL_UNLOCKED;
  wl_small_superblocks_go_on(fw);
}

#endif
