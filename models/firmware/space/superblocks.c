/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks from free to victim.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/free_superblocks.h"
#include "models/firmware/space/initial_superblocks.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

void wl_space_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_space_plan* plan) {
  struct wl_space* s = &fw->space;
  s->plan = *plan;
  s->superblocks = fw->boot.blocks;
  s->superblock = wl_arena_take(tcm, (uint64_t)s->superblocks * sizeof(s->superblock[0]));
  wl_closed_layout(fw, tcm);
  wl_cursors_layout(fw, tcm);
  wl_wear_layout(fw, tcm);
  wl_spares_layout(fw, tcm, dram);
}

static void tell_engines(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCK_TABLE), wl_bus_address(hal, fw->space.superblock));
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCK_STRIDE), sizeof(fw->space.superblock[0]));
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCKS), fw->space.superblocks);
}

void wl_space_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_boot_info* boot = &fw->boot;
  struct wl_region* region = &fw->space.region[0];
  /* GC needs two free superblocks to be sure of going on, the streams have a superblock open each. */
  region->reserve_superblocks = boot->gc_reserve_superblocks < 2 ? 2 : boot->gc_reserve_superblocks;
  region->start_superblocks = boot->gc_start_superblocks < region->reserve_superblocks ? region->reserve_superblocks
                                                                                       : boot->gc_start_superblocks;
  region->needed_superblocks =
      (boot->user_sectors + fw->geometry.superblock_sectors - 1) / fw->geometry.superblock_sectors +
      region->reserve_superblocks + wl_superblocks_open_at_most(&fw->space.plan);
  WL_ASSERT(hal, fw->kind[0].superblocks >= region->needed_superblocks); /* too little over-provisioning */
  /* The rest of the host's open superblock is a reserve, too, where pacing keeps the host from using it up. */
  if (boot->ftl.gc_pacing != 0) --region->reserve_superblocks;
  for (uint32_t i = 0; i < WL_REGIONS; ++i) fw->space.region[i].free_head = fw->space.region[i].free_tail = WL_NONE;
  WL_ASSERT(hal, (fw->space.plan.small_stream != 0) == wl_has_small_pages(fw));
  if (wl_has_small_pages(fw)) { /* the host has one open while another is collected, into the first region */
    fw->space.region[1].start_superblocks = fw->space.plan.small_start_superblocks;
    fw->space.region[1].needed_superblocks = 2;
    WL_ASSERT(hal, fw->kind[1].superblocks > fw->space.region[1].start_superblocks + 1 && boot->ftl.gc_pacing == 0);
  }
  wl_closed_boot(fw);
  fw->space.erase_head = fw->space.erase_tail = WL_NONE;
  for (uint32_t stream = 0; stream < WL_STREAMS; ++stream) fw->space.open_superblock[stream] = WL_NONE;
  fw->space.next_superblock = WL_NONE;
  fw->space.quiescing[0] = fw->space.quiescing[1] = WL_NONE;
  wl_wear_boot(fw);
  wl_spares_boot(fw, hal);
  fw->tables.superblocks = wl_bus_address(hal, fw->space.superblock);
  fw->tables.superblock_bytes = sizeof(fw->space.superblock[0]);
  fw->tables.erases = wl_bus_address(hal, fw->space.wear.erases);
  if (fw->initial.superblocks != 0) wl_initial_superblocks(fw, hal);
  uint32_t filled = fw->boot.preconditioned ? fw->boot.user_sectors : 0;
  if (fw->boot.ftl.map_page != 0) { /* a mapped page counts as full */
    filled += fw->boot.ftl.map_page - 1;
    filled -= filled % fw->boot.ftl.map_page;
  }
  for (uint32_t superblock = 0; superblock < fw->space.superblocks && fw->initial.superblocks == 0; ++superblock) {
    struct wl_superblock* sb = &fw->space.superblock[superblock];
    sb->valid = filled < fw->geometry.superblock_sectors ? filled : fw->geometry.superblock_sectors;
    filled -= sb->valid;
    if (sb->valid != 0) {
      sb->state = WL_SUPERBLOCK_CLOSED;
      sb->units = fw->geometry.superblock_units;
      fw->space.region[0].stale_sectors += fw->geometry.superblock_sectors - sb->valid;
      wl_closed_insert(fw, superblock);
    } else if (!wl_marks_wanted(boot)) {
      wl_superblock_free(fw, superblock);
    }
  }
  fw->space.closings_at_boot = fw->space.closings;
  if (wl_marks_wanted(boot)) wl_marks_begin(fw);
  tell_engines(fw, hal);
}

