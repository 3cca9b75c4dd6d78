/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/dead_die.h"

#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/p2l.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"

#define BETWEEN 1u /* victims of GC between two that are emptied for a rebuild, while GC wants victims */

bool wl_die_suspected(const struct wl_firmware* fw) {
  for (uint32_t i = 0; i != WL_DIE_SUSPECTS; ++i)
    if (wl_space_view(fw)->spares.stripes.suspect[i].die != WL_NONE) return true;
  return false;
}

/* What failed in the die was no fault of these superblocks, unless another die of them has failed, too. */
static void acquit(struct wl_firmware* fw, const struct wl_suspect* suspect) {
  struct wl_space* s = wl_space_state(fw);
  for (uint32_t i = 0; i != suspect->strikes; ++i) {
    struct wl_superblock* sb = &s->superblock[suspect->struck[i]];
    uint16_t* failed = &s->spares.stripes.failed[suspect->struck[i]];
    if (!sb->bad || sb->state == WL_SUPERBLOCK_RETIRED || *failed != suspect->die) continue;
    sb->bad = 0;
    *failed = WL_NO_HOLE;
    if (sb->state == WL_SUPERBLOCK_CLOSED)
      s->region[0].stale_lpages += (int64_t)fw->kind[0].superblock_lpages - sb->valid;
  }
}

/* Superblocks hold less: what erases of the closed ones would win is counted by that. */
static void shrink(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  struct wl_page_kind* kind = &fw->kind[0];
  const uint32_t before = kind->superblock_lpages;
  kind->superblock_units = wl_stripe_rows(fw) * wl_stripe_width(fw);
  kind->superblock_lpages = kind->superblock_units * kind->unit_lpages;
  for (wl_superblock_t superblock = 0; superblock != s->superblocks; ++superblock)
    if (s->superblock[superblock].state == WL_SUPERBLOCK_CLOSED && !s->superblock[superblock].bad)
      s->region[0].stale_lpages -= before - kind->superblock_lpages;
  s->region[0].needed_superblocks = wl_superblocks_needed(fw);
  if (kind->superblocks - s->region[0].retired_superblocks < s->region[0].needed_superblocks)
    s->read_only = s->held.refuses = true;
}

/* A superblock more is left to GC until the rebuild ends: what is full takes one and a half of those that there are
 * now. */
static void lend_superblock(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  struct wl_region* r = &s->region[0];
  if (fw->kind[0].superblocks - r->retired_superblocks <= r->needed_superblocks) return;
  s->spares.stripes.lent = true;
  ++r->reserve_superblocks;
  ++r->start_superblocks;
}

static void take_back_superblock(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  if (!s->spares.stripes.lent) return;
  s->spares.stripes.lent = false;
  --s->region[0].reserve_superblocks;
  --s->region[0].start_superblocks;
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_WRITE);
}

/* Where superblocks are short a closed one may be the last room that GC has. It goes on: what is programmed in the dead
 * die is programmed elsewhere again. */
bool wl_goes_on_with_dead_die(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t units) {
  return wl_superblocks_short(fw) && units < wl_stripe_units(fw, superblock);
}

static void close_open(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  for (uint32_t stream = 0; stream != WL_STREAMS; ++stream) {
    wl_superblock_t superblock = s->open_superblock[stream];
    while (superblock != WL_NONE) {
      const wl_superblock_t next = s->superblock[superblock].next;
      if (s->superblock[superblock].units == 0)
        wl_stripes_opened(fw, superblock);
      else if (wl_goes_on_with_dead_die(fw, superblock, s->superblock[superblock].units))
        wl_p2l_void(fw, superblock);
      else
        wl_superblock_close(fw, superblock);
      superblock = next;
    }
  }
  if (s->next_superblock != WL_NONE) wl_stripes_opened(fw, s->next_superblock);
}

__attribute__((noinline, cold)) void wl_die_found_dead(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t die) {
  struct wl_space* s = wl_space_state(fw);
  ++wl_parity_statistics(fw)->dead_dies;
  if (s->spares.stripes.dead != WL_NONE) { /* rows have one parity */
    s->spares.stripes.second = die;
    s->read_only = s->held.refuses = true;
    wl_kick(fw, WL_STEP_WRITE | WL_STEP_ADMIN);
    return;
  }
  wl_die_leave_out(fw, die);
  wl_media_die_dead(fw, die);
  s->spares.stripes.died_us = wl_read32(hal, WL_REGISTER(TIMER.NOW));
  s->spares.stripes.rebuilds = true;
  shrink(fw);
  lend_superblock(fw);
  close_open(fw);
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC | WL_STEP_WRITE | WL_STEP_ADMIN);
}

static void give_up(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_suspect* suspect) {
  const uint32_t die = suspect->die;
  acquit(fw, suspect);
  suspect->die = WL_NONE;
  wl_die_found_dead(fw, hal, die);
}

/* The suspect, or where it would be noted: in place of none, or of the one with fewer strikes. */
static struct wl_suspect* find(struct wl_stripes* d, uint32_t die) {
  struct wl_suspect* to = &d->suspect[0];
  for (uint32_t i = 0; i != WL_DIE_SUSPECTS; ++i) {
    struct wl_suspect* one = &d->suspect[i];
    if (one->die == die) return one;
    if (to->die != WL_NONE && (one->die == WL_NONE || one->strikes < to->strikes)) to = one;
  }
  return to;
}

