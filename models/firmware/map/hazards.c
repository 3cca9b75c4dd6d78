/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/state.h"

void wl_hazards_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  wl_map_state(fw)->writers = wl_arena_take(tcm, WL_HAZARDS * sizeof(wl_map_state(fw)->writers[0]));
  wl_map_state(fw)->locks = wl_arena_take(tcm, WL_HAZARDS * sizeof(wl_map_state(fw)->locks[0]));
}

bool wl_hazard_written(const struct wl_firmware* fw, uint32_t hazard) { return wl_map_view(fw)->writers[hazard] != 0; }

bool wl_hazard_locked(const struct wl_firmware* fw, uint32_t hazard) { return wl_map_view(fw)->locks[hazard] != 0; }

void wl_hazard_write(struct wl_firmware* fw, uint32_t hazard) { ++wl_map_state(fw)->writers[hazard]; }
bool wl_hazard_in_place(const struct wl_firmware* fw, uint32_t hazard) {
  return wl_map_view(fw)->locks[hazard] == WL_LOCKED_IN_PLACE;
}

void wl_hazard_lock(struct wl_firmware* fw, uint32_t hazard, enum wl_hazard_lock lock) {
  wl_map_state(fw)->locks[hazard] = (uint16_t)lock;
}

void wl_hazard_end_write(struct wl_firmware* fw, uint32_t hazard) { --wl_map_state(fw)->writers[hazard]; }
void wl_hazard_unlock(struct wl_firmware* fw, uint32_t hazard) {
  wl_map_state(fw)->locks[hazard] = WL_UNLOCKED;
  wl_small_superblocks_go_on(fw);
}