/* What becomes invalid, or is closed, may be worth collecting. */
static void end_starvation(struct wl_firmware* fw) {
  fw->space.pace.no_gain = false;
  if (!fw->space.starved) return;
  fw->space.starved = false;
  wl_kick(fw, WL_STEP_GC);
}

void wl_superblock_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  --sb->valid;
  end_starvation(fw);
  if (sb->state == WL_SUPERBLOCK_CLOSED) {
    if (!sb->bad) ++wl_region_of(fw, superblock)->stale_sectors;
    wl_closed_emptier(fw, hal, superblock);
  } else if (sb->state == WL_SUPERBLOCK_VICTIM || sb->state == WL_SUPERBLOCK_DRAINING) {
    --wl_region_of(fw, superblock)->leaving.valid;
  }
}

static uint32_t take_free(struct wl_firmware* fw, struct wl_region* region) {
  const uint32_t superblock = region->free_head;
  if (superblock == WL_NONE) return WL_NONE;
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  region->free_head = sb->next;
  --region->free_superblocks;
  --fw->statistics.free_superblocks;
  sb->next = WL_NONE;
  sb->state = WL_SUPERBLOCK_OPEN;
  sb->units = 0;
  sb->valid = 0;
  sb->programs = 0;
  return superblock;
}

void wl_superblock_prepare(struct wl_firmware* fw) {
  struct wl_space* s = &fw->space;
  if (fw->boot.ftl.gc_pacing == 0 || s->next_superblock != WL_NONE ||
      wl_superblocks_free(fw) != wl_superblocks_reserve(fw) + 1)
    return;
  bool nearly_full = false;
  for (uint32_t stream = WL_STREAM_HOST; stream < fw->space.plan.host_streams; ++stream)
    nearly_full |= s->open_superblock[stream] != WL_NONE &&
                   wl_superblock_rest(fw, s->open_superblock[stream]) <= fw->geometry.superblock_sectors / 4;
  if (!nearly_full) return;
  s->next_superblock = take_free(fw, &s->region[0]);
  wl_pace_host_opened(fw);
  wl_kick(fw, WL_STEP_GC);
}

uint32_t wl_superblock_open(struct wl_firmware* fw, uint32_t stream) {
  uint32_t superblock = WL_NONE;
  const bool small = wl_stream_is_small(fw, stream);
  if (!wl_stream_moves(stream) && !small) {
    superblock = fw->space.next_superblock;
    fw->space.next_superblock = WL_NONE;
  }
  if (superblock == WL_NONE) superblock = take_free(fw, &fw->space.region[small]);
  if (superblock == WL_NONE) return WL_NONE;
  fw->space.open_superblock[stream] = superblock;
  wl_cursors_reset(fw, stream);
  if (!wl_stream_moves(stream)) wl_pace_host_opened(fw);
  wl_kick(fw, WL_STEP_GC);
  return superblock;
}

/* Open superblock of the host's or of moved data with the most room, and its stream. */
static uint32_t emptiest_open(const struct wl_firmware* fw, bool moves, uint32_t* stream) {
  const uint32_t first = moves ? WL_STREAM_GC : WL_STREAM_HOST;
  const uint32_t end = first + (moves ? fw->space.plan.move_streams : fw->space.plan.host_streams);
  uint32_t found = WL_NONE;
  for (uint32_t s = first; s < end; ++s) {
    if (wl_stream_is_small(fw, s)) continue;
    for (uint32_t superblock = wl_superblock_opened(fw, s); superblock != WL_NONE;
         superblock = wl_superblock_opened_after(fw, superblock)) {
      if (found != WL_NONE && wl_superblock(fw, superblock)->units >= wl_superblock(fw, found)->units) continue;
      found = superblock;
      *stream = s;
    }
  }
  return found;
}

