/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/pace.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

bool wl_pace_host_follows(const struct wl_firmware* fw) {
  return wl_superblocks_short(fw) && fw->boot.ftl.gc_pacing != 0 && !wl_space_view(fw)->pace.no_gain;
}

bool wl_pace_accepts(const struct wl_firmware* fw) { return wl_space_view(fw)->pace.accepting > 0; }
void wl_pace_accepted(struct wl_firmware* fw, uint32_t eighths) {
  wl_space_state(fw)->pace.accepting -= (int32_t)(eighths * (WL_PACE_LPAGE / 8));
}

bool wl_pace_copies_wait(const struct wl_firmware* fw) { return wl_space_view(fw)->pace.copies_wait; }

#define LPAGE WL_PACE_LPAGE
#define ERASE_SHARE 16u /* part of the host's superblock that it gets while the last victim is erased */
#define SHARE_BITS 19u  /* of a superblock's rest, so that it fits 32 bits as credit */

bool wl_pace_places(const struct wl_firmware* fw) {
  if (!wl_pace_host_follows(fw) || wl_space_view(fw)->held.hold == WL_HOLD_COPIES) return true;
  return wl_space_view(fw)->pace.placing >= (int32_t)(fw->geometry.unit_lpages * LPAGE);
}

/* Copies to win back a logical page that the host places, times `lpages`. */
static uint32_t copies_for(const struct wl_firmware* fw, uint32_t lpages) {
  uint32_t valid = wl_space_view(fw)->pace.victim_valid;
  uint32_t won = fw->kind[0].superblock_lpages - valid;
  while ((uint64_t)lpages * valid >> 32 != 0) { /* a division of 64 bits is long on these cores */
    valid >>= 1;
    won = (won + 1) / 2;
  }
  return lpages * valid / won;
}

void wl_pace_host_placed(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  const uint32_t unit = fw->geometry.unit_lpages;
  const uint32_t most = fw->geometry.dies * unit;
  if (wl_pace_host_follows(fw)) p->placing -= (int32_t)(unit * LPAGE);
  p->budget += copies_for(fw, unit) + 1;
  if (p->budget > most) p->budget = most;
  if (!p->copies_wait) return;
  p->copies_wait = false;
  wl_kick(fw, WL_STEP_GC);
}

bool wl_pace_copies(struct wl_firmware* fw) {
  if (fw->boot.ftl.gc_pacing == 0 || wl_space_state(fw)->pace.budget != 0 || wl_superblocks_short(fw)) return true;
  wl_space_state(fw)->pace.copies_wait = true;
  return false;
}

void wl_pace_copies_taken(struct wl_firmware* fw, uint32_t lpages) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  p->budget = p->budget > lpages ? p->budget - lpages : 0;
}

void wl_pace_host_idles(struct wl_firmware* fw) {
  wl_space_state(fw)->pace.copies_wait = false;
  wl_space_state(fw)->pace.budget += fw->geometry.unit_lpages;
  wl_kick(fw, WL_STEP_GC);
}

void wl_pace_give_up(struct wl_firmware* fw) {
  wl_space_state(fw)->pace.no_gain = true;
  wl_kick(fw, WL_STEP_PLACE);
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

/* Copies until one superblock more than the reserve is free. With n victims after those that are leaving, whose X valid
 * logical pages are first to be moved: n more superblocks become free, and (X + n v - g) / L, rounded up, are opened
 * for what does not fit the rest g of the open one. */
static uint32_t copies_left(const struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  const struct wl_leaving* leaving = &s->region[0].leaving;
  const uint32_t lpages = fw->kind[0].superblock_lpages;
  const int32_t superblocks =
      (int32_t)(wl_superblocks_reserve(fw) + 1 - wl_superblocks_free(fw) - wl_superblocks_erasing(fw)) -
      (int32_t)leaving->superblocks;
  const int64_t space = (int64_t)superblocks * lpages + leaving->valid - wl_superblocks_move_rest(fw);
  uint32_t victims = superblocks > 0 ? (uint32_t)superblocks : 0;
  if (space > 0) {
    const uint32_t won = lpages - s->pace.victim_valid;
    const uint32_t needed = space < INT32_MAX ? ((uint32_t)space + won - 1) / won : s->superblocks;
    if (victims < needed) victims = needed;
  }
  if (victims > s->superblocks) victims = s->superblocks;
  return leaving->valid + victims * s->pace.victim_valid;
}

void wl_pace_unit_moved(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!wl_pace_host_follows(fw)) return;
  uint32_t share = wl_superblocks_host_rest(fw);
  if (wl_superblock_prepared(fw)) share += fw->kind[0].superblock_lpages;
  uint32_t of = copies_left(fw) + copies_for(fw, fw->kind[0].superblock_lpages / ERASE_SHARE) + 1;
  while (share >> SHARE_BITS != 0) {
    share >>= 1;
    of = (of + 1) / 2;
  }
  p->rate = share * LPAGE / of;
}

static void pay(int32_t* credit, uint32_t paid, int32_t most) {
  *credit = paid < (uint32_t)(most - *credit) ? *credit + (int32_t)paid : most;
}

void wl_pace_copies_made(struct wl_firmware* fw, uint32_t lpages) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!wl_pace_host_follows(fw)) return;
  const int32_t unit = (int32_t)(fw->geometry.unit_lpages * LPAGE);
  const uint32_t paid = p->rate < UINT32_MAX / 2 / lpages ? p->rate * lpages : UINT32_MAX / 2;
  pay(&p->placing, paid, 2 * unit);
  pay(&p->accepting, paid, unit);
  if (p->placing >= unit) wl_kick(fw, WL_STEP_PLACE);
  if (p->accepting > 0) wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

void wl_pace_host_opened(struct wl_firmware* fw) { wl_pace_unit_moved(fw); }
