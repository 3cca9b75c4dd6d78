/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines from free to victim.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/space/closed_lines.h"
#include "models/firmware/space/free_lines.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

void wl_space_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_space* s = &fw->space;
  s->lines = fw->boot.blocks;
  s->line = wl_arena_take(tcm, (uint64_t)s->lines * sizeof(s->line[0]));
  s->bucket.head = wl_arena_take(tcm, (WL_BUCKETS + 1) * sizeof(s->bucket.head[0]));
  s->bucket.tail = wl_arena_take(tcm, (WL_BUCKETS + 1) * sizeof(s->bucket.tail[0]));
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
  /* Garbage collection needs two free lines to be sure of going on, the streams have a line open each. */
  fw->space.reserve_lines = boot->gc_reserve_lines < 2 ? 2 : boot->gc_reserve_lines;
  fw->space.start_lines =
      boot->gc_start_lines < fw->space.reserve_lines ? fw->space.reserve_lines : boot->gc_start_lines;
  fw->space.needed_lines =
      (boot->user_sectors + fw->geometry.line_sectors - 1) / fw->geometry.line_sectors + fw->space.reserve_lines + 2;
  WL_ASSERT(hal, fw->space.lines >= fw->space.needed_lines); /* too little over-provisioning */
  /* The rest of the host's open line is a reserve, too, where pacing keeps the host from using it up. */
  if (boot->gc_pacing != 0) --fw->space.reserve_lines;
  fw->space.bucket.shift = 0;
  while (fw->geometry.line_sectors >> fw->space.bucket.shift > WL_BUCKETS) ++fw->space.bucket.shift;
  for (uint32_t b = 0; b <= WL_BUCKETS; ++b) fw->space.bucket.head[b] = fw->space.bucket.tail[b] = WL_NONE;
  fw->space.bucket.min = WL_BUCKETS + 1;
  fw->space.free_head = fw->space.free_tail = WL_NONE;
  fw->space.erase_head = fw->space.erase_tail = WL_NONE;
  fw->space.open_line[WL_STREAM_HOST] = fw->space.open_line[WL_STREAM_GC] = WL_NONE;
  fw->space.next_line = WL_NONE;
  fw->space.quiescing[0] = fw->space.quiescing[1] = WL_NONE;
  wl_wear_boot(fw);
  wl_spares_boot(fw, hal);
  uint32_t filled = fw->boot.preconditioned ? fw->boot.user_sectors : 0;
  for (uint32_t line = 0; line < fw->space.lines; ++line) {
    struct wl_line* l = &fw->space.line[line];
    l->valid = filled < fw->geometry.line_sectors ? filled : fw->geometry.line_sectors;
    filled -= l->valid;
    if (l->valid != 0) {
      l->state = WL_LINE_CLOSED;
      l->units = fw->geometry.line_units;
      fw->space.stale_sectors += fw->geometry.line_sectors - l->valid;
      wl_closed_insert(fw, line);
    } else if (!wl_marks_wanted(boot)) {
      wl_line_free(fw, line);
    }
  }
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
    if (!l->bad) ++fw->space.stale_sectors;
    wl_closed_emptier(fw, hal, line);
  } else if (l->state == WL_LINE_VICTIM || l->state == WL_LINE_DRAINING) {
    --fw->space.leaving.valid;
  }
}

static uint32_t take_free(struct wl_firmware* fw) {
  const uint32_t line = fw->space.free_head;
  if (line == WL_NONE) return WL_NONE;
  struct wl_line* l = &fw->space.line[line];
  fw->space.free_head = l->next;
  --fw->statistics.free_lines;
  l->state = WL_LINE_OPEN;
  l->units = 0;
  l->valid = 0;
  l->programs = 0;
  return line;
}

