/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Collector: reads the valid sectors of a victim into its own units and its own line, repoints the map where it still
 * points to the old place, erases the victim when nothing of it is left. One victim is read at a time; units mix sectors of
 * several victims.
 *
 * A sector that cannot be read is marked lost: later reads of it end with an error.
 */
#include "models/firmware/policy/policy.h"
#include "models/firmware/tasks.h"

/* Sector whose valid data lie at `place`, or WL_NONE. */
static uint32_t valid_owner(const struct wl_firmware* fw, uint32_t place) {
  const uint32_t lpn = wl_place_owner(fw, place);
  return lpn != WL_NONE && wl_map_get(fw, lpn) == place + WL_MAP_PLACE0 ? lpn : WL_NONE;
}

/* Reads job->count sectors from the old place of job->slot on. A function by itself, so that a debugger can stop at a move. */
__attribute__((noinline)) static void read_run(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  const struct wl_job* job = &fw->jobs[id];
  wl_send_flash_read(fw, hal, id, fw->gc_from[job->slot - fw->gc_slot0].place, job->count, job->slot, WL_PRIORITY_GC,
                     WL_NO_TAG, 0);
}

static bool choose(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC);
  if (!fw->policy->collect(fw)) {
    fw->answered = false; /* it will be old */
    return false;
  }
  const uint32_t line = fw->policy->victim(fw, hal);
  if (line == WL_ASKED) return false;
  if (line == WL_NONE) {
    fw->gc_starved = true;
    /* Sectors of earlier victims may wait for company in a unit: send them, their lines become free. */
    const uint32_t open = fw->open_unit[WL_STREAM_GC];
    if (open != WL_NONE && fw->units[open].filled != 0) wl_unit_close(fw, open);
    wl_gc_fill_close(fw, hal);
    return false;
  }
  wl_line_take(fw, line);
  fw->victim = line;
  fw->scan = 0;
  ++fw->statistics.gc_lines;
  return true;
}

/* A unit with a free slot, and a job id for the read, unless the copy engine reads; false: none, one that comes free kicks. */
static bool room(struct wl_firmware* fw, uint32_t* unit, uint32_t* id) {
  *id = WL_NONE;
  *unit = fw->open_unit[WL_STREAM_GC];
  if (*unit == WL_NONE) *unit = wl_unit_open(fw, WL_STREAM_GC);
  if (*unit == WL_NONE) return false;
  if (wl_engine(fw, WL_ENGINE_COPY)) return true;
  *id = wl_job_take(fw, WL_KICK_GC);
  return *id != WL_NONE;
}

/* Sectors of a run that begins at `place`, at most: of one page, into one unit. */
static uint32_t longest(const struct wl_firmware* fw, const struct wl_unit* unit, uint32_t place) {
  const uint32_t page = wl_page_room(fw, place);
  const uint32_t slots = fw->geometry.unit_sectors - unit->filled;
  return page < slots ? page : slots;
}

/* The next `count` slots of the unit are filled by a read; their gc_from is set. */
static void send_run(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u, uint32_t id, uint32_t count) {
  struct wl_unit* unit = &fw->units[u];
  const uint32_t line = fw->victim;
  fw->line[line].moving += count;
  const uint32_t slot = unit->slot + unit->filled;
  unit->filled = (uint16_t)(unit->filled + count);
  unit->used = unit->filled;
  if (id == WL_NONE) { /* the copy engine gets the unit with its place */
    if (unit->filled == fw->geometry.unit_sectors) wl_unit_close(fw, u);
    return;
  }
  ++unit->pending; /* one per read */
  struct wl_job* job = &fw->jobs[id];
  job->kind = WL_JOB_KIND_GC;
  job->index = (uint16_t)u;
  job->line = line;
  job->slot = slot;
  job->count = (uint16_t)count;
  job->rest = 0;
  ++fw->line[line].reads;
  read_run(fw, hal, id);
  if (unit->filled == fw->geometry.unit_sectors) {
    unit->state = WL_UNIT_CLOSING;
    fw->open_unit[WL_STREAM_GC] = WL_NONE;
  }
}

/* Looks at the victim sector by sector. */
static enum wl_progress scan(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t base = fw->victim * fw->geometry.line_sectors;
  uint32_t budget = WL_SECTOR_BUDGET;
  while (fw->scan != fw->geometry.line_sectors && fw->line[fw->victim].valid != 0) {
    if (budget-- == 0) return WL_MORE;
    FW_TASK(hal, WL_COST_FTL_GC_SECTOR);
    const uint32_t place = base + fw->scan;
    uint32_t lpn = valid_owner(fw, place);
    if (lpn == WL_NONE) {
      ++fw->scan;
      continue;
    }
    uint32_t u, id;
    if (!room(fw, &u, &id)) return WL_WAIT;
    const uint32_t first = fw->units[u].slot + fw->units[u].filled - fw->gc_slot0;
    const uint32_t most = longest(fw, &fw->units[u], place);
    uint32_t count = 0;
    do {
      fw->gc_from[first + count].place = place + count;
      fw->gc_from[first + count].lpn = lpn;
      ++count;
      if (count == most || budget == 0) break;
      --budget;
      FW_TASK(hal, WL_COST_FTL_GC_SECTOR);
      lpn = valid_owner(fw, place + count);
    } while (lpn != WL_NONE);
    fw->scan += count;
    send_run(fw, hal, u, id, count);
  }
  return WL_SCANNED;
}

