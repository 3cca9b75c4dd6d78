/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Open superblocks: the write points of the streams, and boot.
 */
#include "models/firmware/contract/checkpoint.h"
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/initial_superblocks.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/p2l.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/slc_cache.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/upkeep.h"
#include "models/firmware/space/wear.h"

void wl_space_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_space_plan* plan) {
  struct wl_space* s = wl_space_state(fw);
  s->plan = *plan;
  s->superblocks = fw->boot.blocks;
  s->superblock = wl_arena_take(tcm, (uint64_t)s->superblocks * sizeof(s->superblock[0]));
  wl_closed_layout(fw, tcm);
  wl_cursors_layout(fw, tcm);
  wl_wear_layout(fw, tcm);
  wl_upkeep_layout(fw, tcm);
  wl_spares_layout(fw, tcm, dram);
  wl_p2l_layout(fw, tcm, dram);
  wl_stripes_layout(fw, tcm, dram);
  if (wl_has_handles(fw)) s->wear.by_handle = wl_arena_take(tcm, (WL_HANDLES + 1u) * sizeof(s->wear.by_handle[0]));
}

static void tell_engines(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCK_TABLE), wl_bus_address(hal, wl_space_state(fw)->superblock));
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCK_STRIDE), sizeof(wl_space_state(fw)->superblock[0]));
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCKS), wl_space_state(fw)->superblocks);
}

uint32_t wl_superblocks_needed(const struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  const uint32_t lpages = fw->kind[0].superblock_lpages;
  const uint32_t data = (wl_boot_stored_lpages(&fw->boot) + lpages - 1) / lpages;
  const uint32_t kept = fw->boot.ftl.checkpoint_after != 0 ? WL_CHECKPOINT_SUPERBLOCKS : 0;
  return data + s->region[0].reserve_superblocks + wl_superblocks_open_at_most(&s->plan) + kept;
}

