/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Units: runs of unit_sectors slots that fill up, are placed, programmed and freed. The host's units are the write
 * buffer: reads are served from them until the program has ended and no reader is left. The collector's units hold
 * copies; the map points to the old place until the program has ended.
 *
 * A failed program closes its line, which is retired once it is empty, and the unit is placed again elsewhere.
 */
#include "models/firmware/policy/policy.h"
#include "models/firmware/tasks.h"

void wl_unit_push(struct wl_firmware* fw, struct wl_list* l, uint32_t u) {
  fw->units[u].next = WL_NO_INDEX;
  if (l->head == WL_NO_INDEX)
    l->head = (uint16_t)u;
  else
    fw->units[l->tail].next = (uint16_t)u;
  l->tail = (uint16_t)u;
}

static void unit_push_front(struct wl_firmware* fw, struct wl_list* l, uint32_t u) {
  fw->units[u].next = l->head;
  if (l->head == WL_NO_INDEX) l->tail = (uint16_t)u;
  l->head = (uint16_t)u;
}

uint32_t wl_unit_of_slot(const struct wl_firmware* fw, uint32_t slot) { return slot / fw->geometry.unit_sectors; }

uint32_t wl_unit_open(struct wl_firmware* fw, uint32_t stream) {
  struct wl_list* l = &fw->free_units[stream];
  const uint32_t u = l->head;
  if (u == WL_NO_INDEX) return WL_NONE;
  struct wl_unit* unit = &fw->units[u];
  l->head = unit->next;
  unit->state = WL_UNIT_OPEN;
  unit->filled = 0;
  unit->used = 0;
  unit->pending = 0;
  unit->readers = 0;
  unit->copied = 0;
  unit->sequence = fw->sequence++;
  fw->open_unit[stream] = u;
  return u;
}

void wl_unit_free(struct wl_firmware* fw, uint32_t u) {
  struct wl_unit* unit = &fw->units[u];
  unit->state = WL_UNIT_FREE;
  wl_unit_push(fw, &fw->free_units[unit->stream], u);
  if (unit->stream == WL_STREAM_HOST) {
    if (!wl_list_empty(&fw->writes)) fw->kick |= WL_KICK_WRITE;
  } else {
    fw->kick |= WL_KICK_GC;
  }
}

/* The host's unit is on flash and no core reads it any more. */
static void host_unit_done(struct wl_firmware* fw, uint32_t u) {
  if (wl_engine(fw, WL_ENGINES_BUFFER))
    wl_grace_unit(fw, u);
  else
    wl_unit_free(fw, u);
}

static void ready_if_complete(struct wl_firmware* fw, uint32_t u) {
  struct wl_unit* unit = &fw->units[u];
  if (unit->state != WL_UNIT_CLOSING || unit->pending != 0) return;
  unit->state = WL_UNIT_READY;
  wl_unit_push(fw, &fw->ready[unit->stream], u);
  fw->kick |= WL_KICK_PLACE;
}

uint32_t wl_buffer_slot(struct wl_firmware* fw) {
  uint32_t u = fw->open_unit[WL_STREAM_HOST];
  if (u == WL_NONE) {
    u = wl_unit_open(fw, WL_STREAM_HOST);
    if (u == WL_NONE) return WL_NONE;
    ++fw->dirty_units;
  }
  struct wl_unit* unit = &fw->units[u];
  const uint32_t slot = unit->slot + unit->filled;
  fw->slot_table[slot].lpn = WL_LPN_NONE; /* until the data have arrived */
  ++unit->filled;
  ++unit->used;
  ++unit->pending;
  if (unit->filled == fw->geometry.unit_sectors) {
    unit->state = WL_UNIT_CLOSING;
    fw->open_unit[WL_STREAM_HOST] = WL_NONE;
  }
  return slot;
}

void wl_unit_close(struct wl_firmware* fw, uint32_t u) {
  struct wl_unit* unit = &fw->units[u];
  fw->open_unit[unit->stream] = WL_NONE;
  for (uint32_t i = unit->filled; i < fw->geometry.unit_sectors; ++i) {
    fw->slot_table[unit->slot + i].lpn = WL_LPN_NONE;
    if (unit->stream == WL_STREAM_GC) fw->gc_from[unit->slot + i - fw->gc_slot0].place = WL_NONE;
  }
  fw->statistics.pad_sectors += fw->geometry.unit_sectors - unit->filled;
  unit->filled = (uint16_t)fw->geometry.unit_sectors;
  unit->state = WL_UNIT_CLOSING;
  ready_if_complete(fw, u);
}

void wl_unit_arrived(struct wl_firmware* fw, uint32_t u, uint32_t count) {
  fw->units[u].pending = (uint16_t)(fw->units[u].pending - count);
  ready_if_complete(fw, u);
}

void wl_unit_reader_done(struct wl_firmware* fw, uint32_t u) {
  struct wl_unit* unit = &fw->units[u];
  if (--unit->readers == 0 && unit->state == WL_UNIT_DONE) host_unit_done(fw, u);
}

void wl_unit_place(struct wl_firmware* fw, uint32_t u, uint32_t line, uint32_t id) {
  struct wl_unit* unit = &fw->units[u];
  struct wl_line* l = &fw->line[line];
  unit->state = WL_UNIT_PROGRAMMING;
  unit->place = line * fw->geometry.line_sectors + l->units * fw->geometry.unit_sectors;
  struct wl_job* job = &fw->jobs[id];
  job->kind = WL_JOB_KIND_PROGRAM;
  job->index = (uint16_t)u;
  job->line = line;
  ++l->programs;
  if (++l->units == fw->geometry.line_units) wl_line_close(fw, line);
}

