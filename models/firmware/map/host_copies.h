/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Directory of the copies of map pages in host memory (NVMe Host Memory Buffer; Base Specification 2.0, 8.9): the
 * second level of the cache (cache.h). A copy is made of a map page that has not changed since flash got it, and is
 * given up with the first change, so nothing is lost with host memory. Replacement is CLOCK, which looks at 64 copies
 * at most.
 */
#ifndef WORDLINE_FIRMWARE_MAP_HOST_COPIES_H
#define WORDLINE_FIRMWARE_MAP_HOST_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/core/arena.h"
#include "models/firmware/core/hal.h"

enum wl_copy_state { WL_COPY_FREE, WL_COPY_STORES, WL_COPY_HERE, WL_COPY_FETCHES };
struct wl_host_copy { /* by host page: so many bytes as a map page has */
  uint32_t page;
  uint32_t life; /* of the buffer, in which it was made */
  uint8_t state; /* wl_copy_state */
  bool used;     /* since the hand has passed it */
};

struct wl_host_copies {
  uint32_t room;  /* host pages that the directory has room for; 0: the drive has no use for host memory */
  uint32_t count; /* host pages that the host has given; 0: none */
  uint32_t life;  /* how often the host has given or taken them */
  uint32_t moves; /* copies on their way */
  uint32_t hand;
  struct wl_host_copy* copy;
  /* By map page: host page + 1, if the copy there is of this map page; 0: none, or the map page has changed since. */
  uint32_t* copy_of;
};

void wl_host_copies_layout(struct wl_host_copies* h, struct wl_arena* dram, uint32_t room, uint32_t map_pages);
/* The host has given so many pages, or (0) has taken back what it gave. What was there is forgotten. */
void wl_host_copies_given(struct wl_host_copies* h, uint32_t count);
/* The host page with a copy of the map page; WL_NONE: there is none. For CLOCK a use of it. */
WL_MUST_CHECK uint32_t wl_host_copy_find(struct wl_host_copies* h, uint32_t page);
/* The map page has changed. */
void wl_host_copy_changed(struct wl_host_copies* h, uint32_t page);
/* A host page for a copy that is on its way from now on; WL_NONE: there is none now. */
WL_MUST_CHECK uint32_t wl_host_copy_place(struct wl_host_copies* h, uint32_t page);
/* The copy comes back from now on. */
void wl_host_copy_fetch(struct wl_host_copies* h, uint32_t host_page);
/* Its map page has not changed since. */
static inline bool wl_host_copy_is_current(const struct wl_host_copies* h, uint32_t host_page) {
  return h->copy_of[h->copy[host_page].page] == host_page + 1;
}
/* It has arrived, here or there; `good`: and is what it was. Returns whether what has come is the map page. */
bool wl_host_copy_moved(struct wl_host_copies* h, uint32_t host_page, bool good);

#endif
