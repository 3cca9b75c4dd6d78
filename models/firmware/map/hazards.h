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

#define WL_HAZARDS 1024u

/* By a write of a part; there is one at a time. */
enum wl_hazard_lock { WL_UNLOCKED, WL_LOCKED, WL_LOCKED_IN_PLACE };

void wl_hazards_layout(struct wl_firmware* fw, struct wl_arena* tcm);

/* Of a map unit. */
static inline uint32_t wl_hazard(wl_map_unit_t unit) { return unit & (WL_HAZARDS - 1); }
static inline uint32_t wl_hazard_of(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return wl_hazard(wl_map_unit_with(fw, lpn));
}

bool wl_hazard_written(const struct wl_firmware* fw, uint32_t hazard);
bool wl_hazard_locked(const struct wl_firmware* fw, uint32_t hazard);
void wl_hazard_write(struct wl_firmware* fw, uint32_t hazard);
/* The slots that the map names are written: reads of them wait. */
bool wl_hazard_in_place(const struct wl_firmware* fw, uint32_t hazard);
void wl_hazard_lock(struct wl_firmware* fw, uint32_t hazard, enum wl_hazard_lock lock);
void wl_hazard_end_write(struct wl_firmware* fw, uint32_t hazard);
void wl_hazard_unlock(struct wl_firmware* fw, uint32_t hazard);

#endif