void wl_space_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_boot_info* boot = &fw->boot;
  struct wl_region* region = &wl_space_state(fw)->region[0];
  /* GC needs two free superblocks to be sure of going on, the streams have a superblock open each. */
  region->reserve_superblocks = boot->gc_reserve_superblocks < 2 ? 2 : boot->gc_reserve_superblocks;
  region->start_superblocks = boot->gc_start_superblocks < region->reserve_superblocks ? region->reserve_superblocks
                                                                                       : boot->gc_start_superblocks;
  if (wl_map_cached(fw)) { /* what GC moves changes map pages */
    region->reserve_superblocks += WL_MAP_RESERVE;
    region->start_superblocks +=
        WL_MAP_RESERVE + 1; /* the rest of the open one with map pages is no room of the host's */
  }
  region->needed_superblocks = wl_superblocks_needed(fw);
  WL_ASSERT(hal, fw->kind[0].superblocks >= region->needed_superblocks); /* too little over-provisioning */
  /* The rest of the host's open superblock is a reserve, too, where pacing keeps the host from using it up. */
  if (boot->ftl.gc_pacing != 0 && !wl_space_state(fw)->plan.apart) --region->reserve_superblocks;
  for (uint32_t i = 0; i < WL_REGIONS; ++i)
    wl_space_state(fw)->region[i].free_head = wl_space_state(fw)->region[i].free_tail = WL_NONE;
  WL_ASSERT(hal, (wl_space_state(fw)->plan.small_stream != 0) == wl_has_small_pages(fw));
  if (wl_has_small_pages(fw)) { /* the host has one open while another is collected, into the first region */
    wl_space_state(fw)->region[1].start_superblocks = wl_space_state(fw)->plan.small_start_superblocks;
    wl_space_state(fw)->region[1].needed_superblocks = 2;
    WL_ASSERT(
        hal, fw->kind[1].superblocks > wl_space_state(fw)->region[1].start_superblocks + 1 && boot->ftl.gc_pacing == 0);
  }
  wl_closed_boot(fw);
  wl_space_state(fw)->erase_head = wl_space_state(fw)->erase_tail = WL_NONE;
  for (uint32_t stream = 0; stream < WL_STREAMS; ++stream) wl_space_state(fw)->open_superblock[stream] = WL_NONE;
  wl_space_state(fw)->next_superblock = WL_NONE;
  wl_space_state(fw)->quiescing[0] = wl_space_state(fw)->quiescing[1] = WL_NONE;
  wl_pace_boot(fw);
  wl_wear_boot(fw);
  wl_spares_boot(fw, hal);
  wl_p2l_boot(fw);
  wl_stripes_boot(fw);
  wl_slc_cache_boot(fw, hal);
  fw->tables.superblocks = wl_bus_address(hal, wl_space_state(fw)->superblock);
  fw->tables.superblock_bytes = sizeof(wl_space_state(fw)->superblock[0]);
  if (wl_has_handles(fw)) fw->tables.by_handle = wl_bus_address(hal, wl_space_state(fw)->wear.by_handle);
  if (wl_has_parity(fw)) fw->tables.parity = wl_bus_address(hal, wl_parity_statistics(fw));
  fw->tables.erases = wl_bus_address(hal, wl_space_state(fw)->wear.erases);
  if (wl_initial_state_of(fw)->superblocks != 0) wl_initial_superblocks(fw, hal);
  uint32_t filled = fw->boot.preconditioned ? wl_boot_stored_lpages(&fw->boot) : 0;
  if (fw->boot.ftl.map_page != 0) { /* a mapped page counts as full */
    filled += fw->boot.ftl.map_page - 1;
    filled -= filled % fw->boot.ftl.map_page;
  }
  for (wl_superblock_t superblock = 0;
       superblock < wl_space_state(fw)->superblocks && wl_initial_state_of(fw)->superblocks == 0; ++superblock) {
    const uint32_t room = wl_has_parity(fw) ? fw->kind[0].superblock_lpages : fw->geometry.superblock_lpages;
    const uint32_t valid = filled < room ? filled : room;
    filled -= valid;
    if (valid != 0) {
      wl_superblock_found_closed(fw, superblock, valid, false);
    } else if (!wl_marks_wanted(boot) && !wl_boot_mounts(boot)) {
      wl_superblock_free(fw, superblock);
    }
  }
  wl_space_state(fw)->closings.at_boot = wl_space_state(fw)->closings.count;
  wl_space_state(fw)->held.hold = wl_boot_mounts(boot) ? WL_HOLD_MOUNT : WL_HOLD_NONE;
  if (wl_marks_wanted(boot)) wl_marks_begin(fw);
  tell_engines(fw, hal);
}

void wl_superblock_prepare(struct wl_firmware* fw) {
  struct wl_space* s = wl_space_state(fw);
  if (fw->boot.ftl.gc_pacing == 0 || s->next_superblock != WL_NONE ||
      wl_superblocks_free(fw) != wl_superblocks_reserve(fw) + 1)
    return;
  bool nearly_full = false;
  for (uint32_t stream = WL_STREAM_HOST; stream < wl_space_state(fw)->plan.host_streams; ++stream)
    nearly_full |= s->open_superblock[stream] != WL_NONE &&
                   wl_superblock_rest(fw, s->open_superblock[stream]) <= fw->kind[0].superblock_lpages / 4;
  if (!nearly_full) return;
  s->next_superblock = wl_superblock_use(fw, &s->region[0], false);
  wl_kick(fw, WL_STEP_GC);
}

