/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the host's writes and GC keep step (ftl.gc_pacing), so that neither runs ahead and makes the other wait for a
 * whole superblock: one signed counter of copies that GC owes, and proportional control on the room that is left.
 *
 * Each logical page of the host that is placed owes c = v / (L - v) copies, as many as it takes to win one logical page
 * back from victims of L logical pages with v of them valid; v is that of the last victim. The counter locks both ways:
 * GC copies while copies are owed, and the host places while fewer than a lead of some units a die are.
 *
 * Room is what holds nothing, or will when what is under way has ended: free superblocks and those in erase, the rest
 * of open ones, the part of the victim that has been copied. It is held at `ftl.gc_start_superblocks`, and half a
 * superblock for each open one beyond two: the copies owed are multiplied by
 * 1 + ftl.pace.gain x (what is missing, in superblocks), from 0 to 8. So the room, and with it write
 * amplification, is the same at any load.
 *
 * While no command is under way GC goes on without being owed anything until there is that much room, and the copies
 * are paid ahead: the counter falls below zero, by a lead at most. In a silence that ftl.idle_after has found, and when
 * no superblock is free beyond the reserve, it copies at full speed.
 *
 * The hard stop behind it is the policy's: no superblock, no place.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_PACE_H
#define WORDLINE_FIRMWARE_SPACE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/space/space.h"

/* Whether the host may place a unit now, for policies. False: copies that are taken up, or what ends the shortage,
 * kick. Where no copies come (WL_HOLD_COPIES, nothing to gain) it may use up its open superblock. */
bool wl_pace_places(const struct wl_firmware* fw);
/* Whether GC may take up logical pages to copy. False: what the host places, or its idleness, kicks. */
WL_MUST_CHECK bool wl_pace_copies(struct wl_firmware* fw);
void wl_pace_copies_taken(struct wl_firmware* fw, uint32_t lpages);
/* GC has taken `superblock` as victim; `wins`: for the room that it gives, which is what copies cost from here on. */
void wl_pace_victim_taken(struct wl_firmware* fw, wl_superblock_t superblock, bool wins);
/* ... for another reason than GC's, which the host does not pay for, nor wait for. */
void wl_pace_victim_apart(struct wl_firmware* fw);
/* No command is under way. */
void wl_pace_host_idles(struct wl_firmware* fw);
bool wl_pace_copies_wait(const struct wl_firmware* fw);
static inline void wl_pace_host_idle(struct wl_firmware* fw) {
  if (wl_pace_copies_wait(fw)) wl_pace_host_idles(fw);
}
/* The host's data got no place. If that is for lack of a superblock, GC need not be owed copies until they have one. */
void wl_pace_host_lacks(struct wl_firmware* fw);
/* GC has no victim, and needs none: nothing more comes of what is owed, the host does not wait for it. */
void wl_pace_gc_rests(struct wl_firmware* fw);
/* Somebody waits for GC, whether the host pays for its copies or not. */
void wl_pace_hurry(struct wl_firmware* fw);
/* Collecting gains nothing: the host may use up its open superblock. */
void wl_pace_give_up(struct wl_firmware* fw);
/* Logical pages of room that GC holds, and that there are. */
uint32_t wl_pace_target(const struct wl_firmware* fw);
uint32_t wl_pace_room(const struct wl_firmware* fw);

/* ---- for the life of a superblock ---- */
void wl_pace_boot(struct wl_firmware* fw);
void wl_pace_host_placed(struct wl_firmware* fw);

#endif
