/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where there are two page sizes: the map of what lies in the smaller pages, a sector each, beside the map by pages
 * (pages.h) of what lies in the larger ones. A bit for each sector says which of the two has it; the bits of a page
 * that say otherwise leave holes in it. Source: the region bit table of Kim et al., TVLSI 2016, section IV-B.
 *
 * Costs: a bit and 4 bytes for a sector.
 */
#ifndef WORDLINE_FIRMWARE_MAP_SMALL_PAGES_H
#define WORDLINE_FIRMWARE_MAP_SMALL_PAGES_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_map_small_layout(struct wl_firmware* fw, struct wl_arena* dram);

static inline bool wl_map_in_small(const struct wl_firmware* fw, uint32_t lpn) {
  return fw->map.in_small != NULL && (fw->map.in_small[lpn / 32] >> lpn % 32 & 1) != 0;
}
/* wl_map value of a sector in a small page. */
static inline uint32_t wl_map_small(const struct wl_firmware* fw, uint32_t lpn) { return fw->map.small_l2p[lpn]; }

/* It lies there from now on, in no larger page. */
void wl_map_small_enter(struct wl_firmware* fw, uint32_t lpn, uint32_t value);
/* The small page holds it no more. */
void wl_map_small_leave(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn);
/* A unit of the host is programmed: returns how many of its sectors are valid. */
uint32_t wl_map_commit_small(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t unit);
/* Sector whose valid data lie in the small page at `ppa`, or WL_NONE. */
uint32_t wl_map_small_at(const struct wl_firmware* fw, uint32_t ppa);

#endif
