/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Closing records (contract/closing.h): programmed when all data of their superblock are on flash, one unit of one
 * superblock at a time, in slots of their own; read by a mount, superblock by superblock over all dies at once.
 *
 * A record counts when each of its logical pages can be read, fits its CRC and its sum, and all have one version; else
 * the mount reads all pages of the superblock. It names only what is there: it is programmed behind all of it, and an
 * erase begins with the block that has its first page, alone.
 *
 * Costs: DRAM for a page of flash a lane of the mount, a logical page of tightly coupled memory.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_CLOSING_H
#define WORDLINE_FIRMWARE_PERSIST_CLOSING_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_closing_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);

/* ---- the drive is at work ---- */
/* False: no superblock waits for its record. */
WL_MUST_CHECK bool wl_closing_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_closing_programmed(struct wl_firmware* fw, wl_superblock_t superblock, bool ok);

/* ---- mount ---- */
void wl_closings_begin(struct wl_firmware* fw);
/* True: all records have been read; those whose superblock has one have all rows in wl_persist.rows, others none. */
WL_MUST_CHECK bool wl_closings_read(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_closing_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok);

#endif