wl_superblock_t wl_superblock_open(struct wl_firmware* fw, uint32_t stream) {
  wl_superblock_t superblock = WL_NONE;
  if (wl_superblocks_sealed(fw)) return WL_NONE; /* wl_space_no_place has it opened */
  const bool small = wl_stream_is_small(fw, stream);
  if (wl_stream_is_slc(fw, stream) && wl_slc_cache_may_open(fw) == 0) return WL_NONE;
  if (!wl_stream_moves(stream) && !small) {
    superblock = wl_space_state(fw)->next_superblock;
    wl_space_state(fw)->next_superblock = WL_NONE;
  }
  const bool most_worn = stream != WL_STREAM_HOST && stream == wl_space_view(fw)->plan.rest_stream;
  if (superblock == WL_NONE) superblock = wl_superblock_use(fw, &wl_space_state(fw)->region[small], most_worn);
  if (superblock == WL_NONE) return WL_NONE;
  wl_space_state(fw)->open_superblock[stream] = superblock;
  wl_space_state(fw)->superblock[superblock].handle = wl_handle_of_stream(fw, stream);
  if (wl_stream_is_slc(fw, stream)) wl_slc_cache_opened(fw, superblock);
  wl_cursors_reset(fw, stream);
  wl_kick(fw, WL_STEP_GC);
  return superblock;
}

/* Open superblock of the host's or of moved data with the most room, and its stream. */
static wl_superblock_t emptiest_open(const struct wl_firmware* fw, bool moves, uint32_t* stream) {
  const uint32_t first = moves ? WL_STREAM_GC : WL_STREAM_HOST;
  const uint32_t end = first + (moves ? wl_space_view(fw)->plan.move_streams : wl_space_view(fw)->plan.host_streams);
  uint32_t found = WL_NONE;
  for (uint32_t s = first; s < end; ++s) {
    if (wl_stream_is_apart(fw, s)) continue;
    for (wl_superblock_t superblock = wl_superblock_opened(fw, s); superblock != WL_NONE;
         superblock = wl_superblock_opened_after(fw, superblock)) {
      if (found != WL_NONE && wl_superblock(fw, superblock)->units >= wl_superblock(fw, found)->units) continue;
      found = superblock;
      *stream = s;
    }
  }
  return found;
}

wl_superblock_t wl_superblock_of_another_class(const struct wl_firmware* fw, uint32_t stream) {
  uint32_t other = WL_STREAM_HOST;
  if (wl_space_view(fw)->plan.apart || wl_stream_is_slc(fw, stream)) return WL_NONE;
  return emptiest_open(fw, wl_stream_moves(stream), &other);
}

/* `superblock` is no open one of `stream` any more. False: it was none. */
static bool take_away(struct wl_firmware* fw, uint32_t stream, wl_superblock_t superblock) {
  uint32_t* link = &wl_space_state(fw)->open_superblock[stream];
  while (*link != WL_NONE && *link != superblock) link = &wl_space_state(fw)->superblock[*link].next;
  if (*link == WL_NONE) return false;
  *link = wl_space_state(fw)->superblock[superblock].next;
  wl_space_state(fw)->superblock[superblock].next = WL_NONE;
  return true;
}

static void hand_over(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t from, uint32_t to) {
  (void)take_away(fw, from, superblock);
  uint32_t* link = &wl_space_state(fw)->open_superblock[to];
  while (*link != WL_NONE) link = &wl_space_state(fw)->superblock[*link].next;
  *link = superblock;
  wl_cursors_copy(fw, from, to);
}

void wl_superblock_hand_over(struct wl_firmware* fw, uint32_t from, uint32_t to) {
  hand_over(fw, wl_superblock_opened(fw, from), from, to);
}

bool wl_superblock_take_over(struct wl_firmware* fw, uint32_t stream) {
  uint32_t* open = wl_space_state(fw)->open_superblock;
  if (wl_space_state(fw)->programs != 0 || wl_superblocks_erasing(fw) != 0) return false;
  if (wl_space_state(fw)->next_superblock != WL_NONE) {
    open[stream] = wl_space_state(fw)->next_superblock;
    wl_space_state(fw)->superblock[open[stream]].handle = wl_handle_of_stream(fw, stream);
    wl_space_state(fw)->next_superblock = WL_NONE;
    wl_cursors_reset(fw, stream);
    return true;
  }
  uint32_t from = WL_STREAM_HOST;
  wl_superblock_t superblock;
  if (wl_space_state(fw)->plan.moves_apart) { /* that of its class alone */
    from = WL_STREAM_HOST + wl_stream_class(stream);
    superblock = open[from];
  } else {
    superblock = emptiest_open(fw, false, &from);
  }
  if (superblock == WL_NONE) return false;
  hand_over(fw, superblock, from, stream);
  wl_space_state(fw)->superblock[superblock].handle = wl_handle_of_stream(fw, stream);
  return true;
}

