/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/free_superblocks.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

/* Whether `superblock` goes behind `other` in the list. */
static bool behind(const struct wl_firmware* fw, uint32_t superblock, uint32_t other) {
  return fw->boot.replacement.least_worn_first == 0 || wl_wear_of(fw, other) <= wl_wear_of(fw, superblock);
}

void wl_superblock_free(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_space* s = &fw->space;
  struct wl_superblock* sb = &s->superblock[superblock];
  sb->state = WL_SUPERBLOCK_FREE;
  sb->next = WL_NONE;
  struct wl_region* r = wl_region_of(fw, superblock);
  if (r->free_head == WL_NONE) {
    r->free_head = superblock;
    r->free_tail = superblock;
  } else if (behind(fw, superblock, r->free_tail)) {
    s->superblock[r->free_tail].next = superblock;
    r->free_tail = superblock;
  } else {
    uint32_t* link = &r->free_head;
    while (behind(fw, superblock, *link)) link = &s->superblock[*link].next;
    sb->next = *link;
    *link = superblock;
  }
  ++r->free_superblocks;
  ++fw->statistics.free_superblocks;
}

void wl_superblock_retire(struct wl_firmware* fw, uint32_t superblock) {
  fw->space.superblock[superblock].state = WL_SUPERBLOCK_RETIRED;
  wl_spares_give_back(fw, superblock);
  wl_wear_retired(fw, superblock);
  ++fw->statistics.blocks.retired_superblocks;
  struct wl_region* r = wl_region_of(fw, superblock);
  if (wl_kind_of_superblock(fw, superblock)->superblocks - ++r->retired_superblocks < r->needed_superblocks)
    fw->space.read_only = true;
  wl_kick(fw, WL_STEP_WRITE | WL_STEP_GC | WL_STEP_PLACE);
}
