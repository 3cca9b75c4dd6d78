/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map, sector to PPA, and its inverse (contract/map.h): the only room that writes them. Whatever an entry pointed
 * to so far is released here: a slot of the write buffer, or one valid sector of a superblock. A PPA holds valid data
 * exactly when the map points to it; the inverse only names the candidate.
 */
#ifndef WORDLINE_FIRMWARE_MAP_MAP_H
#define WORDLINE_FIRMWARE_MAP_MAP_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

/* The map unit is the page of a plane: see pages.h, whose functions those below call. */
static inline bool wl_maps_pages(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.map_page != 0, 0);
}
uint32_t wl_map_get_in_page(const struct wl_firmware* fw, uint32_t lpn);

void wl_map_layout(struct wl_firmware* fw, struct wl_arena* dram);
void wl_map_boot(struct wl_firmware* fw, const struct wl_hal* hal);

static inline uint32_t wl_map_get(const struct wl_firmware* fw, uint32_t lpn) { /* the initial value resolved */
  if (wl_maps_pages(fw)) return wl_map_get_in_page(fw, lpn);
  return wl_map_resolve(fw->map.l2p[lpn], lpn, fw->boot.preconditioned);
}
static inline bool wl_map_is_zero(uint32_t value) { return value == WL_MAP_DEALLOCATED; } /* reads as zeros */
/* Sector whose valid data lie at `ppa`, or WL_NONE. */
uint32_t wl_map_valid_owner(const struct wl_firmware* fw, uint32_t ppa);

/* Its data have arrived. */
void wl_map_set_buffer(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot);
void wl_map_set_gone(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn,
                     uint32_t value); /* deallocated or lost */
/* The sector at `ppa` could not be read: lost, if it is still valid. */
void wl_map_lose(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t ppa);
/* A unit of the host is programmed: returns how many of its sectors are valid. */
uint32_t wl_map_commit_unit(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t unit);
/* A copy of the sector is programmed. True: it is the valid one now, else the sector has changed meanwhile. */
bool wl_map_move(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t from, uint32_t to);
void wl_map_pad(struct wl_firmware* fw, uint32_t ppa, uint32_t count); /* nothing lies there */

#endif
