/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/found.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

void wl_superblock_found_more(struct wl_firmware* fw, wl_superblock_t superblock) {
  ++wl_space_state(fw)->superblock[superblock].valid;
}
void wl_superblock_found_less(struct wl_firmware* fw, wl_superblock_t superblock) {
  --wl_space_state(fw)->superblock[superblock].valid;
}

void wl_superblock_found_bad(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].bad = 1;
}

void wl_superblocks_forget(struct wl_firmware* fw) {
  for (wl_superblock_t s = 0; s < wl_space_view(fw)->superblocks; ++s) wl_space_state(fw)->superblock[s].valid = 0;
}

void wl_superblock_found_blank(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_superblock_free(fw, superblock);
}

/* Without valid data it may be half erased, or hold what was on its way when power failed: it is erased before use. */
void wl_superblock_found_used(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  if (sb->valid != 0)
    wl_superblock_found_closed(fw, superblock, sb->valid, sb->bad != 0);
  else if (sb->bad)
    wl_superblock_retire(fw, superblock);
  else
    wl_superblock_found_stale(fw, superblock);
}

void wl_superblock_found_unfinished(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t stream,
                                    uint32_t units) {
  struct wl_space* s = wl_space_state(fw);
  wl_superblock_found_open(fw, superblock, s->superblock[superblock].valid, units);
  s->open_superblock[stream] = superblock;
}

bool wl_superblocks_mounting(const struct wl_firmware* fw) { return wl_space_view(fw)->closings_at_boot == WL_NONE; }

void wl_superblocks_all_found(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  s->closings_at_boot = s->closings;
  wl_kick(fw, WL_STEP_GC);
}
