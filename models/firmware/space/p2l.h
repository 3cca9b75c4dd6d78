/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With ftl.recovery: what the spare records of an open superblock say, as its closing record will have it
 * (contract/closing.h). A superblock is noted from its first unit on; where no table is free then, or it was begun
 * before the last mount, or it is closed before it is full, it gets no record, and a mount reads its pages.
 *
 * Costs: eight bytes of DRAM for each logical page of the superblocks that may be open, and of two whose records are
 * being programmed.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_P2L_H
#define WORDLINE_FIRMWARE_SPACE_P2L_H

#include "models/firmware/context.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/arena.h"

void wl_p2l_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_p2l_boot(struct wl_firmware* fw);
/* A unit is placed at `ppa`; the records of its slots. */
void wl_p2l_note(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info);

/* A program of the superblock has failed: a record would say what is not there. */
void wl_p2l_void(struct wl_firmware* fw, wl_superblock_t superblock);

/* ---- the record: all data programs of the superblock have ended ---- */
/* A superblock that waits for its record, or WL_NONE. It stays closing until wl_superblock_recorded(). */
wl_superblock_t wl_p2l_next(const struct wl_firmware* fw);
/* Logical page `page` of its record, from `version` on complete. */
void* wl_p2l_page(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t page);
void wl_p2l_complete(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t version);
/* It has its record, or never will: for wl_superblock_recorded(). */
void wl_p2l_recorded(struct wl_firmware* fw, wl_superblock_t superblock);
/* Whether these bytes are a whole page of a record of the superblock; what follows its head is in `copy` then. */
WL_MUST_CHECK bool wl_p2l_sound(const struct wl_firmware* fw, const void* page, wl_superblock_t superblock,
                                struct wl_slot_info* copy);

/* ---- for the life of a superblock ---- */
/* It is full, all its data are on flash: it waits for its record. False: it gets none. */
WL_MUST_CHECK bool wl_p2l_closes(struct wl_firmware* fw, wl_superblock_t superblock);

#endif
