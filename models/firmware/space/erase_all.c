/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/erase_all.h"

#include "models/firmware/space/life.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

bool wl_superblocks_at_rest(const struct wl_firmware* fw) {
  return wl_space_view(fw)->programs == 0 && wl_space_view(fw)->closings.p2l.closing == 0 &&
         wl_superblocks_being_erased(fw) == 0;
}

void wl_superblocks_close_all(struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  for (uint32_t stream = 0; stream != WL_STREAMS; ++stream)
    while (s->open_superblock[stream] != WL_NONE) wl_superblock_close(fw, s->open_superblock[stream]);
}

void wl_superblocks_erase_all(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  wl_superblocks_close_all(fw);
  if (s->next_superblock != WL_NONE) wl_superblock_free(fw, s->next_superblock);
  s->next_superblock = WL_NONE;
  for (wl_superblock_t superblock = 0; superblock != s->superblocks; ++superblock) {
    if (s->superblock[superblock].state != WL_SUPERBLOCK_CLOSED) continue;
    wl_superblock_take(fw, superblock);
    wl_superblock_drain(fw, superblock);
    wl_superblock_try_erase(fw, superblock);
  }
}

uint32_t wl_superblocks_being_erased(const struct wl_firmware* fw) {
  uint32_t superblocks = 0;
  for (uint32_t i = 0; i != WL_REGIONS; ++i) {
    const struct wl_region* r = &wl_space_view(fw)->region[i];
    superblocks += r->leaving.superblocks + r->erasing_superblocks;
  }
  return superblocks;
}
