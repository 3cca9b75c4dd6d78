/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/free_superblocks.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/wear.h"

/* Whether `superblock` goes behind `other` in the list. */
static bool behind(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t other) {
  return fw->boot.replacement.least_worn_first == 0 || wl_wear_of(fw, other) <= wl_wear_of(fw, superblock);
}

void wl_free_insert(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_space* s = wl_space_state(fw);
  struct wl_superblock* sb = &s->superblock[superblock];
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

wl_superblock_t wl_free_take(struct wl_firmware* fw, struct wl_region* region) {
  const wl_superblock_t superblock = region->free_head;
  if (superblock == WL_NONE) return WL_NONE;
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  region->free_head = sb->next;
  sb->next = WL_NONE;
  --region->free_superblocks;
  --fw->statistics.free_superblocks;
  return superblock;
}

wl_superblock_t wl_free_take_last(struct wl_firmware* fw, struct wl_region* region) {
  struct wl_space* s = wl_space_state(fw);
  if (region->free_head == WL_NONE || region->free_head == region->free_tail) return wl_free_take(fw, region);
  const wl_superblock_t superblock = region->free_tail;
  wl_superblock_t before = region->free_head;
  while (s->superblock[before].next != superblock) before = s->superblock[before].next;
  s->superblock[before].next = WL_NONE;
  region->free_tail = before;
  --region->free_superblocks;
  --fw->statistics.free_superblocks;
  return superblock;
}
