/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With parity over dies: a die that fails as a whole. One whose jobs fail WL_DIE_STRIKES times, none succeeding in
 * between and each time in another superblock than before, is given up: no read of it is sent any more, erases leave it
 * out, and so do the rows of all superblocks opened from then on (stripes.h). The open ones are closed, with the parity
 * of what they hold; where superblocks are short they go on instead, and programs that fail in the die are repeated
 * elsewhere. Superblocks that were opened before are emptied by the mover: after that each row can lose a die again.
 * Until then GC has a superblock more that the host may not open. Superblocks hold less from then on: a drive that
 * lacks the over-provisioning for that is read-only.
 *
 * A second die makes the drive read-only; what no parity brings back is an error of the reads that want it. Known gap:
 * a die is given up for good, as long as the drive runs.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_DEAD_DIE_H
#define WORDLINE_FIRMWARE_SPACE_DEAD_DIE_H

#include "models/firmware/context.h"

/* A job of the die, in the superblock, has ended. */
void wl_die_answered(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t die, wl_superblock_t superblock,
                     bool ok);
/* A mount has found that it does not answer. */
void wl_die_found_dead(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t die);
/* Somebody counts: successes are of interest. */
bool wl_die_suspected(const struct wl_firmware* fw);

/* An open superblock, of which so many units are placed, is written on though the dead die is a member of its rows. */
bool wl_goes_on_with_dead_die(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t units);

/* Superblocks are short, and not all have been written anew. As the policy chooses, by age or worth, GC may fill all
 * that is free with superblocks that were full before the die failed, and win none. */
bool wl_room_is_scarce(const struct wl_firmware* fw);
/* The closed one with the fewest valid logical pages; WL_NONE: GC wins nothing with any. A search through all. */
WL_MUST_CHECK wl_superblock_t wl_superblock_that_wins_room(const struct wl_firmware* fw);

/* A closed superblock whose rows a die is missing from, to be emptied now; `collecting`: GC wants victims, too.
 * WL_NONE: none, or not now. */
WL_MUST_CHECK wl_superblock_t wl_rebuild_victim(struct wl_firmware* fw, const struct wl_hal* hal, bool collecting);

/* A read waits for the end of a row of the superblock: if it is open it is closed now, or as soon as GC has made room.
 * The end of a row, and each erase, tells who waits. */
void wl_row_await(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_rows_await_nothing(struct wl_firmware* fw);

#endif
