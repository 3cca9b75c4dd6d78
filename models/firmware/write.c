/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes. A command is taken up in pieces: slots of the write buffer, then DMA, then the map. The map changes when the
 * data have arrived, so reads see the old data until then, and of two writes in flight to one sector the one whose data
 * arrived last wins. A sector written in part is exclusive while it is in flight: other writes of it, and deallocation, wait.
 *
 * The part that is kept comes from flash into the new slot, or from the buffer: in a unit that still gathers data the sector
 * is rewritten in place, from a unit on its way to flash it is copied.
 *
 * Only the first command in the queue takes slots. A piece that cannot go on is sent short: so nothing is held while waiting. A
 * command that waits for a sector steps aside, and the next one goes on; whoever wants the same sector (or one that hashes
 * alike) lines up behind it, so none is passed for ever.
 */
#include "models/firmware/tasks.h"

static struct wl_segment* add(struct wl_command* c, uint32_t kind, uint32_t slot) {
  struct wl_segment* s = &c->segment[c->segments++];
  s->kind = (uint8_t)kind;
  s->state = WL_SEGMENT_READY;
  s->slot = slot;
  s->sector = (uint16_t)c->sector;
  s->count = 1;
  return s;
}

static bool is_partial(const struct wl_command* c) {
  return (c->sector == 0 && c->first != 0) || (c->sector + 1 == c->sectors && c->last != 8);
}

enum wl_take {
  WL_TAKEN,
  WL_WAIT_SECTOR, /* another write of it is in flight, or was there before */
  WL_WAIT_ROOM,   /* for slots, job ids, or the end of this piece */
};

static enum wl_take take_full(struct wl_firmware* fw, struct wl_command* c, uint32_t lpn) {
  const uint32_t h = wl_hazard(lpn);
  if (fw->locks[h] != 0 || !wl_list_empty(&fw->waiters[h])) return WL_WAIT_SECTOR;
  const uint32_t open = fw->open_unit[WL_STREAM_HOST];
  struct wl_segment* s = c->segments != 0 ? &c->segment[c->segments - 1] : NULL;
  const bool extend = s != NULL && s->kind == WL_SEGMENT_FULL && open != WL_NONE && open == s->place;
  if (!extend && c->segments == WL_MAX_SEGMENTS) return WL_WAIT_ROOM;
  const uint32_t slot = wl_buffer_slot(fw);
  if (slot == WL_NONE) return WL_WAIT_ROOM;
  ++fw->writers[h];
  if (extend && s->slot + s->count == slot) {
    ++s->count;
  } else {
    s = add(c, WL_SEGMENT_FULL, slot);
    s->place = wl_unit_of_slot(fw, slot);
  }
  return WL_TAKEN;
}

static enum wl_take take_partial(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t lpn) {
  struct wl_command* c = &fw->commands[tag];
  const uint32_t h = wl_hazard(lpn);
  if (fw->locks[h] != 0 || fw->writers[h] != 0 || !wl_list_empty(&fw->waiters[h])) return WL_WAIT_SECTOR;
  FW_TASK(hal, WL_COST_FTL_WRITE_PART);
  if (c->segments == WL_MAX_SEGMENTS) return WL_WAIT_ROOM;
  const uint32_t value = wl_map_get(fw, lpn);
  if (value >= WL_MAP_BUFFER) {
    const uint32_t slot = value & ~WL_MAP_BUFFER;
    struct wl_unit* unit = &fw->units[wl_unit_of_slot(fw, slot)];
    if (unit->state == WL_UNIT_OPEN || unit->state == WL_UNIT_CLOSING) {
      ++unit->pending;
      add(c, WL_SEGMENT_IN_PLACE, slot);
    } else {
      const uint32_t copy = wl_buffer_slot(fw);
      if (copy == WL_NONE) return WL_WAIT_ROOM;
      ++unit->readers;
      add(c, WL_SEGMENT_COPY, copy)->place = slot;
    }
    ++fw->locks[h];
    return WL_TAKEN;
  }
  const bool merge = value >= WL_MAP_PLACE0;
  if (merge && fw->free_jobs == 0) {
    fw->job_waiters |= WL_KICK_WRITE;
    return WL_WAIT_ROOM;
  }
  const uint32_t slot = wl_buffer_slot(fw);
  if (slot == WL_NONE) return WL_WAIT_ROOM;
  ++fw->locks[h];
  struct wl_segment* s = add(c, merge ? WL_SEGMENT_MERGE : WL_SEGMENT_ZERO_REST, slot);
  if (value == WL_MAP_LOST) c->status = WL_STATUS_READ_ERROR; /* what is to be kept is lost */
  if (!merge) return WL_TAKEN;
  const uint32_t id = wl_job_take(fw, WL_KICK_WRITE);
  struct wl_job* job = &fw->jobs[id];
  job->kind = WL_JOB_KIND_MERGE;
  job->segment = (uint8_t)(c->segments - 1);
  job->index = (uint16_t)tag;
  s->place = value - WL_MAP_PLACE0;
  job->line = s->place / fw->geometry.line_sectors;
  ++fw->line[job->line].reads;
  ++c->waiting;
  wl_send_flash_read(fw, hal, id, s->place, 1, slot, WL_PRIORITY_HOST, tag, 0);
  return WL_TAKEN;
}

