/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The life of a superblock, for the other files of this room; space.h has what the other rooms see of it. Free, open,
 * closing, closed, victim, draining, erasing, and free again or retired: life.c alone changes the state, and puts the
 * superblock on the list of the state that it enters. The lists call nothing of this.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_LIFE_H
#define WORDLINE_FIRMWARE_SPACE_LIFE_H

#include <stdbool.h>

#include "models/firmware/context.h"

struct wl_region;

/* Whose data a stream has: wl_superblock.handle of its open superblocks. */
uint8_t wl_handle_of_stream(const struct wl_firmware* fw, uint32_t stream);
void wl_superblock_free(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_retire(struct wl_firmware* fw, wl_superblock_t superblock);
/* Takes a free superblock of the region, which is open and empty from now on; WL_NONE: none. `most_worn`: the last one
 * in their order, else the first. */
WL_MUST_CHECK wl_superblock_t wl_superblock_use(struct wl_firmware* fw, struct wl_region* region, bool most_worn);
/* It is no write point's any more: closed when its programs have ended. */
void wl_superblock_is_full(struct wl_firmware* fw, wl_superblock_t superblock);
/* At boot, of a drive that was in use before. */
void wl_superblock_found_open(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid, uint32_t units);
/* ... with nothing valid in it: it is erased. */
void wl_superblock_found_stale(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_found_closed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid, bool bad);

#endif
