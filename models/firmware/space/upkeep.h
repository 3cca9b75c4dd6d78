/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks whose data are moved for another reason than what an erase of them wins (docs/wear.md):
 *   reclaim  it was read ftl.read_reclaim times, or a read of the host met ftl.reclaim_errors
 *   refresh  its data are ftl.refresh_after old, or a read of the patrol met ftl.reclaim_errors
 *   wear     static wear levelling: it was erased ftl.wear_levelling_gap times less than another
 * Only closed superblocks are moved: what is due of an open one is seen when it is closed, or at the next visit.
 *
 * Reads are those that the firmware sends: one for each flash job, whatever retries it takes. Of a superblock they are
 * counted together, as if all went to one of its blocks. Counts of reads and ages lie in memory alone: after a mount
 * they begin anew. Erase counts outlive a cut (contract/closing.h).
 */
#ifndef WORDLINE_FIRMWARE_SPACE_UPKEEP_H
#define WORDLINE_FIRMWARE_SPACE_UPKEEP_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/contract/observation.h"
#include "models/firmware/core/arena.h"

void wl_upkeep_layout(struct wl_firmware* fw, struct wl_arena* tcm);

/* ---- for the life of a superblock ---- */
void wl_upkeep_found(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_upkeep_opened(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_upkeep_closed(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_upkeep_taken(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_upkeep_read(struct wl_firmware* fw, wl_superblock_t superblock); /* with ftl.read_reclaim */
void wl_upkeep_erased(struct wl_firmware* fw);                           /* with static wear levelling */

/* ---- for the mover ---- */
/* Something may have to be moved. */
bool wl_upkeep_wanted(const struct wl_firmware* fw);
/* Something waits that cannot wait for GC's pace: reclaim or refresh. */
bool wl_upkeep_waits(const struct wl_firmware* fw);
/* The superblock that is to be moved now, and why; WL_NONE: none. `collecting`: GC wants victims, too. */
WL_MUST_CHECK wl_superblock_t wl_upkeep_victim(struct wl_firmware* fw, const struct wl_hal* hal, bool collecting,
                                               enum wl_move_reason* reason);
/* A victim was taken. */
void wl_upkeep_counts(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_move_reason reason);

/* ---- what was measured ---- */
/* A read has corrected so many bits of its worst codeword. Only with ftl.reclaim_errors. */
void wl_upkeep_measured(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t bits, enum wl_move_reason reason);
/* ... or none: there were too many errors. */
void wl_upkeep_failed(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_move_reason reason);

/* ---- for the patrol ---- */
void wl_upkeep_tick(struct wl_firmware* fw);
/* The next closed superblock of the round whose data are not due by their age; WL_NONE: the next one is no such. */
WL_MUST_CHECK wl_superblock_t wl_upkeep_visit(struct wl_firmware* fw, uint32_t* round);

#endif
