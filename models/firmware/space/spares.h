/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Spare blocks (contract/spare_blocks.h): what the firmware keeps of them. A block that has failed still holds data of
 * its superblock; so a spare is promised to the superblock at once, and takes the block's place when the superblock is
 * erased.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_SPARES_H
#define WORDLINE_FIRMWARE_SPACE_SPARES_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_spares_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_spares_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* Blocks of `superblock` have failed, in `planes` of `die` (bits): each gets a spare. False: one of them gets none. */
WL_MUST_CHECK bool wl_spares_promise(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t planes);
bool wl_spares_promised(const struct wl_firmware* fw, wl_superblock_t superblock);
/* Nothing of the superblock is in use: the spares promised to one of its dies take their places. Returns the die. */
uint32_t wl_spares_replace(struct wl_firmware* fw, wl_superblock_t superblock);
/* Spare `k` is bad, in `planes` of `die`. */
void wl_spares_bad(struct wl_firmware* fw, uint32_t die, uint32_t planes, uint32_t k);
/* The superblock needs them no more: it is retired. */
void wl_spares_give_back(struct wl_firmware* fw, wl_superblock_t superblock);

#endif
