/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The SLC cache (ftl.slc_cache, docs/slc_cache.md): superblocks that the host's data fill with one bit a cell, faster
 * than others and with as many times less room as a cell has bits. All else (copies of GC, and the host's data when
 * there is no room in the cache) goes to superblocks with all bits a cell.
 *
 * What the cache holds is folded, that is moved to such superblocks, while the host is silent (ftl.idle_after), oldest
 * first. While it writes, GC does: a superblock of the cache has the fewest valid logical pages. One that holds nothing
 * valid any more, since the host has written it all anew, is erased at once, however much room there is: else the cache
 * would stay full of it.
 *
 * A unit of the cache is the first page of a word line, in all planes; its PPAs are those that the page would have in
 * another superblock, and those behind it hold nothing. So superblocks, map and mover need not know the mode.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_SLC_CACHE_H
#define WORDLINE_FIRMWARE_SPACE_SLC_CACHE_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/space/plan.h"
#include "models/firmware/space/space.h"

static inline bool wl_has_slc_cache(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.slc_cache.superblocks != 0, 0);
}
/* Whether the host's units of this stream go to the cache. */
static inline bool wl_stream_is_slc(const struct wl_firmware* fw, uint32_t stream) {
  return wl_has_slc_cache(fw) && stream == wl_plan(fw)->slc_stream;
}

/* Superblocks that it may open now. */
uint32_t wl_slc_cache_may_open(const struct wl_firmware* fw);
/* Room for one more unit beside those that are promised: a superblock is open, or may be opened. */
bool wl_slc_cache_takes(const struct wl_firmware* fw);
/* A unit of the cache waits for its place, until wl_superblock_place_unit or wl_slc_cache_gives_up. */
void wl_slc_cache_promises(struct wl_firmware* fw);
void wl_slc_cache_gives_up(struct wl_firmware* fw);

void wl_slc_cache_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* ---- for the life of a superblock ---- */
void wl_slc_cache_opened(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_slc_cache_left(struct wl_firmware* fw, wl_superblock_t superblock); /* it is free, or retired */

/* ---- for the mover ---- */
/* A superblock that holds nothing valid; else, if the host is silent, the one to be folded next. WL_NONE: none. */
WL_MUST_CHECK wl_superblock_t wl_slc_cache_victim(struct wl_firmware* fw);

#endif
