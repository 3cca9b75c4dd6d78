/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Closed superblocks in buckets by valid logical pages, for policies that collect the emptiest first (with the victim
 * selector there are no buckets), and in the order in which they were closed, for policies that collect the oldest.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_CLOSED_SUPERBLOCKS_H
#define WORDLINE_FIRMWARE_SPACE_CLOSED_SUPERBLOCKS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_closed_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_closed_boot(struct wl_firmware* fw);
void wl_closed_insert(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_closed_remove(struct wl_firmware* fw, wl_superblock_t superblock);
/* The superblock, closed, has one valid logical page less. */
void wl_closed_emptier(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock);
WL_MUST_CHECK wl_superblock_t wl_closed_emptiest(struct wl_firmware* fw); /* of the first region; WL_NONE: none */
WL_MUST_CHECK wl_superblock_t wl_closed_emptiest_small(struct wl_firmware* fw);
/* The one that has been longest in the next bucket, with more valid logical pages than `superblock`; WL_NONE: none. */
wl_superblock_t wl_closed_next_emptiest(const struct wl_firmware* fw, wl_superblock_t superblock);
/* The one that was closed first and is not full of valid logical pages; WL_NONE: none. For plans by age. */
wl_superblock_t wl_closed_oldest(const struct wl_firmware* fw);

#endif