/* Gives up the slots of a piece: with its data (`commit`), or as padding. */
static void release(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_command* c, bool commit) {
  const bool counted = wl_engine(fw, WL_ENGINE_L2P | WL_ENGINE_COMPLETION);
  for (uint32_t i = 0; i < c->segments; ++i) {
    const struct wl_segment* s = &c->segment[i];
    for (uint32_t k = 0; k < s->count; ++k) {
      FW_TASK(hal, WL_COST_FTL_COMMIT_SECTOR);
      const uint32_t lpn = c->lpn + s->sector + k;
      const uint32_t h = wl_hazard(lpn);
      if (s->kind == WL_SEGMENT_FULL)
        --fw->writers[h];
      else
        --fw->locks[h];
      wl_command_push_all_front(fw, &fw->writes, &fw->waiters[h]);
      if (commit)
        wl_map_set_buffer(fw, hal, lpn, s->slot + k);
      else if (s->kind != WL_SEGMENT_IN_PLACE)
        fw->slot_table[s->slot + k].lpn = WL_LPN_NONE; /* a merge read has put the owner there */
      if (counted) wl_write_closed(fw, lpn);
    }
    FW_TASK(hal, WL_COST_FTL_COMMIT);
    if (s->kind == WL_SEGMENT_COPY) wl_unit_reader_done(fw, wl_unit_of_slot(fw, s->place));
    if (commit) fw->statistics.host_sectors_written += s->count;
    wl_unit_arrived(fw, wl_unit_of_slot(fw, s->slot), s->count);
  }
  c->segments = 0;
  c->formed = 0;
  if (!wl_list_empty(&fw->writes)) fw->kick |= WL_KICK_WRITE;
  if (fw->trim_in != fw->trim_out) fw->kick |= WL_KICK_TRIM;
}

/* The command fails: sectors that it has not taken up will not change. */
static void give_up(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status) {
  struct wl_command* c = &fw->commands[tag];
  if (wl_engine(fw, WL_ENGINE_L2P | WL_ENGINE_COMPLETION))
    for (; c->sector != c->sectors; ++c->sector) wl_write_closed(fw, c->lpn + c->sector);
  wl_complete(fw, hal, tag, status);
}

/* All slots of the piece are ready for the host's data. */
static void send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  struct wl_command* c = &fw->commands[tag];
  if (c->status != WL_STATUS_OK) {
    release(fw, hal, c, false);
    give_up(fw, hal, tag, c->status);
    return;
  }
  const bool flush = (c->flags & WL_EVENT_FUA) != 0 && !fw->boot.power_safe;
  for (uint32_t i = 0; i < c->segments; ++i) {
    const struct wl_segment* s = &c->segment[i];
    struct wl_host_job job = {0};
    job.tag = (uint16_t)tag;
    if (s->kind == WL_SEGMENT_COPY) {
      job.op = WL_JOB_COPY;
      job.count = 1;
      job.slot = s->slot;
      job.sector = s->place;
      wl_send_host_job(fw, hal, &job);
    }
    job.op = WL_JOB_DMA_IN;
    job.count = s->count;
    job.slot = s->slot;
    job.sector = s->sector;
    if (s->kind == WL_SEGMENT_ZERO_REST) job.flags = WL_JOB_ZERO_REST;
    if (i + 1 == c->segments) {
      job.flags |= WL_JOB_NOTIFY;
      if (c->sector == c->sectors && !flush) job.flags |= WL_JOB_THEN_COMPLETE;
    }
    wl_send_host_job(fw, hal, &job);
  }
}

void wl_write_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t tag = fw->writes.head;
  if (tag == WL_NO_INDEX) {
    fw->kick &= ~(uint32_t)WL_KICK_WRITE;
    return;
  }
  struct wl_command* c = &fw->commands[tag];
  FW_TASK(hal, WL_COST_FTL_WRITE);
  if (fw->read_only && c->segments == 0) {
    (void)wl_command_pop(fw, &fw->writes);
    give_up(fw, hal, tag, WL_STATUS_WRITE_FAULT);
    return;
  }
  for (uint32_t budget = WL_SECTOR_BUDGET; c->sector != c->sectors; --budget) {
    if (budget == 0) return;
    FW_TASK(hal, WL_COST_FTL_WRITE_SECTOR);
    const uint32_t lpn = c->lpn + c->sector;
    const enum wl_take took = is_partial(c) ? take_partial(fw, hal, tag, lpn) : take_full(fw, c, lpn);
    if (took == WL_WAIT_SECTOR && c->segments == 0) {
      (void)wl_command_pop(fw, &fw->writes);
      wl_command_push(fw, &fw->waiters[wl_hazard(lpn)], tag);
      return;
    }
    if (took != WL_TAKEN) break;
    ++c->sector;
  }
  if (c->segments == 0) {
    fw->kick &= ~(uint32_t)WL_KICK_WRITE; /* whatever it waits for kicks */
    return;
  }
  FW_TASK(hal, WL_COST_FTL_WRITE_SEND);
  (void)wl_command_pop(fw, &fw->writes);
  c->formed = 1;
  if (c->waiting == 0) send(fw, hal, tag);
}

void wl_write_merge_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  struct wl_command* c = &fw->commands[job->index];
  wl_line_read_done(fw, job->line);
  if (!ok) c->status = WL_STATUS_READ_ERROR;
  if (--c->waiting == 0 && c->formed) send(fw, hal, job->index);
}

void wl_write_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  FW_TASK(hal, WL_COST_FTL_WRITE);
  struct wl_command* c = &fw->commands[tag];
  release(fw, hal, c, true);
  if (c->sector != c->sectors) {
    wl_command_push(fw, &fw->writes, tag); /* behind the others: the first one may hold a part of its piece */
    fw->kick |= WL_KICK_WRITE;
  } else if ((c->flags & WL_EVENT_FUA) != 0 && !fw->boot.power_safe) {
    wl_flush(fw, hal, tag); /* force unit access: on flash before it completes */
  } else {
    --fw->active; /* the controller completes it by itself */
  }
}