uint32_t wl_superblock_of_another_class(const struct wl_firmware* fw, uint32_t stream) {
  uint32_t other = WL_STREAM_HOST;
  return emptiest_open(fw, wl_stream_moves(stream), &other);
}

/* `superblock` is no open one of `stream` any more. False: it was none. */
static bool take_away(struct wl_firmware* fw, uint32_t stream, uint32_t superblock) {
  uint32_t* link = &fw->space.open_superblock[stream];
  while (*link != WL_NONE && *link != superblock) link = &fw->space.superblock[*link].next;
  if (*link == WL_NONE) return false;
  *link = fw->space.superblock[superblock].next;
  fw->space.superblock[superblock].next = WL_NONE;
  return true;
}

static void hand_over(struct wl_firmware* fw, uint32_t superblock, uint32_t from, uint32_t to) {
  (void)take_away(fw, from, superblock);
  uint32_t* link = &fw->space.open_superblock[to];
  while (*link != WL_NONE) link = &fw->space.superblock[*link].next;
  *link = superblock;
  wl_cursors_copy(fw, from, to);
}

void wl_superblock_hand_over(struct wl_firmware* fw, uint32_t from, uint32_t to) {
  hand_over(fw, wl_superblock_opened(fw, from), from, to);
}

bool wl_superblock_take_over(struct wl_firmware* fw, uint32_t stream) {
  uint32_t* open = fw->space.open_superblock;
  if (fw->space.programs != 0 || wl_superblocks_erasing(fw) != 0) return false;
  if (fw->space.next_superblock != WL_NONE) {
    open[stream] = fw->space.next_superblock;
    fw->space.next_superblock = WL_NONE;
    wl_cursors_reset(fw, stream);
    return true;
  }
  uint32_t from = WL_STREAM_HOST;
  const uint32_t superblock = emptiest_open(fw, false, &from);
  if (superblock == WL_NONE) return false;
  hand_over(fw, superblock, from, stream);
  return true;
}

void wl_superblock_closed(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  sb->state = WL_SUPERBLOCK_CLOSED;
  if (!sb->bad)
    wl_region_of(fw, superblock)->stale_sectors +=
        wl_kind_of_superblock(fw, superblock)->superblock_sectors - sb->valid;
  wl_closed_insert(fw, superblock);
  end_starvation(fw);
}

static void close_if_done(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  if (sb->state != WL_SUPERBLOCK_CLOSING || sb->programs != 0) return;
  wl_superblock_closed(fw, superblock);
  if (!wl_spares_promised(fw, superblock)) return;
  ++fw->space.spares.urgent;
  wl_kick(fw, WL_STEP_GC);
}

static void close(struct wl_firmware* fw, uint32_t superblock) {
  uint32_t stream = 0;
  while (stream != WL_STREAMS && !take_away(fw, stream, superblock)) ++stream;
  fw->space.superblock[superblock].state = WL_SUPERBLOCK_CLOSING;
  close_if_done(fw, superblock);
}

uint32_t wl_superblock_write_point(const struct wl_firmware* fw, uint32_t superblock) {
  uint32_t stream = 0;
  while (fw->space.open_superblock[stream] != superblock) ++stream;
  return stream;
}

static void count_word_line(struct wl_firmware* fw, bool moves, uint32_t unit) {
  struct wl_program_statistics* s = &fw->statistics.programs;
  if (wl_unit_leads(fw, unit))
    ++*(moves ? &s->moved_leaders : &s->host_leaders);
  else
    ++*(moves ? &s->moved_followers : &s->host_followers);
}

uint32_t wl_superblock_place_unit(struct wl_firmware* fw, uint32_t stream, uint32_t superblock, uint32_t unit) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  const uint32_t at = unit == WL_NEXT_UNIT ? wl_unit_in_order(fw, sb->units) : unit;
  const uint32_t ppa = superblock * fw->geometry.superblock_sectors + at * fw->geometry.unit_sectors;
  ++sb->programs;
  ++fw->space.programs;
  if (unit != WL_NEXT_UNIT) {
    wl_cursors_placed(fw, wl_superblock_write_point(fw, superblock), unit);
    count_word_line(fw, wl_stream_moves(stream), unit);
  }
  if (!wl_stream_moves(stream)) {
    wl_pace_host_placed(fw);
    wl_superblock_prepare(fw);
  }
  if (++sb->units == wl_kind_of_superblock(fw, superblock)->superblock_units) close(fw, superblock);
  return ppa;
}

