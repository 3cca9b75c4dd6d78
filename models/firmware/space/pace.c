/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/pace.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

#define ONE 256u /* of what is kept in fractions: copies that are owed, the factor of control */
#define GAIN_SHIFT 20u
#define FACTOR_MOST (8u * ONE)    /* times the copies that a logical page costs */
#define OWED_MOST (INT32_MAX / 2) /* a victim may be all but full: more is not told apart */
#define REST_SHARE 16u            /* part of the host's superblock that it leaves to GC while superblocks are short */
#define LEAD_SHARE 4u             /* of a superblock: small ones are not owed as a whole */

/* `part` of `whole` as a fraction of ONE. A division of 64 bits is long on these cores. */
static uint32_t share_of(uint32_t part, uint32_t whole) {
  while (part >= UINT32_MAX / ONE) {
    part >>= 1;
    whole = (whole + 1) / 2;
  }
  return part * ONE / whole;
}

static bool is_on(const struct wl_firmware* fw) { return fw->boot.ftl.gc_pacing != 0; }

__attribute__((noinline)) void wl_pace_boot(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  const struct wl_pace_rules* rules = &fw->boot.ftl.pace;
  const uint32_t lpages = fw->kind[0].superblock_lpages;
  uint64_t lead = (uint64_t)rules->lead_16ths * fw->geometry.unit_lpages * fw->geometry.dies >> 4;
  if (lead > lpages / LEAD_SHARE) lead = lpages / LEAD_SHARE;
  p->lead = (int32_t)(lead < OWED_MOST / ONE ? (lead + 1) * ONE : OWED_MOST);
  p->gain = (rules->gain_256ths << GAIN_SHIFT) / lpages;
  p->cost = ONE;
}

/* Superblocks that are free, or will be without further work. */
static uint32_t superblocks_to_be_free(const struct wl_firmware* fw) {
  return wl_superblocks_free(fw) + wl_superblocks_erasing(fw) + wl_superblocks_draining(fw);
}

uint32_t wl_pace_target(const struct wl_firmware* fw) {
  const struct wl_space_plan* plan = wl_plan(fw);
  const uint32_t lpages = fw->kind[0].superblock_lpages;
  uint32_t open = 0;
  if (plan->host_streams + plan->move_streams > 2) {
    for (uint32_t s = WL_STREAM_HOST; s != plan->host_streams; ++s)
      if (!wl_stream_is_apart(fw, s)) open += wl_superblocks_opened(fw, s);
    for (uint32_t s = 0; s != plan->move_streams; ++s) open += wl_superblocks_opened(fw, WL_STREAM_GC + s);
  }
  return wl_superblocks_start(fw) * lpages + (open > 2 ? (open - 2) * (lpages / 2) : 0);
}

__attribute__((noinline)) uint32_t wl_pace_room(const struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  const uint32_t superblocks = superblocks_to_be_free(fw) + wl_superblock_prepared(fw);
  uint64_t room = (uint64_t)superblocks * fw->kind[0].superblock_lpages + (s->pace.emptied >> 8) +
                  wl_superblocks_move_rest(fw) + wl_superblocks_rest(fw, WL_STREAM_HOST);
  for (uint32_t stream = WL_STREAM_HOST + 1; stream < s->plan.host_streams; ++stream)
    if (!wl_stream_is_apart(fw, stream)) room += wl_superblocks_rest(fw, stream);
  return room < INT32_MAX ? (uint32_t)room : INT32_MAX;
}

/* What the copies that are owed are multiplied by. */
static uint32_t factor(const struct wl_firmware* fw) {
  const struct wl_pace* p = &wl_space_view(fw)->pace;
  const int64_t missing = (int64_t)wl_pace_target(fw) - wl_pace_room(fw);
  const int64_t f = (int64_t)ONE + (missing * p->gain >> GAIN_SHIFT);
  return f < 0 ? 0 : f > FACTOR_MOST ? FACTOR_MOST : (uint32_t)f;
}

/* Whether GC works, or will as soon as it gets a turn. */
static bool is_collecting(const struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  const bool has_victim = s->region[0].leaving.superblocks != wl_superblocks_draining(fw);
  return (has_victim && !s->pace.apart) || superblocks_to_be_free(fw) <= wl_superblocks_start(fw);
}

/* The host has come to the rest of its superblock that is GC's, and there is no other for it. */
static bool is_at_the_reserve(const struct wl_firmware* fw) {
  if (!wl_superblocks_short(fw) || wl_superblock_prepared(fw)) return false;
  const uint32_t share = fw->kind[0].superblock_lpages / REST_SHARE;
  return wl_superblocks_host_rest(fw) <= (share > fw->geometry.unit_lpages ? share : fw->geometry.unit_lpages);
}

