/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines from free to victim.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/space/closed_lines.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/free_lines.h"
#include "models/firmware/space/initial_lines.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

void wl_space_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_space_plan* plan) {
  struct wl_space* s = &fw->space;
  s->plan = *plan;
  s->lines = fw->boot.blocks;
  s->line = wl_arena_take(tcm, (uint64_t)s->lines * sizeof(s->line[0]));
  wl_closed_layout(fw, tcm);
  wl_cursors_layout(fw, tcm);
  wl_wear_layout(fw, tcm);
  wl_spares_layout(fw, tcm, dram);
}

static void tell_engines(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.LINE_TABLE), wl_bus_address(hal, fw->space.line));
  wl_write32(hal, WL_REGISTER(ENGINES.LINE_STRIDE), sizeof(fw->space.line[0]));
  wl_write32(hal, WL_REGISTER(ENGINES.LINES), fw->space.lines);
}

void wl_space_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_boot_info* boot = &fw->boot;
  struct wl_region* region = &fw->space.region[0];
  /* Garbage collection needs two free lines to be sure of going on, the streams have a line open each. */
  region->reserve_lines = boot->gc_reserve_lines < 2 ? 2 : boot->gc_reserve_lines;
  region->start_lines = boot->gc_start_lines < region->reserve_lines ? region->reserve_lines : boot->gc_start_lines;
  region->needed_lines = (boot->user_sectors + fw->geometry.line_sectors - 1) / fw->geometry.line_sectors +
                         region->reserve_lines + wl_lines_open_at_most(&fw->space.plan);
  WL_ASSERT(hal, fw->kind[0].lines >= region->needed_lines); /* too little over-provisioning */
  /* The rest of the host's open line is a reserve, too, where pacing keeps the host from using it up. */
  if (boot->ftl.gc_pacing != 0) --region->reserve_lines;
  for (uint32_t i = 0; i < WL_REGIONS; ++i) fw->space.region[i].free_head = fw->space.region[i].free_tail = WL_NONE;
  WL_ASSERT(hal, (fw->space.plan.small_stream != 0) == wl_has_small_pages(fw));
  if (wl_has_small_pages(fw)) { /* the host has one open while another is collected, into the first region */
    fw->space.region[1].start_lines = boot->ftl.mpnfm.gc_start_lines;
    fw->space.region[1].needed_lines = 2;
    WL_ASSERT(hal, fw->kind[1].lines > fw->space.region[1].start_lines + 1 && boot->ftl.gc_pacing == 0);
  }
  wl_closed_boot(fw);
  fw->space.erase_head = fw->space.erase_tail = WL_NONE;
  for (uint32_t stream = 0; stream < WL_STREAMS; ++stream) fw->space.open_line[stream] = WL_NONE;
  fw->space.next_line = WL_NONE;
  fw->space.quiescing[0] = fw->space.quiescing[1] = WL_NONE;
  wl_wear_boot(fw);
  wl_spares_boot(fw, hal);
  fw->tables.lines = wl_bus_address(hal, fw->space.line);
  fw->tables.line_bytes = sizeof(fw->space.line[0]);
  fw->tables.erases = wl_bus_address(hal, fw->space.wear.erases);
  if (fw->initial.lines != 0) wl_initial_lines(fw, hal);
  uint32_t filled = fw->boot.preconditioned ? fw->boot.user_sectors : 0;
  if (fw->boot.ftl.map_page != 0) { /* a mapped page counts as full */
    filled += fw->boot.ftl.map_page - 1;
    filled -= filled % fw->boot.ftl.map_page;
  }
  for (uint32_t line = 0; line < fw->space.lines && fw->initial.lines == 0; ++line) {
    struct wl_line* l = &fw->space.line[line];
    l->valid = filled < fw->geometry.line_sectors ? filled : fw->geometry.line_sectors;
    filled -= l->valid;
    if (l->valid != 0) {
      l->state = WL_LINE_CLOSED;
      l->units = fw->geometry.line_units;
      fw->space.region[0].stale_sectors += fw->geometry.line_sectors - l->valid;
      wl_closed_insert(fw, line);
    } else if (!wl_marks_wanted(boot)) {
      wl_line_free(fw, line);
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

void wl_line_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  --l->valid;
  end_starvation(fw);
  if (l->state == WL_LINE_CLOSED) {
    if (!l->bad) ++wl_region_of(fw, line)->stale_sectors;
    wl_closed_emptier(fw, hal, line);
  } else if (l->state == WL_LINE_VICTIM || l->state == WL_LINE_DRAINING) {
    --wl_region_of(fw, line)->leaving.valid;
  }
}

static uint32_t take_free(struct wl_firmware* fw, struct wl_region* region) {
  const uint32_t line = region->free_head;
  if (line == WL_NONE) return WL_NONE;
  struct wl_line* l = &fw->space.line[line];
  region->free_head = l->next;
  --region->free_lines;
  --fw->statistics.free_lines;
  l->next = WL_NONE;
  l->state = WL_LINE_OPEN;
  l->units = 0;
  l->valid = 0;
  l->programs = 0;
  return line;
}

void wl_line_prepare(struct wl_firmware* fw) {
  struct wl_space* s = &fw->space;
  if (fw->boot.ftl.gc_pacing == 0 || s->next_line != WL_NONE || wl_lines_free(fw) != wl_lines_reserve(fw) + 1) return;
  bool nearly_full = false;
  for (uint32_t stream = WL_STREAM_HOST; stream < fw->space.plan.host_streams; ++stream)
    nearly_full |=
        s->open_line[stream] != WL_NONE && wl_line_rest(fw, s->open_line[stream]) <= fw->geometry.line_sectors / 4;
  if (!nearly_full) return;
  s->next_line = take_free(fw, &s->region[0]);
  wl_pace_host_opened(fw);
  wl_kick(fw, WL_STEP_GC);
}

uint32_t wl_line_open(struct wl_firmware* fw, uint32_t stream) {
  uint32_t line = WL_NONE;
  const bool small = wl_stream_is_small(fw, stream);
  if (!wl_stream_moves(stream) && !small) {
    line = fw->space.next_line;
    fw->space.next_line = WL_NONE;
  }
  if (line == WL_NONE) line = take_free(fw, &fw->space.region[small]);
  if (line == WL_NONE) return WL_NONE;
  fw->space.open_line[stream] = line;
  wl_cursors_reset(fw, stream);
  if (!wl_stream_moves(stream)) wl_pace_host_opened(fw);
  wl_kick(fw, WL_STEP_GC);
  return line;
}

/* Open line of the host's or of moved data with the most room, and its stream. */
static uint32_t emptiest_open(const struct wl_firmware* fw, bool moves, uint32_t* stream) {
  const uint32_t first = moves ? WL_STREAM_GC : WL_STREAM_HOST;
  const uint32_t end = first + (moves ? fw->space.plan.move_streams : fw->space.plan.host_streams);
  uint32_t found = WL_NONE;
  for (uint32_t s = first; s < end; ++s) {
    if (wl_stream_is_small(fw, s)) continue;
    for (uint32_t line = wl_line_opened(fw, s); line != WL_NONE; line = wl_line_opened_after(fw, line)) {
      if (found != WL_NONE && wl_line(fw, line)->units >= wl_line(fw, found)->units) continue;
      found = line;
      *stream = s;
    }
  }
  return found;
}

uint32_t wl_line_of_another_class(const struct wl_firmware* fw, uint32_t stream) {
  uint32_t other = WL_STREAM_HOST;
  return emptiest_open(fw, wl_stream_moves(stream), &other);
}

/* `line` is no open one of `stream` any more. False: it was none. */
static bool take_away(struct wl_firmware* fw, uint32_t stream, uint32_t line) {
  uint32_t* link = &fw->space.open_line[stream];
  while (*link != WL_NONE && *link != line) link = &fw->space.line[*link].next;
  if (*link == WL_NONE) return false;
  *link = fw->space.line[line].next;
  fw->space.line[line].next = WL_NONE;
  return true;
}

static void hand_over(struct wl_firmware* fw, uint32_t line, uint32_t from, uint32_t to) {
  (void)take_away(fw, from, line);
  uint32_t* link = &fw->space.open_line[to];
  while (*link != WL_NONE) link = &fw->space.line[*link].next;
  *link = line;
  wl_cursors_copy(fw, from, to);
}

void wl_line_hand_over(struct wl_firmware* fw, uint32_t from, uint32_t to) {
  hand_over(fw, wl_line_opened(fw, from), from, to);
}

bool wl_line_take_over(struct wl_firmware* fw, uint32_t stream) {
  uint32_t* open = fw->space.open_line;
  if (fw->space.programs != 0 || wl_lines_erasing(fw) != 0) return false;
  if (fw->space.next_line != WL_NONE) {
    open[stream] = fw->space.next_line;
    fw->space.next_line = WL_NONE;
    wl_cursors_reset(fw, stream);
    return true;
  }
  uint32_t from = WL_STREAM_HOST;
  const uint32_t line = emptiest_open(fw, false, &from);
  if (line == WL_NONE) return false;
  hand_over(fw, line, from, stream);
  return true;
}

void wl_line_closed(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  l->state = WL_LINE_CLOSED;
  if (!l->bad) wl_region_of(fw, line)->stale_sectors += wl_kind_of_line(fw, line)->line_sectors - l->valid;
  wl_closed_insert(fw, line);
  end_starvation(fw);
}

static void close_if_done(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  if (l->state != WL_LINE_CLOSING || l->programs != 0) return;
  wl_line_closed(fw, line);
  if (!wl_spares_promised(fw, line)) return;
  ++fw->space.spares.urgent;
  wl_kick(fw, WL_STEP_GC);
}

static void close(struct wl_firmware* fw, uint32_t line) {
  uint32_t stream = 0;
  while (stream != WL_STREAMS && !take_away(fw, stream, line)) ++stream;
  fw->space.line[line].state = WL_LINE_CLOSING;
  close_if_done(fw, line);
}

uint32_t wl_line_write_point(const struct wl_firmware* fw, uint32_t line) {
  uint32_t stream = 0;
  while (fw->space.open_line[stream] != line) ++stream;
  return stream;
}

static void count_word_line(struct wl_firmware* fw, bool moves, uint32_t unit) {
  struct wl_program_statistics* s = &fw->statistics.programs;
  if (wl_unit_leads(fw, unit))
    ++*(moves ? &s->moved_leaders : &s->host_leaders);
  else
    ++*(moves ? &s->moved_followers : &s->host_followers);
}

uint32_t wl_line_place_unit(struct wl_firmware* fw, uint32_t stream, uint32_t line, uint32_t unit) {
  struct wl_line* l = &fw->space.line[line];
  const uint32_t at = unit == WL_NEXT_UNIT ? wl_unit_in_order(fw, l->units) : unit;
  const uint32_t place = line * fw->geometry.line_sectors + at * fw->geometry.unit_sectors;
  ++l->programs;
  ++fw->space.programs;
  if (unit != WL_NEXT_UNIT) {
    wl_cursors_placed(fw, wl_line_write_point(fw, line), unit);
    count_word_line(fw, wl_stream_moves(stream), unit);
  }
  if (!wl_stream_moves(stream)) {
    wl_pace_host_placed(fw);
    wl_line_prepare(fw);
  }
  if (++l->units == wl_kind_of_line(fw, line)->line_units) close(fw, line);
  return place;
}

void wl_line_program_done(struct wl_firmware* fw, uint32_t line, uint32_t valid) {
  fw->space.line[line].valid += valid;
  --fw->space.line[line].programs;
  wl_small_lines_go_on(fw);
  if (--fw->space.programs == 0) wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC); /* for wl_line_take_over */
  close_if_done(fw, line);
}

