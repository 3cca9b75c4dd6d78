/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/host_copies.h"

#define LOOKS 64u /* of the hand, for a host page */

void wl_host_copies_layout(struct wl_host_copies* h, struct wl_arena* dram, uint32_t room, uint32_t map_pages) {
  h->room = room;
  if (room == 0) return;
  h->copy = wl_arena_take(dram, (uint64_t)room * sizeof(h->copy[0]));
  h->copy_of = wl_arena_take(dram, (uint64_t)map_pages * sizeof(h->copy_of[0]));
}

void wl_host_copies_given(struct wl_host_copies* h, uint32_t count) {
  h->count = count < h->room ? count : h->room;
  h->hand = 0;
  ++h->life;
}

static bool moves(const struct wl_host_copy* copy) {
  return copy->state == WL_COPY_STORES || copy->state == WL_COPY_FETCHES;
}

uint32_t wl_host_copy_find(struct wl_host_copies* h, uint32_t page) {
  if (h->count == 0 || h->copy_of[page] == 0) return WL_NONE;
  const uint32_t at = h->copy_of[page] - 1;
  struct wl_host_copy* copy = &h->copy[at];
  if (copy->page != page || copy->life != h->life || copy->state != WL_COPY_HERE) return WL_NONE;
  copy->used = true;
  return at;
}

void wl_host_copy_changed(struct wl_host_copies* h, uint32_t page) {
  if (h->room == 0 || h->copy_of[page] == 0) return;
  struct wl_host_copy* copy = &h->copy[h->copy_of[page] - 1];
  h->copy_of[page] = 0;
  if (copy->page == page && !moves(copy)) copy->state = WL_COPY_FREE; /* else of an earlier life, or on its way */
}

uint32_t wl_host_copy_place(struct wl_host_copies* h, uint32_t page) {
  const uint32_t looks = h->count < LOOKS ? h->count : LOOKS;
  uint32_t found = WL_NONE;
  for (uint32_t i = 0; i != looks; ++i) {
    const uint32_t at = h->hand;
    struct wl_host_copy* copy = &h->copy[at];
    if (++h->hand == h->count) h->hand = 0;
    if (moves(copy)) continue;
    found = at;
    if (copy->life != h->life || copy->state == WL_COPY_FREE || !copy->used) break;
    copy->used = false;
  }
  if (found == WL_NONE) return WL_NONE;
  struct wl_host_copy* copy = &h->copy[found];
  *copy = (struct wl_host_copy){page, h->life, WL_COPY_STORES, false};
  h->copy_of[page] = found + 1;
  ++h->moves;
  return found;
}

void wl_host_copy_fetch(struct wl_host_copies* h, uint32_t host_page) {
  h->copy[host_page].state = WL_COPY_FETCHES;
  ++h->moves;
}

bool wl_host_copy_moved(struct wl_host_copies* h, uint32_t host_page, bool good) {
  struct wl_host_copy* copy = &h->copy[host_page];
  const bool right = good && wl_host_copy_is_current(h, host_page);
  --h->moves;
  copy->state = right ? WL_COPY_HERE : WL_COPY_FREE;
  if (!right && wl_host_copy_is_current(h, host_page)) h->copy_of[copy->page] = 0;
  return right;
}
