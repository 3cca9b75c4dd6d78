/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The lists of free superblocks, one for each region.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_FREE_SUPERBLOCKS_H
#define WORDLINE_FIRMWARE_SPACE_FREE_SUPERBLOCKS_H

#include "models/firmware/context.h"

struct wl_region;

void wl_free_insert(struct wl_firmware* fw, wl_superblock_t superblock);
/* The last; WL_NONE. */
WL_MUST_CHECK wl_superblock_t wl_free_take_last(struct wl_firmware* fw, struct wl_region* region);
WL_MUST_CHECK wl_superblock_t wl_free_take(struct wl_firmware* fw,
                                           struct wl_region* region); /* the first; WL_NONE: there is none */

#endif
