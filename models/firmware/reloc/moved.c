/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/moved.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/map.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/space.h"

void wl_moved(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (wl_superblock_draining(fw, superblock)) --wl_reloc_state(fw)->draining;
  wl_superblock_moved(fw, superblock);
}

void wl_move_lost(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot) {
  struct wl_gc_source* source = wl_source(fw, slot);
  const wl_ppa_t ppa = source->ppa;
  if (!wl_maps_by_lpage(fw)) { /* the rest of its map unit goes on */
    if (source->lpn != WL_LPN_NONE) wl_map_lose(fw, hal, source->lpn, ppa);
    source->lpn = WL_LPN_NONE;
    return;
  }
  source->ppa = WL_NONE;
  wl_map_lose(fw, hal, source->lpn, ppa);
  wl_moved(fw, wl_superblock_of(fw, ppa));
}