void wl_line_failed(struct wl_firmware* fw, uint32_t line, uint32_t die, uint32_t planes) {
  struct wl_line* l = &fw->space.line[line];
  if (!wl_spares_promise(fw, line, die, planes)) l->bad = 1;
  /* Where lines are short a closed one may be the last: the collector would have no place to make room. What is
   * programmed to the block until the line is full is programmed elsewhere again if it fails. */
  if (l->state == WL_LINE_OPEN && (l->bad || wl_line_is_small(fw, line) || !wl_lines_short(fw))) close(fw, line);
}

/* A search that finds nothing leaves `starved` as it is: it is set when the search begins, and what becomes invalid, or
 * is closed, behind the search's back clears it. */
static uint32_t search(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_space* s = &fw->space;
  FW_TASK(hal, WL_COST_FTL_GC_VICTIM);
  if (wl_engine_waits(fw, WL_ANSWER_SEARCH)) return WL_ASKED;
  if (s->answered) {
    s->answered = false;
    const uint32_t line = wl_engine_victim(fw);
    if (line == WL_LPN_NONE) {
      if (s->starved) return WL_NONE;
    } else if (s->line[line].state == WL_LINE_CLOSED) {
      if (s->line[line].valid < fw->geometry.line_sectors) {
        s->starved = false;
        s->searched_from = line + 1 == s->lines ? 0 : line + 1;
        return line;
      }
      if (s->starved) return WL_NONE; /* the emptiest is full */
    }
  }
  s->starved = true;
  wl_engine_ask_search(fw, hal, s->searched_from);
  return WL_ASKED;
}

