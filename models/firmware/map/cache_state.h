/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the cache of map pages: for cache.c, cache_flash.c and cache_host.c.
 */
#ifndef WORDLINE_FIRMWARE_MAP_CACHE_STATE_H
#define WORDLINE_FIRMWARE_MAP_CACHE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/counters.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/host_copies.h"

enum wl_frame_state { WL_FRAME_FREE, WL_FRAME_LOADS, WL_FRAME_HERE };
struct wl_frame {
  uint32_t page;
  uint32_t pins;
  uint8_t state;   /* wl_frame_state */
  bool used;       /* since the hand has passed it */
  bool changed;    /* since it was loaded, or its last write began */
  bool is_written; /* its slot waits for its program, or is programmed */
};

struct wl_map_mount { /* cache_mount.c */
  uint32_t next;      /* map page to be looked at; WL_NONE: it is over */
  uint32_t* closed;   /* by superblock: wl_map_superblock_closed */
};

struct wl_map_cache {
  struct wl_map_cache_statistics statistics; /* first: wl_tables names it */
  uint32_t frames;
  uint32_t page_shift; /* entries of a map page: 1 << page_shift */
  uint32_t loads_most; /* at a time, a slot each */
  wl_slot_t slot0;     /* of these */
  struct wl_frame* frame;
  uint32_t* frame_of; /* by map page: frame + 1; 0: none */
  uint32_t* last;     /* by map page: the last of a ring of who waits for it, + 1; 0: nobody */
  uint32_t* next;     /* by who waits: the next of its ring, or of those that are ready */
  uint8_t* pin;       /* by who waits, or is ready: wl_map_pin */
  uint32_t* wanted;   /* map pages that want a frame, in order: a ring */
  uint32_t wanted_mask, wanted_in, wanted_out;
  uint32_t* loading; /* by slot of a load: its map page; WL_NONE: free */
  struct wl_map_late* late;
  uint32_t hand;        /* of CLOCK */
  uint32_t free, clean; /* frames: without a map page; not changed, nor written */
  uint32_t under_way;   /* frames that are written */
  uint32_t granted;     /* commands with a pin */
  struct wl_map_mount mount;
  uint32_t fetches;                 /* of copies in host memory, under way */
  uint32_t ready_first, ready_last; /* WL_NONE: nobody */
  struct wl_host_copies copies;
};

static inline uint32_t wl_map_page_of(const struct wl_map_cache* c, wl_lpn_t lpn) { return lpn >> c->page_shift; }
/* The frame with the map page; null: it is not there, or is being loaded. */
static inline struct wl_frame* wl_frame_here(const struct wl_map_cache* c, uint32_t page) {
  struct wl_frame* frame = c->frame_of[page] == 0 ? NULL : &c->frame[c->frame_of[page] - 1];
  return frame != NULL && frame->state == WL_FRAME_HERE ? frame : NULL;
}
/* Who waits for the map page goes on. */
void wl_map_page_came(struct wl_firmware* fw, uint32_t page);

#endif