__attribute__((noinline, cold)) void wl_die_answered(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t die,
                                                     wl_superblock_t superblock, bool ok) {
  struct wl_stripes* d = &wl_space_state(fw)->spares.stripes;
  struct wl_suspect* suspect = find(d, die);
  if (ok) {
    if (suspect->die == die) suspect->die = WL_NONE;
    return;
  }
  if (die == d->dead || d->second != WL_NONE) return; /* more than two change nothing */
  if (suspect->die != die) *suspect = (struct wl_suspect){.die = die};
  if (suspect->strikes != 0 && suspect->struck[suspect->strikes - 1u] == superblock) return;
  suspect->struck[suspect->strikes++] = superblock;
  if (suspect->strikes == WL_DIE_STRIKES) give_up(fw, hal, suspect);
}

/* ---- rebuild ---- */

/* Of a superblock with a unit on the die in each row, what is valid is to be moved. */
static bool concerned(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  if (sb->state == WL_SUPERBLOCK_FREE || sb->state == WL_SUPERBLOCK_ERASING || sb->state == WL_SUPERBLOCK_RETIRED)
    return false;
  return wl_stripe_hole(fw, superblock) == WL_NONE && (sb->valid != 0 || sb->moving != 0 || sb->programs != 0);
}

/* Logical pages that may be moved now: what superblocks that are leaving still hold comes first. */
static uint32_t room_of(const struct wl_firmware* fw) {
  const uint32_t room = wl_superblocks_free(fw) * fw->kind[0].superblock_lpages + wl_superblocks_move_rest(fw);
  uint32_t leaving = fw->geometry.unit_lpages; /* and a padded unit */
  for (wl_superblock_t superblock = 0; superblock != wl_superblocks(fw); ++superblock)
    if (wl_superblock_draining(fw, superblock)) leaving += wl_superblock(fw, superblock)->valid;
  return room > leaving ? room - leaving : 0;
}

/* What was full before the die failed is more than fits into a superblock now: where superblocks are short it waits
 * until there is room for all of it. */
static bool waits_for_room(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t room) {
  const uint32_t valid = wl_superblock(fw, superblock)->valid;
  return wl_superblocks_short(fw) && valid > fw->kind[0].superblock_lpages && room < valid;
}

bool wl_room_is_scarce(const struct wl_firmware* fw) {
  return wl_space_view(fw)->spares.stripes.rebuilds && wl_superblocks_short(fw);
}

__attribute__((noinline, cold)) wl_superblock_t wl_superblock_that_wins_room(const struct wl_firmware* fw) {
  wl_superblock_t emptiest = WL_NONE;
  for (wl_superblock_t superblock = 0; superblock != wl_superblocks(fw); ++superblock) {
    const struct wl_superblock* sb = wl_superblock(fw, superblock);
    if (sb->state != WL_SUPERBLOCK_CLOSED || sb->bad || sb->valid >= fw->kind[0].superblock_lpages) continue;
    if (emptiest == WL_NONE || sb->valid < wl_superblock(fw, emptiest)->valid) emptiest = superblock;
  }
  return emptiest;
}

wl_superblock_t wl_rebuild_victim(struct wl_firmware* fw, const struct wl_hal* hal, bool collecting) {
  struct wl_space* s = wl_space_state(fw);
  if (!s->spares.stripes.rebuilds || s->read_only || s->region[0].free_superblocks == 0) return WL_NONE;
  if (collecting && s->wear.upkeep.victims < BETWEEN) return WL_NONE;
  const uint32_t room = room_of(fw);
  wl_superblock_t oldest = WL_NONE;
  bool any = false;
  for (wl_superblock_t superblock = 0; superblock != s->superblocks; ++superblock) {
    if (!concerned(fw, superblock)) continue;
    any = true;
    const struct wl_superblock* sb = &s->superblock[superblock];
    if (sb->state == WL_SUPERBLOCK_OPEN && !wl_goes_on_with_dead_die(fw, superblock, sb->units))
      wl_superblock_close(fw, superblock);
    if (sb->state != WL_SUPERBLOCK_CLOSED || waits_for_room(fw, superblock, room)) continue;
    if (oldest == WL_NONE || sb->closed_at < s->superblock[oldest].closed_at) oldest = superblock;
  }
  if (any) return oldest;
  s->spares.stripes.rebuilds = false;
  take_back_superblock(fw);
  wl_parity_statistics(fw)->rebuild_us = wl_read32(hal, WL_REGISTER(TIMER.NOW)) - s->spares.stripes.died_us;
  return WL_NONE;
}

/* ---- rows that reads wait for ---- */

static bool takes_moves(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_space* s = wl_space_view(fw);
  for (uint32_t stream = WL_STREAM_GC; stream != WL_STREAMS; ++stream)
    for (wl_superblock_t at = s->open_superblock[stream]; at != WL_NONE; at = s->superblock[at].next)
      if (at == superblock) return true;
  return false;
}

/* Where superblocks are short the host can wait for another one. What is left of one that moved data go to may be the
 * last room that GC has: it goes on until there is more, or finds that nothing is to be won. */
__attribute__((noinline, cold)) void wl_row_await(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_space* s = wl_space_state(fw);
  if (s->superblock[superblock].state != WL_SUPERBLOCK_OPEN) return;
  s->spares.stripes.awaited = wl_superblocks_short(fw) && !s->pace.no_gain && takes_moves(fw, superblock);
  if (!s->spares.stripes.awaited) wl_superblock_close(fw, superblock);
  wl_pace_hurry(fw);
}

void wl_rows_await_nothing(struct wl_firmware* fw) { wl_space_state(fw)->spares.stripes.awaited = false; }