/* Takes what the engine has found, and asks it for more. */
static enum wl_progress take_found(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (fw->grace_running & WL_SCANNING) return WL_WAIT; /* its end kicks */
  const uint32_t base = fw->victim * fw->geometry.line_sectors;
  for (uint32_t budget = WL_SECTOR_BUDGET; fw->line[fw->victim].valid != 0;) {
    if (fw->found_used == fw->found) {
      if (fw->scan == fw->geometry.line_sectors) break;
      FW_TASK(hal, WL_COST_FTL_GC);
      wl_gc_scan_begin(fw, hal, base + fw->scan, base + fw->geometry.line_sectors);
      return WL_WAIT;
    }
    if (budget == 0) return WL_MORE;
    FW_TASK(hal, WL_COST_FTL_GC_FOUND);
    const uint32_t place = fw->gc_list->found[fw->found_used].place;
    uint32_t u, id;
    if (!room(fw, &u, &id)) return WL_WAIT;
    const uint32_t first = fw->units[u].slot + fw->units[u].filled - fw->gc_slot0;
    const uint32_t most = longest(fw, &fw->units[u], place);
    uint32_t count = 0;
    for (;;) {
      fw->gc_from[first + count].place = place + count;
      fw->gc_from[first + count].lpn = fw->gc_list->found[fw->found_used].lpn;
      ++fw->found_used;
      --budget;
      if (++count == most || budget == 0 || fw->found_used == fw->found) break;
      if (fw->gc_list->found[fw->found_used].place != place + count) break;
      FW_TASK(hal, WL_COST_FTL_GC_FOUND);
    }
    send_run(fw, hal, u, id, count);
  }
  fw->found = fw->found_used = 0;
  return WL_SCANNED;
}

void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (fw->victim == WL_NONE && !choose(fw, hal)) {
    fw->kick &= ~(uint32_t)WL_KICK_GC;
    return;
  }
  const enum wl_progress progress = wl_engine(fw, WL_ENGINES_COLLECT) ? wl_gc_fill(fw, hal)
                                    : wl_engine(fw, WL_ENGINE_GC)     ? take_found(fw, hal)
                                                                      : scan(fw, hal);
  if (progress == WL_MORE) return;
  if (progress == WL_WAIT) {
    fw->kick &= ~(uint32_t)WL_KICK_GC;
    return;
  }
  const uint32_t line = fw->victim;
  fw->line[line].state = WL_LINE_DRAINING;
  fw->draining += fw->line[line].moving;
  fw->victim = WL_NONE;
  wl_line_try_erase(fw, line);
}

/* One sector less of the line is in the collector's units. */
static void moved(struct wl_firmware* fw, uint32_t line) {
  if (fw->line[line].state == WL_LINE_DRAINING) --fw->draining;
  if (--fw->line[line].moving == 0) wl_line_try_erase(fw, line);
}

void wl_gc_lose(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index) {
  const uint32_t place = fw->gc_from[index].place;
  const uint32_t lpn = fw->gc_from[index].lpn;
  const uint32_t line = place / fw->geometry.line_sectors;
  fw->gc_from[index].place = WL_NONE;
  if (wl_map_get(fw, lpn) == place + WL_MAP_PLACE0) wl_map_set_gone(fw, hal, lpn, WL_MAP_LOST);
  moved(fw, line);
}

/* A failed run is read again sector by sector, to lose no more than necessary. */
void wl_gc_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  if (wl_engine(fw, WL_ENGINE_COPY)) {
    wl_gc_copy_read(fw, hal, id, ok);
    return;
  }
  struct wl_job* job = &fw->jobs[id];
  if (!ok && job->count > 1) {
    job->rest = job->count - 1u;
    job->count = 1;
    read_run(fw, hal, id);
    return;
  }
  const uint32_t index = job->slot - fw->gc_slot0;
  if (!ok) wl_gc_lose(fw, hal, index);
  for (uint32_t i = 0; i < job->count; ++i)
    fw->slot_table[job->slot + i].lpn = ok ? fw->gc_from[index + i].lpn : WL_LPN_NONE;
  if (job->rest != 0) {
    ++job->slot;
    --job->rest;
    read_run(fw, hal, id);
    return;
  }
  const uint32_t unit = job->index;
  const uint32_t line = job->line;
  wl_job_release(fw, id);
  wl_unit_arrived(fw, unit, 1);
  wl_line_read_done(fw, line);
}

void wl_gc_program_done(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_unit* unit) {
  uint32_t valid = 0;
  uint32_t copied = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_sectors; ++i) {
    FW_TASK(hal, WL_COST_FTL_GC_MOVED);
    const struct wl_gc_source* source = &fw->gc_from[unit->slot + i - fw->gc_slot0];
    const uint32_t from = source->place;
    const uint32_t place = unit->place + i;
    if (from == WL_NONE) {
      fw->p2l[place] = WL_NONE;
      continue;
    }
    const uint32_t lpn = source->lpn;
    fw->p2l[place] = lpn + 1;
    ++copied;
    const uint32_t line = from / fw->geometry.line_sectors;
    if (wl_map_get(fw, lpn) == from + WL_MAP_PLACE0) {
      wl_map_put(fw, lpn, place + WL_MAP_PLACE0);
      wl_line_invalidate(fw, hal, line);
      ++valid;
    }
    moved(fw, line);
  }
  fw->statistics.gc_sectors_copied += copied;
  if (wl_engine(fw, WL_ENGINES_COLLECT)) fw->filling -= fw->geometry.unit_sectors;
  wl_line_program_done(fw, unit->place / fw->geometry.line_sectors, valid);
}
