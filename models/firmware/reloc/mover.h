/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mover: reads the valid logical pages of a superblock into the units of GC, repoints the map where it still points
 * to the old PPA, and releases the superblock for its erase when nothing of it is left. One superblock is read at a
 * time; units mix logical pages of several. The caller (reloc/gc.c) chooses the superblock, and says why.
 *
 * Its pace: for GC, that of the host (space/pace.h). For any other reason one unit at a time, so that a command finds
 * one program of it in its way; while GC wants victims, what the host pays for beside that; while superblocks are
 * short, as fast as it goes. Where programs of a word line wait for each other there is no such limit. A reclaim or a
 * refresh that waits for the end of a victim of GC lends that one its pace.
 *
 * A logical page that cannot be read is marked lost: later reads of it end with an error.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_MOVER_H
#define WORDLINE_FIRMWARE_RELOC_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/contract/observation.h"

enum wl_progress { WL_MORE, WL_WAIT, WL_SCANNED };

bool wl_mover_busy(const struct wl_firmware* fw);
/* While the host is silent and nothing is to be collected: moves what the policy wants elsewhere, run by run. Of full
 * units one is programmed at a time, so that a command which comes finds no more of them in its way. What does not fill
 * a unit waits in it. False: nothing to do, or not now. */
WL_MUST_CHECK bool wl_mover_idle(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_mover_boot(struct wl_firmware* fw);
void wl_mover_begin(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock,
                    enum wl_move_reason reason);
/* Goes on with the superblock; WL_SCANNED: done with it. */
WL_MUST_CHECK enum wl_progress wl_mover_step(struct wl_firmware* fw, const struct wl_hal* hal);

/* ---- for the dispatcher ---- */
void wl_mover_scanned(struct wl_firmware* fw); /* the scan engine has answered */
void wl_mover_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok);
/* programmed.c */
void wl_mover_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit, wl_superblock_t superblock);
/* The same with a cached map. False: slots of it wait for map pages (map/cache.h); when they have come, for each: */
WL_MUST_CHECK bool wl_mover_programmed_cached(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
void wl_mover_slot_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit, wl_slot_t slot);
/* ... and when none is left: */
void wl_mover_unit_ends(struct wl_firmware* fw, wl_unit_t unit, wl_superblock_t superblock);

#endif
