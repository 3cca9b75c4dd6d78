/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the host's writes and GC keep step (ftl.gc_pacing), so that neither runs ahead and makes the other wait for a
 * whole superblock. The number of free superblocks decides which of them follows:
 *
 * More than the reserve, but so few that the policy collects: GC follows. Each logical page of the host that is
 * placed pays for v / (L - v) copies, as many as it takes to win one logical page back from victims with v of L logical
 * pages valid. While the host is idle GC goes on without pay.
 *
 * No more than the reserve: the host follows. It has the rest of its open superblock until the next one must be free,
 * and GC has so many copies to make until then: each copy pays for that share of the rest, once for a logical page to
 * be accepted, once for a logical page to be placed.
 *
 * The hard stop behind it is the policy's: no superblock, no place.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_PACE_H
#define WORDLINE_FIRMWARE_SPACE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/space/space.h"

/* Whether the host may place a unit now, for policies. False: copies, or what ends the shortage, kick. While copies are
 * held back (WL_HOLD_COPIES) nothing pays, and it may use up its open superblock. */
bool wl_pace_places(const struct wl_firmware* fw);
bool wl_pace_host_follows(const struct wl_firmware* fw);
/* Where the host follows: whether it may fill a slot now; that it does, at a price in eighths of a logical page. */
#define WL_PACE_LPAGE 4096 /* of credit: a copy pays for less than a logical page */
bool wl_pace_accepts(const struct wl_firmware* fw);
void wl_pace_accepted(struct wl_firmware* fw, uint32_t eighths);
/* Whether GC may take up logical pages to copy. False: what the host places, or its idleness, kicks. */
WL_MUST_CHECK bool wl_pace_copies(struct wl_firmware* fw);
void wl_pace_copies_taken(struct wl_firmware* fw, uint32_t lpages);
void wl_pace_copies_made(struct wl_firmware* fw, uint32_t lpages); /* read; their program waits for nothing else */
void wl_pace_unit_moved(struct wl_firmware* fw);                   /* programmed: what is left to do is less */
/* No command is under way. */
void wl_pace_host_idles(struct wl_firmware* fw);
bool wl_pace_copies_wait(const struct wl_firmware* fw);
static inline void wl_pace_host_idle(struct wl_firmware* fw) {
  if (wl_pace_copies_wait(fw)) wl_pace_host_idles(fw);
}
/* Collecting gains nothing: the host may use up its open superblock. */
void wl_pace_give_up(struct wl_firmware* fw);

/* ---- for the life of a superblock ---- */
void wl_pace_host_opened(struct wl_firmware* fw);
void wl_pace_host_placed(struct wl_firmware* fw);

#endif
