/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks as a mount finds them on flash.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_FOUND_H
#define WORDLINE_FIRMWARE_SPACE_FOUND_H

#include <stdbool.h>

#include "models/firmware/context.h"

/* While spare records are read: one valid logical page more in it, or less. */
void wl_superblock_found_more(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_found_less(struct wl_firmware* fw, wl_superblock_t superblock);
/* A program of the mount has failed in it: it is retired when nothing valid is left in it. */
void wl_superblock_found_bad(struct wl_firmware* fw, wl_superblock_t superblock);
/* All are read again: no valid data so far. */
void wl_superblocks_forget(struct wl_firmware* fw);
/* All have been read. Each superblock is one of these; `units`: those that are not blank, and all before them. */
void wl_superblock_found_blank(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_found_used(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_found_unfinished(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t stream,
                                    uint32_t units);
void wl_superblocks_all_found(struct wl_firmware* fw);
/* Until then nothing is collected. */
bool wl_superblocks_mounting(const struct wl_firmware* fw);

#endif