/* Places one unit: the collector's first, because only it makes room. */
void wl_place_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  for (uint32_t i = 0; i < WL_STREAMS; ++i) {
    const uint32_t stream = i == 0 ? WL_STREAM_GC : WL_STREAM_HOST;
    struct wl_list* ready = &fw->ready[stream];
    if (wl_list_empty(ready)) continue;
    FW_COMMAND(hal, stream == WL_STREAM_GC ? WL_COMMAND_COLLECTION : WL_OP_WRITE);
    FW_TASK(hal, WL_COST_FTL_UNIT);
    const uint32_t line = fw->policy->place(fw, stream);
    if (line == WL_NONE) continue; /* a line that becomes free kicks again */
    const uint32_t id = wl_job_take(fw, WL_KICK_PLACE);
    if (id == WL_NONE) {
      fw->kick &= ~(uint32_t)WL_KICK_PLACE;
      return;
    }
    const uint32_t u = ready->head;
    const struct wl_unit* unit = &fw->units[u];
    ready->head = unit->next;
    wl_unit_place(fw, u, line, id);
    if (stream == WL_STREAM_GC && wl_engine(fw, WL_ENGINE_COPY))
      wl_copy_post(fw, hal, id, u, unit->copied ? WL_COPY_READY : 0);
    else
      wl_send_flash_program(fw, hal, id, unit->place, unit->slot,
                            stream == WL_STREAM_GC ? WL_PRIORITY_GC : WL_PRIORITY_HOST);
    return;
  }
  fw->kick &= ~(uint32_t)WL_KICK_PLACE;
}

static void flush_start(struct wl_firmware* fw, const struct wl_hal* hal) {
  while (!wl_list_empty(&fw->flush_next)) {
    fw->flushing = fw->flush_next;
    wl_list_clear(&fw->flush_next);
    const uint32_t open = fw->open_unit[WL_STREAM_HOST];
    if (open != WL_NONE) wl_unit_close(fw, open);
    fw->flush_sequence = fw->sequence;
    fw->flush_remaining = fw->dirty_units;
    if (fw->flush_remaining != 0) return;
    while (!wl_list_empty(&fw->flushing)) wl_complete(fw, hal, wl_command_pop(fw, &fw->flushing), WL_STATUS_OK);
  }
}

/* Everything that was completed before now is programmed before `tag` completes. Requests that come while one is under
 * way wait together for the next round. */
void wl_flush(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  wl_command_push(fw, &fw->flush_next, tag);
  if (wl_list_empty(&fw->flushing)) flush_start(fw, hal);
}

static void host_program_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u, uint32_t line) {
  struct wl_unit* unit = &fw->units[u];
  uint32_t valid = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_sectors; ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const uint32_t lpn = fw->slot_table[unit->slot + i].lpn;
    const uint32_t place = unit->place + i;
    if (lpn == WL_LPN_NONE) {
      fw->p2l[place] = WL_NONE;
      continue;
    }
    fw->p2l[place] = lpn + 1;
    if (fw->l2p[lpn] != (WL_MAP_BUFFER | (unit->slot + i))) continue; /* overwritten or deallocated meanwhile */
    wl_map_put(fw, lpn, place + WL_MAP_PLACE0);
    ++valid;
  }
  wl_line_program_done(fw, line, valid);
  --fw->dirty_units;
  unit->state = WL_UNIT_DONE;
  const uint32_t sequence = unit->sequence;
  if (unit->readers == 0) host_unit_done(fw, u);
  if (!wl_list_empty(&fw->writes)) fw->kick |= WL_KICK_WRITE; /* may wait for this unit to be on flash */
  if (fw->flush_remaining != 0 && (int32_t)(sequence - fw->flush_sequence) < 0 && --fw->flush_remaining == 0) {
    while (!wl_list_empty(&fw->flushing)) wl_complete(fw, hal, wl_command_pop(fw, &fw->flushing), WL_STATUS_OK);
    flush_start(fw, hal);
  }
}

void wl_program_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok) {
  FW_TASK(hal, WL_COST_FTL_PROGRAM_DONE);
  const uint32_t u = job->index;
  struct wl_unit* unit = &fw->units[u];
  uint32_t line = job->line;
  if (unit->stream == WL_STREAM_GC && wl_engine(fw, WL_ENGINE_COPY)) {
    unit->place = fw->copy_places[u - fw->host_units];
    line = unit->place / fw->geometry.line_sectors;
  }
  if (!ok) {
    fw->line[line].bad = 1;
    if (fw->line[line].state == WL_LINE_OPEN) wl_line_close(fw, line);
    for (uint32_t i = 0; i < fw->geometry.unit_sectors; ++i) fw->p2l[unit->place + i] = WL_NONE;
    wl_line_program_done(fw, line, 0);
    unit->state = WL_UNIT_READY;
    unit->copied = 1;
    unit_push_front(fw, &fw->ready[unit->stream], u);
    fw->kick |= WL_KICK_PLACE;
    return;
  }
  fw->statistics.sectors_programmed += fw->geometry.unit_sectors;
  if (unit->stream == WL_STREAM_HOST) {
    host_program_done(fw, hal, u, line);
    return;
  }
  wl_gc_program_done(fw, hal, unit);
  wl_unit_free(fw, u);
}