void wl_superblock_close(struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t stream = 0;
  while (stream != WL_STREAMS && !take_away(fw, stream, superblock)) ++stream;
  wl_superblock_is_full(fw, superblock);
}

uint32_t wl_superblock_write_point(const struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t stream = 0;
  while (wl_space_view(fw)->open_superblock[stream] != superblock) ++stream;
  return stream;
}

static void count_word_line(struct wl_firmware* fw, bool moves, uint32_t unit) {
  struct wl_program_statistics* s = &fw->statistics.programs;
  if (wl_unit_leads(fw, unit))
    ++*(moves ? &s->moved_leaders : &s->host_leaders);
  else
    ++*(moves ? &s->moved_followers : &s->host_followers);
}

wl_ppa_t wl_superblock_place_unit(struct wl_firmware* fw, uint32_t stream, wl_superblock_t superblock, uint32_t unit) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  const uint32_t at = unit == WL_NEXT_UNIT ? wl_unit_of(fw, superblock, sb->units) : unit;
  const wl_ppa_t ppa = superblock * fw->geometry.superblock_lpages + at * fw->geometry.unit_lpages;
  ++sb->programs;
  ++wl_space_state(fw)->programs;
  if (unit != WL_NEXT_UNIT) {
    wl_cursors_placed(fw, wl_superblock_write_point(fw, superblock), unit);
    count_word_line(fw, wl_stream_moves(stream), unit);
  }
  if (wl_stream_is_slc(fw, stream)) wl_slc_cache_gives_up(fw);
  if (!wl_stream_moves(stream)) {
    wl_pace_host_placed(fw);
    wl_superblock_prepare(fw);
  }
  if (++sb->units == wl_superblock_units(fw, superblock)) wl_superblock_close(fw, superblock);
  return ppa;
}

void wl_superblock_row_begins(struct wl_firmware* fw, wl_superblock_t superblock) {
  ++wl_space_state(fw)->superblock[superblock].programs;
}

enum wl_word_line_state wl_superblock_word_line(const struct wl_firmware* fw, wl_ppa_t ppa) {
  uint32_t in_superblock, program;
  const wl_superblock_t superblock = wl_divide(ppa, fw->geometry.superblock_lpages, &in_superblock);
  const uint32_t word_line = wl_word_line_of(fw, superblock, in_superblock / fw->geometry.unit_lpages, &program);
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  if ((word_line + 1) * fw->boot.ftl.word_line_programs <= sb->units) return WL_WORD_LINE_PLACED;
  return sb->state == WL_SUPERBLOCK_OPEN ? WL_WORD_LINE_OPEN : WL_WORD_LINE_LEFT;
}

void wl_superblock_failed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t planes) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (wl_has_parity(fw) && die == wl_die_dead(fw)) return; /* it is left as soon as it can be */
  if (!wl_spares_promise(fw, superblock, die, planes)) wl_superblock_spoil(fw, superblock, die);
  /* Where superblocks are short a closed one may be the last: GC would have no place to make room. What is
   * programmed to the block until the superblock is full is programmed elsewhere again if it fails. */
  if (sb->state == WL_SUPERBLOCK_OPEN &&
      ((sb->bad && !wl_has_parity(fw)) || wl_superblock_is_small(fw, superblock) || !wl_superblocks_short(fw)))
    wl_superblock_close(fw, superblock);
}