bool wl_pace_places(const struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  if (!is_on(fw) || s->pace.no_gain || s->held.hold == WL_HOLD_COPIES) return true;
  if (is_at_the_reserve(fw)) return false;
  if (s->pace.owed < s->pace.lead || wl_superblocks_resting(fw) || wl_host_silent(fw)) return true;
  return !is_collecting(fw);
}

bool wl_pace_copies_wait(const struct wl_firmware* fw) { return wl_space_view(fw)->pace.copies_wait; }

__attribute__((noinline)) void wl_pace_host_placed(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!is_on(fw)) return;
  p->host_lacks = false;
  const uint64_t cost = (uint64_t)p->cost * fw->geometry.unit_lpages;
  const uint32_t times = p->wins_nothing ? ONE : factor(fw);
  const uint64_t owes = (cost * times >> 8) + 1;
  p->owed = owes < (uint64_t)(OWED_MOST - p->owed) ? p->owed + (int32_t)owes : OWED_MOST;
  if (!is_collecting(fw) && p->owed > 0) p->owed = 0;
  if (!p->copies_wait || p->owed <= 0) return;
  p->copies_wait = false;
  wl_kick(fw, WL_STEP_GC);
}

/* Whether copies go on though the host has not paid for them. */
static bool is_urgent(const struct wl_firmware* fw) {
  return wl_space_view(fw)->pace.host_lacks || is_at_the_reserve(fw) || wl_superblocks_resting(fw) ||
         wl_host_silent(fw) || wl_space_view(fw)->spares.stripes.awaited;
}

bool wl_pace_copies(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!is_on(fw) || p->owed > 0 || p->granted != 0 || is_urgent(fw)) return true;
  p->copies_wait = true;
  return false;
}

void wl_pace_copies_taken(struct wl_firmware* fw, uint32_t lpages) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!is_on(fw)) return;
  const bool led = p->owed >= p->lead;
  p->owed -= (int32_t)(lpages * ONE);
  if (p->owed < -p->lead) p->owed = -p->lead;
  p->granted = p->granted > lpages ? p->granted - lpages : 0;
  p->emptied += (uint64_t)lpages * p->emptied_by_copy;
  if (led && p->owed < p->lead) wl_kick(fw, WL_STEP_PLACE);
}

__attribute__((noinline)) void wl_pace_victim_taken(struct wl_firmware* fw, wl_superblock_t superblock, bool wins) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  const uint32_t lpages = fw->kind[0].superblock_lpages;
  const uint32_t valid = wl_superblock(fw, superblock)->valid;
  p->emptied = 0;
  p->emptied_by_copy = 0;
  p->wins_nothing = !wins || valid >= lpages;
  p->apart = false;
  if (p->wins_nothing || !is_on(fw) || wl_superblock_is_small(fw, superblock)) return;
  if (valid != 0) p->emptied_by_copy = share_of(lpages, valid);
  p->cost = share_of(valid, lpages - valid);
}

void wl_pace_victim_apart(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  p->emptied = 0;
  p->emptied_by_copy = 0;
  p->wins_nothing = p->apart = true;
  wl_pace_gc_rests(fw);
}

__attribute__((noinline)) void wl_pace_gc_rests(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!is_on(fw) || p->owed < p->lead || is_collecting(fw)) return;
  p->owed = 0;
  wl_kick(fw, WL_STEP_PLACE);
}

__attribute__((noinline)) void wl_pace_host_idles(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (wl_pace_room(fw) >= wl_pace_target(fw)) return;
  p->copies_wait = false;
  p->granted = fw->geometry.unit_lpages;
  wl_kick(fw, WL_STEP_GC);
}

__attribute__((noinline)) void wl_pace_host_lacks(struct wl_firmware* fw) {
  struct wl_pace* p = &wl_space_state(fw)->pace;
  if (!is_on(fw) || !wl_pace_places(fw)) return;
  p->host_lacks = true;
  if (!p->copies_wait) return;
  p->copies_wait = false;
  wl_kick(fw, WL_STEP_GC);
}

void wl_pace_hurry(struct wl_firmware* fw) {
  wl_space_state(fw)->pace.copies_wait = false;
  wl_kick(fw, WL_STEP_GC);
}

__attribute__((noinline)) void wl_pace_give_up(struct wl_firmware* fw) {
  wl_space_state(fw)->pace.no_gain = true;
  if (wl_space_view(fw)->spares.stripes.awaited) wl_kick(fw, WL_STEP_REBUILD);
  wl_space_state(fw)->pace.owed = 0;
  wl_kick(fw, WL_STEP_PLACE);
}