void wl_superblock_program_done(struct wl_firmware* fw, uint32_t superblock, uint32_t valid) {
  fw->space.superblock[superblock].valid += valid;
  --fw->space.superblock[superblock].programs;
  wl_small_superblocks_go_on(fw);
  if (--fw->space.programs == 0) wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC); /* for wl_superblock_take_over */
  close_if_done(fw, superblock);
}

void wl_superblock_failed(struct wl_firmware* fw, uint32_t superblock, uint32_t die, uint32_t planes) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  if (!wl_spares_promise(fw, superblock, die, planes)) sb->bad = 1;
  /* Where superblocks are short a closed one may be the last: GC would have no place to make room. What is
   * programmed to the block until the superblock is full is programmed elsewhere again if it fails. */
  if (sb->state == WL_SUPERBLOCK_OPEN &&
      (sb->bad || wl_superblock_is_small(fw, superblock) || !wl_superblocks_short(fw)))
    close(fw, superblock);
}

/* A search that finds nothing leaves `starved` as it is: it is set when the search begins, and what becomes invalid, or
 * is closed, behind the search's back clears it. */
static uint32_t search(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_space* s = &fw->space;
  FW_TASK(hal, WL_COST_FTL_GC_VICTIM);
  if (wl_engine_waits(fw, WL_ANSWER_SEARCH)) return WL_ASKED;
  if (s->answered) {
    s->answered = false;
    const uint32_t superblock = wl_engine_victim(fw);
    if (superblock == WL_LPN_NONE) {
      if (s->starved) return WL_NONE;
    } else if (s->superblock[superblock].state == WL_SUPERBLOCK_CLOSED) {
      if (s->superblock[superblock].valid < fw->geometry.superblock_sectors) {
        s->starved = false;
        s->searched_from = superblock + 1 == s->superblocks ? 0 : superblock + 1;
        return superblock;
      }
      if (s->starved) return WL_NONE; /* the emptiest is full */
    }
  }
  s->starved = true;
  wl_engine_ask_search(fw, hal, s->searched_from);
  return WL_ASKED;
}

void wl_superblocks_searched(struct wl_firmware* fw) {
  fw->space.answered = true;
  wl_kick(fw, WL_STEP_GC);
}

uint32_t wl_small_superblock_emptiest(struct wl_firmware* fw) { return wl_closed_emptiest_small(fw); }

uint32_t wl_superblock_emptiest(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return search(fw, hal);
  const uint32_t superblock = wl_closed_emptiest(fw);
  if (superblock == WL_NONE) return WL_NONE;
  return fw->space.superblock[superblock].valid < fw->geometry.superblock_sectors ? superblock : WL_NONE;
}

uint32_t wl_superblock_urgent(const struct wl_firmware* fw) {
  if (fw->space.spares.urgent == 0 || wl_superblocks_short(fw)) return WL_NONE;
  uint32_t superblock = 0;
  while (fw->space.superblock[superblock].state != WL_SUPERBLOCK_CLOSED ||
         fw->space.spares.promised[superblock] == WL_NONE)
    ++superblock;
  return superblock;
}

void wl_superblock_take(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  if (wl_spares_promised(fw, superblock)) --fw->space.spares.urgent;
  wl_closed_remove(fw, superblock);
  ++fw->space.taken;
  struct wl_region* region = wl_region_of(fw, superblock);
  if (wl_superblock_is_small(fw, superblock)) ++fw->statistics.small.victims;
  ++region->leaving.superblocks;
  region->leaving.valid += sb->valid;
  fw->space.pace.victim_valid = sb->valid;
  if (!sb->bad) region->stale_sectors -= wl_kind_of_superblock(fw, superblock)->superblock_sectors - sb->valid;
  sb->state = WL_SUPERBLOCK_VICTIM; /* some of its sectors may be moving already: wl_mover_idle */
}
