/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mount of a drive with parity over dies (space/stripes.h), where it reads pages.
 *
 * A row knows by itself what it is: the spare records of all its units, XORed, are zero where the parity is there and
 * says what they say. Then what could not be read, or is blank, is no member of it. Where they are not zero and one
 * unit could not be read, they are what that unit says: it is read from the others, and its logical pages are found
 * there. A row that had no parity yet when power failed gets it from what can be read, before the host is let in.
 *
 * A die that answers none of the reads of a mount has failed: what it held is read from the others, and it is left out
 * from then on (space/dead_die.h). Whether the rows of a superblock leave it out already, they say, too.
 *
 * Known gaps: what a row without parity holds on a die that fails between the cut and the end of the mount is lost; a
 * drive with power.hold_up has none. A row whose parity was cut in its pulses stays without one until its superblock is
 * emptied. With two dead dies nobody can say which copy of a logical page is the newest: all are lost.
 *
 * Costs: 24 bytes of DRAM for each row of each superblock.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_ROWS_H
#define WORDLINE_FIRMWARE_PERSIST_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/arena.h"

struct wl_lane;
void wl_rows_layout(struct wl_firmware* fw, struct wl_arena* dram);
/* Nothing is known of any row. */
void wl_rows_begin(struct wl_firmware* fw);

/* ---- dies that may have failed: before any other page is read by records ---- */
void wl_die_answers(struct wl_firmware* fw, uint32_t die);
void wl_probes_begin(struct wl_firmware* fw);
/* All has been read. True: some block could not be read at all: its die is asked once more, whether it has failed
 * meanwhile, or the block was being erased. */
WL_MUST_CHECK bool wl_probes_again(struct wl_firmware* fw);
/* True: it is known which die has failed, if one has. */
WL_MUST_CHECK bool wl_probes_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_probe_done(struct wl_firmware* fw, bool ok);

/* ---- pages of superblocks without a closing record ---- */
/* Nothing of this block is read now. */
bool wl_rows_skip(const struct wl_firmware* fw, uint32_t block);
/* The first page of a block with parity has been read, or could not be. */
void wl_rows_peeked(struct wl_firmware* fw, const struct wl_lane* lane, const struct wl_slot_info* info, bool ok);
/* It is not there: of the superblock's copies those elsewhere count, where they are as new. */
bool wl_rows_yield(const struct wl_firmware* fw, wl_superblock_t superblock);
/* The lane's page of all planes has been read, or could not be. Returns whether its records say what the host has
 * written. */
WL_MUST_CHECK bool wl_row_read(struct wl_firmware* fw, struct wl_lane* lane, const struct wl_slot_info* info, bool ok,
                               bool written);
/* All have been read. Rows of data are zero in sum without the last die: it was given up though it answers, and their
 * parity has been taken for data. */
bool wl_rows_name_the_last_die(const struct wl_firmware* fw);
/* True: some are to be read again. */
WL_MUST_CHECK bool wl_rows_read(struct wl_firmware* fw);

/* ---- what rows lack; `index`: of a lane ---- */
WL_MUST_CHECK bool wl_rows_rebuild_step(struct wl_firmware* fw, const struct wl_hal* hal); /* true: all is read */
void wl_row_rebuild_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok);
/* Of the superblock: units of data up to the last row in which something is not blank. */
uint32_t wl_rows_units(const struct wl_firmware* fw, wl_superblock_t superblock);
/* It may be written on: no row of it that has its parity has blank units. */
bool wl_rows_go_on(const struct wl_firmware* fw, wl_superblock_t superblock);

/* ---- rows that were open ---- */
void wl_rows_padded(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit);
WL_MUST_CHECK bool wl_rows_parity_step(struct wl_firmware* fw, const struct wl_hal* hal); /* true: all have it */
void wl_rows_parity_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok);

#endif