void wl_lines_searched(struct wl_firmware* fw) {
  fw->space.answered = true;
  wl_kick(fw, WL_STEP_GC);
}

uint32_t wl_small_line_emptiest(struct wl_firmware* fw) { return wl_closed_emptiest_small(fw); }

uint32_t wl_line_emptiest(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return search(fw, hal);
  const uint32_t line = wl_closed_emptiest(fw);
  return line != WL_NONE && fw->space.line[line].valid < fw->geometry.line_sectors ? line : WL_NONE;
}

uint32_t wl_line_urgent(const struct wl_firmware* fw) {
  if (fw->space.spares.urgent == 0 || wl_lines_short(fw)) return WL_NONE;
  uint32_t line = 0;
  while (fw->space.line[line].state != WL_LINE_CLOSED || fw->space.spares.promised[line] == WL_NONE) ++line;
  return line;
}

void wl_line_take(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  if (wl_spares_promised(fw, line)) --fw->space.spares.urgent;
  wl_closed_remove(fw, line);
  ++fw->space.taken;
  struct wl_region* region = wl_region_of(fw, line);
  if (wl_line_is_small(fw, line)) ++fw->statistics.small.victims;
  ++region->leaving.lines;
  region->leaving.valid += l->valid;
  fw->space.pace.victim_valid = l->valid;
  if (!l->bad) region->stale_sectors -= wl_kind_of_line(fw, line)->line_sectors - l->valid;
  l->state = WL_LINE_VICTIM; /* some of its sectors may be moving already: wl_mover_idle */
}