void wl_line_prepare(struct wl_firmware* fw) {
  struct wl_space* s = &fw->space;
  const uint32_t open = s->open_line[WL_STREAM_HOST];
  if (fw->boot.gc_pacing == 0 || s->next_line != WL_NONE || open == WL_NONE ||
      wl_lines_free(fw) != s->reserve_lines + 1 || wl_line_rest(fw, open) > fw->geometry.line_sectors / 4)
    return;
  s->next_line = take_free(fw);
  wl_pace_host_opened(fw);
  wl_kick(fw, WL_STEP_GC);
}

uint32_t wl_line_open(struct wl_firmware* fw, uint32_t stream) {
  uint32_t line = WL_NONE;
  if (stream == WL_STREAM_HOST) {
    line = fw->space.next_line;
    fw->space.next_line = WL_NONE;
  }
  if (line == WL_NONE) line = take_free(fw);
  if (line == WL_NONE) return WL_NONE;
  fw->space.open_line[stream] = line;
  if (stream == WL_STREAM_HOST) wl_pace_host_opened(fw);
  wl_kick(fw, WL_STEP_GC);
  return line;
}

bool wl_line_take_over(struct wl_firmware* fw) {
  uint32_t* open = fw->space.open_line;
  uint32_t* from = fw->space.next_line != WL_NONE ? &fw->space.next_line : &open[WL_STREAM_HOST];
  if (fw->space.programs != 0 || fw->space.erasing_lines != 0 || *from == WL_NONE) return false;
  open[WL_STREAM_GC] = *from;
  *from = WL_NONE;
  return true;
}

static void close_if_done(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  if (l->state != WL_LINE_CLOSING || l->programs != 0) return;
  l->state = WL_LINE_CLOSED;
  l->closed_at = fw->space.closings++;
  if (!l->bad) fw->space.stale_sectors += fw->geometry.line_sectors - l->valid;
  wl_closed_insert(fw, line);
  end_starvation(fw);
  if (!wl_spares_promised(fw, line)) return;
  ++fw->space.spares.urgent;
  wl_kick(fw, WL_STEP_GC);
}

static void close(struct wl_firmware* fw, uint32_t line) {
  for (uint32_t s = 0; s < WL_STREAMS; ++s)
    if (fw->space.open_line[s] == line) fw->space.open_line[s] = WL_NONE;
  fw->space.line[line].state = WL_LINE_CLOSING;
  close_if_done(fw, line);
}

uint32_t wl_line_place_unit(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  const uint32_t place = line * fw->geometry.line_sectors + l->units * fw->geometry.unit_sectors;
  ++l->programs;
  ++fw->space.programs;
  if (line == fw->space.open_line[WL_STREAM_HOST]) {
    wl_pace_host_placed(fw);
    wl_line_prepare(fw);
  }
  if (++l->units == fw->geometry.line_units) close(fw, line);
  return place;
}

void wl_line_program_done(struct wl_firmware* fw, uint32_t line, uint32_t valid) {
  fw->space.line[line].valid += valid;
  --fw->space.line[line].programs;
  if (--fw->space.programs == 0) wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC); /* for wl_line_take_over */
  close_if_done(fw, line);
}

void wl_line_failed(struct wl_firmware* fw, uint32_t line, uint32_t die, uint32_t planes) {
  struct wl_line* l = &fw->space.line[line];
  if (!wl_spares_promise(fw, line, die, planes)) l->bad = 1;
  /* Where lines are short a closed one may be the last: the collector would have no place to make room. What is
   * programmed to the block until the line is full is programmed elsewhere again if it fails. */
  if (l->state == WL_LINE_OPEN && (l->bad || !wl_lines_short(fw))) close(fw, line);
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
  ++fw->space.leaving.lines;
  fw->space.leaving.valid += l->valid;
  fw->space.pace.victim_valid = l->valid;
  if (!l->bad) fw->space.stale_sectors -= fw->geometry.line_sectors - l->valid;
  l->state = WL_LINE_VICTIM;
  l->moving = 0;
}
