/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks as a mount finds them on flash.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_FOUND_H
#define WORDLINE_FIRMWARE_SPACE_FOUND_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/space/superblock.h"

/* While spare records are read: so many valid logical pages more in it, or one less. */
void wl_superblock_found_more(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t lpages);
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

/* Of one that is closed: `units` have been placed in it, in order. */
void wl_superblock_found_filled(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t units);

/* What keeps GC from victims, and the drive from new superblocks. */
enum wl_hold {
  WL_HOLD_NONE,
  WL_HOLD_VICTIMS, /* no other victim is taken: the drive is being shut down */
  WL_HOLD_COPIES,  /* nothing is copied or erased as long as the host's data have a place: power has failed */
  WL_HOLD_MOUNT,   /* a mount has not found all yet: nothing is collected */
  WL_HOLD_SEALED,  /* a checkpoint on flash says what there is: nothing is programmed or erased before it is opened */
};
/* A mount has not found all yet. */
bool wl_superblocks_unknown(const struct wl_firmware* fw);
/* A mount has found all; what is held from then on. */
void wl_superblocks_all_found(struct wl_firmware* fw, enum wl_hold hold);
void wl_superblocks_hold(struct wl_firmware* fw, enum wl_hold hold);
/* No other victim. */
bool wl_superblocks_resting(const struct wl_firmware* fw);
/* Nothing is collected. */
bool wl_superblocks_held(const struct wl_firmware* fw);
bool wl_superblocks_sealed(const struct wl_firmware* fw);
/* The host's data wait for what GC wins: what holds it is to end, where it can. */
void wl_space_host_waits(struct wl_firmware* fw);
/* It has waited since GC has taken its last victim. */
bool wl_space_host_is_stuck(const struct wl_firmware* fw);
/* No write is taken up, or they are again; what has begun goes on. */
void wl_space_gate(struct wl_firmware* fw, bool shut);
/* Power has failed: no write is taken up any more, and GC rests if it can. */
void wl_space_power_fails(struct wl_firmware* fw);

/* ---- a checkpoint: at rest, no program is under way, and no superblock between closed and free ---- */
/* A free superblock that no stream has, and nobody collects; WL_NONE: none is free. It comes back by
 * wl_superblock_found_used(). */
WL_MUST_CHECK wl_superblock_t wl_superblock_lay_aside(struct wl_firmware* fw);
/* The open superblock of `stream` that it has had longest is its no more, and comes back by
 * wl_superblock_found_unfinished(); others are closed. WL_NONE: none is open. */
WL_MUST_CHECK wl_superblock_t wl_superblock_lay_by(struct wl_firmware* fw, uint32_t stream);
/* As a checkpoint says: free, open, but of no stream, closed, or retired. */
void wl_superblock_found_again(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_superblock_state state,
                               uint32_t valid, uint32_t units);

#endif
