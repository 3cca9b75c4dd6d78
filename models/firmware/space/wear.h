/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Erase counts of superblocks. With dynamic wear levelling (ftl.wear_levelling) the free superblock that was erased
 * least is used first; among equals, and without it, the one that has been free longest. Data that are never written
 * again keep their superblocks, unless it is static (upkeep.h). Also what is counted by placement handle.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_WEAR_H
#define WORDLINE_FIRMWARE_SPACE_WEAR_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_wear_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_wear_boot(struct wl_firmware* fw);
/* A superblock of a drive that was in use before; then, that this was the last one. */
void wl_wear_found(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t erases);
/* The same, of which less may have been found before. */
void wl_wear_found_more(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t erases);
void wl_wear_all_found(struct wl_firmware* fw);
void wl_wear_erased(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_wear_retired(struct wl_firmware* fw, wl_superblock_t superblock);
uint32_t wl_wear_of(const struct wl_firmware* fw, wl_superblock_t superblock);
/* What is counted of a handle, or WL_HANDLE_SHARED. */
struct wl_handle_statistics* wl_handle_statistics(struct wl_firmware* fw, uint32_t handle);

#endif
