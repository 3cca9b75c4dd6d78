/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/write.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/two_sizes.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/flush.h"
#include "models/firmware/service/page_write.h"
#include "models/firmware/service/through.h"
#include "models/firmware/space/space.h"

void wl_write_take(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  wl_command_take(fw, r);
  FW_TASK(hal, WL_COST_FTL_WRITE);
  FW_FOR(hal, WL_OP_WRITE, r->tag);
  if (wl_list_empty(&fw->service.writes)) wl_kick(fw, WL_STEP_WRITE);
  wl_write_push(fw, r->tag);
  if (wl_maps_pages(fw) && wl_has_small_pages(fw))
    wl_command_of(fw, r->tag)->small = fw->policy->writes_small(fw, r->blocks);
  if (wl_writes_through(fw)) wl_through_begins(fw);
}

static struct wl_segment* add(struct wl_command* c, uint32_t kind, uint32_t slot) {
  return wl_piece_add(c, kind, slot, 1);
}

/* ftl.packing = false: the next slot of the stream begins a page, unless the command has filled the one before it. */
__attribute__((noinline)) static void keep_apart(struct wl_firmware* fw, uint32_t tag, uint32_t stream) {
  const struct wl_command* c = wl_command_of(fw, tag);
  uint16_t* filler = fw->service.filler;
  if (c->sector == 0 && c->segments == 0) /* a new command, whose tag may have been another's */
    for (uint32_t i = 0; i < WL_CLASSES; ++i)
      if (filler[i] == tag) filler[i] = WL_NO_TAG;
  if (filler[stream] != tag) wl_buffer_align(fw, stream);
  filler[stream] = (uint16_t)tag;
}

/* The next slot, for command `tag`. A call would cost 2 % of a write. */
static inline __attribute__((always_inline)) uint32_t slot_for(struct wl_firmware* fw, uint32_t tag, uint32_t stream) {
  if (__builtin_expect(fw->boot.ftl.pages_apart != 0, 0)) keep_apart(fw, tag, stream);
  return wl_buffer_slot(fw, stream);
}

static bool is_partial(const struct wl_firmware* fw, const struct wl_command* c) {
  return (c->sector == 0 && c->first != 0) || (c->sector + 1 == c->sectors && c->last != wl_sector_blocks(fw));
}

static enum wl_take take_full(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t h,
                              uint32_t stream) {
  (void)hal; /* marks are calls natively, instructions on a core */
  struct wl_command* c = wl_command_of(fw, tag);
  if (wl_hazard_locked(fw, h) || !wl_list_empty(&fw->service.waiters[h])) return WL_WAIT_SECTOR;
  const uint32_t open = wl_unit_opened(fw, stream);
  struct wl_segment* s = c->segments != 0 ? &c->segment[c->segments - 1] : NULL;
  const bool extend = s != NULL && s->kind == WL_SEGMENT_FULL && open != WL_NONE && open == s->from;
  if (!extend && c->segments == WL_MAX_SEGMENTS) return WL_WAIT_ROOM;
  const uint32_t slot = slot_for(fw, tag, stream);
  if (slot == WL_NONE) return WL_WAIT_ROOM;
  wl_hazard_write(fw, h);
  if (extend && s->slot + s->count == slot) {
    ++s->count;
  } else {
    FW_TASK(hal, WL_COST_FTL_WRITE_SEGMENT);
    s = add(c, WL_SEGMENT_FULL, slot);
    s->from = wl_unit_of_slot(fw, slot);
  }
  return WL_TAKEN;
}

static enum wl_take take_partial(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t lpn,
                                 uint32_t h, uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  if (wl_hazard_locked(fw, h) || wl_hazard_written(fw, h) || !wl_list_empty(&fw->service.waiters[h]))
    return WL_WAIT_SECTOR;
  FW_TASK(hal, WL_COST_FTL_WRITE_PART);
  if (c->segments == WL_MAX_SEGMENTS) return WL_WAIT_ROOM;
  const uint32_t value = wl_map_get(fw, lpn);
  if (value >= WL_MAP_BUFFER) {
    const uint32_t slot = value & ~WL_MAP_BUFFER;
    const uint32_t u = wl_unit_of_slot(fw, slot);
    const bool in_place = wl_unit_may_change(fw, hal, u);
    if (in_place) {
      wl_unit_expect(fw, u);
      add(c, WL_SEGMENT_IN_PLACE, slot);
    } else {
      const uint32_t copy = slot_for(fw, tag, stream);
      if (copy == WL_NONE) return WL_WAIT_ROOM;
      ++fw->statistics.modify.copies;
      wl_unit_read_begins(fw, u);
      add(c, WL_SEGMENT_COPY, copy)->from = slot;
    }
    wl_hazard_lock(fw, h, in_place ? WL_LOCKED_IN_PLACE : WL_LOCKED);
    return WL_TAKEN;
  }
  const bool merge = value >= WL_MAP_PPA0;
  if (merge && wl_jobs_free(fw) == 0) {
    wl_job_await(fw, WL_STEP_WRITE);
    return WL_WAIT_ROOM;
  }
  const uint32_t slot = slot_for(fw, tag, stream);
  if (slot == WL_NONE) return WL_WAIT_ROOM;
  wl_hazard_lock(fw, h, WL_LOCKED);
  struct wl_segment* s = add(c, merge ? WL_SEGMENT_MERGE : WL_SEGMENT_ZERO_REST, slot);
  if (value == WL_MAP_LOST) c->status = WL_STATUS_READ_ERROR; /* what is to be kept is lost */
  if (!merge) return WL_TAKEN;
  ++fw->statistics.modify.reads;
  ++fw->statistics.modify.sectors;
  const uint32_t id = wl_job_take(fw, WL_STEP_WRITE);
  struct wl_job* job = wl_job(fw, id);
  job->kind = WL_JOB_KIND_MERGE;
  job->command = WL_OP_WRITE;
  job->segment = (uint8_t)(c->segments - 1);
  job->index = (uint16_t)tag;
  s->from = value - WL_MAP_PPA0;
  job->superblock = wl_superblock_of(fw, s->from);
  wl_superblock_read_begins(fw, job->superblock);
  ++c->waiting;
  wl_send_flash_read(fw, hal, id, s->from, 1, slot, WL_PRIORITY_HOST, tag, 0);
  return WL_TAKEN;
}

/* Where the map unit is the page; with two page sizes, small writes go by sectors all the same. */
__attribute__((noinline)) static enum wl_take take_in_page(struct wl_firmware* fw, const struct wl_hal* hal,
                                                           uint32_t tag, uint32_t lpn, uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  if (!c->small) return wl_page_take(fw, hal, tag, stream);
  stream = fw->policy->space.small_stream;
  const uint32_t h = wl_hazard_of(fw, lpn);
  const enum wl_take took =
      is_partial(fw, c) ? take_partial(fw, hal, tag, lpn, h, stream) : take_full(fw, hal, tag, h, stream);
  if (took == WL_TAKEN) c->segment[c->segments - 1].room = WL_OF_SECTOR;
  return took;
}

/* Whole sectors are counted where they are released. Apart, so that the compiler goes on inlining what all pass. */
__attribute__((noinline)) static void count_part(struct wl_firmware* fw, const struct wl_command* c,
                                                 const struct wl_segment* s) {
  const uint32_t end = s->sector + 1u == c->sectors ? c->last : wl_sector_blocks(fw);
  const uint32_t missing = wl_sector_blocks(fw) - end + (s->sector == 0 ? c->first : 0u);
  fw->statistics.host_blocks_missing += missing;
  if (s->kind == WL_SEGMENT_IN_PLACE)
    ++fw->statistics.rewritten_sectors;
  else
    wl_unit_merged(fw, wl_unit_of_slot(fw, s->slot), missing);
}

static void release_sectors(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t segment,
                            bool commit) {
  struct wl_command* c = wl_command_of(fw, tag);
  const bool counted = wl_engine_counts_writes(fw);
  const bool pages = wl_maps_pages(fw);
  const struct wl_segment* s = &c->segment[segment];
  for (uint32_t k = 0; k < s->count; ++k) {
    FW_TASK(hal, WL_COST_FTL_COMMIT_SECTOR);
    const uint32_t lpn = c->lpn + s->sector + k;
    const uint32_t h = pages ? wl_hazard_of(fw, lpn) : wl_hazard(lpn);
    if (s->kind == WL_SEGMENT_FULL)
      wl_hazard_end_write(fw, h);
    else
      wl_hazard_unlock(fw, h);
    if (s->kind == WL_SEGMENT_IN_PLACE) wl_kick_queued(fw, WL_STEP_READ);
    wl_write_resume(fw, h);
    if (commit && pages)
      wl_map_small_put(fw, hal, lpn, s->slot + k);
    else if (commit)
      wl_map_set_buffer(fw, hal, lpn, s->slot + k);
    else if (s->kind != WL_SEGMENT_IN_PLACE)
      wl_slot_set_owner(fw, s->slot + k, WL_LPN_NONE); /* a merge read has put the owner there */
    if (counted) wl_engine_write_closed(fw, lpn);
    if (!commit || fw->policy->on_write == NULL) continue;
    FW_TASK(hal, WL_COST_FTL_NOTE);
    fw->policy->on_write(fw, lpn, 1, c->sectors);
  }
  FW_TASK(hal, WL_COST_FTL_COMMIT);
  if (s->kind == WL_SEGMENT_COPY) wl_unit_read_done(fw, wl_unit_of_slot(fw, s->from));
  if (commit) {
    fw->statistics.host_sectors_written += s->count;
    if (s->kind != WL_SEGMENT_FULL) count_part(fw, c, s);
    if ((s->room & WL_OF_SECTOR) != 0 && s->kind != WL_SEGMENT_IN_PLACE) fw->statistics.page_writes += s->count;
  } else if (s->kind != WL_SEGMENT_IN_PLACE) {
    wl_unit_padded(fw, wl_unit_of_slot(fw, s->slot), s->count);
  }
  if (commit && wl_writes_through(fw)) wl_through_awaits(fw, tag, wl_unit_of_slot(fw, s->slot));
  wl_unit_arrived(fw, wl_unit_of_slot(fw, s->slot), s->count);
}

/* Gives up the slots of a piece: with its data (`commit`), or as padding. Once, for all that call it: what it would
 * grow to otherwise, the compiler takes from what reads pass. */
__attribute__((noinline)) static void release(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                              bool commit) {
  struct wl_command* c = wl_command_of(fw, tag);
  for (uint32_t i = 0; i < c->segments; ++i) {
    if (wl_segment_by_pages(fw, &c->segment[i]))
      wl_page_release(fw, hal, tag, i, commit);
    else
      release_sectors(fw, hal, tag, i, commit);
  }
  c->segments = 0;
  c->formed = 0;
  wl_kick_queued(fw, WL_STEP_WRITE);
  wl_kick_queued(fw, WL_STEP_TRIM);
}

/* The command fails: sectors that it has not taken up will not change. */
static void give_up(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status) {
  struct wl_command* c = wl_command_of(fw, tag);
  if (wl_engine_counts_writes(fw))
    for (; c->sector != c->sectors; ++c->sector) wl_engine_write_closed(fw, c->lpn + c->sector);
  if (wl_writes_through(fw)) {
    wl_through_arrived(fw);
    if (c->programs != 0) { /* of pieces before: their ends find the status */
      c->status = (uint16_t)status;
      c->sector = c->sectors;
      return;
    }
  }
  wl_complete(fw, hal, tag, status);
}

/* Data are there, but the command ends later. */
static bool ends_later(const struct wl_firmware* fw, const struct wl_command* c) {
  return ((c->flags & WL_EVENT_FUA) != 0 && !fw->boot.power_safe) || wl_writes_through(fw);
}

/* All slots of the piece are ready for the host's data. */
static void send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  struct wl_command* c = wl_command_of(fw, tag);
  if (c->status != WL_STATUS_OK) {
    release(fw, hal, tag, false);
    give_up(fw, hal, tag, c->status);
    return;
  }
  const bool later = ends_later(fw, c);
  for (uint32_t i = 0; i < c->segments; ++i) {
    const struct wl_segment* s = &c->segment[i];
    if (wl_segment_by_pages(fw, s) && s->kind != WL_SEGMENT_FULL) {
      wl_page_send(fw, hal, tag, i, i + 1 == c->segments, later);
      continue;
    }
    struct wl_host_job job = {0};
    job.tag = (uint16_t)tag;
    if (s->kind == WL_SEGMENT_COPY) {
      job.op = WL_JOB_COPY;
      job.count = 1;
      job.slot = s->slot;
      job.sector = s->from;
      wl_host_reply(fw, hal, &job);
    }
    job.op = WL_JOB_DMA_IN;
    job.count = s->count;
    job.slot = s->slot;
    job.sector = s->sector;
    if (s->kind == WL_SEGMENT_ZERO_REST) job.flags = WL_JOB_ZERO_REST;
    if (i + 1 == c->segments) {
      job.flags |= WL_JOB_NOTIFY;
      if (c->sector == c->sectors && !later) job.flags |= WL_JOB_THEN_COMPLETE;
    }
    wl_host_reply(fw, hal, &job);
  }
}

/* Nothing is programmed any more: what waits for its program fails. */
__attribute__((noinline)) static void stop(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_through_stop(fw, hal);
  wl_page_stop(fw);
}

void wl_write_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t tag = fw->service.writes.head;
  if (tag == WL_NO_INDEX) {
    wl_rest(fw, WL_STEP_WRITE);
    if (wl_space_stopped(fw)) {
      wl_flush_stop(fw, hal);
      if (wl_writes_through(fw)) stop(fw, hal);
    }
    return;
  }
  struct wl_command* c = wl_command_of(fw, tag);
  FW_TASK(hal, WL_COST_FTL_WRITE);
  FW_FOR(hal, WL_OP_WRITE, tag);
  if (wl_space_read_only(fw) && c->segments == 0) {
    wl_write_pop(fw);
    give_up(fw, hal, tag, WL_STATUS_WRITE_PROTECTED);
    return;
  }
  if (c->segments == 0 && !wl_buffer_accepts(fw)) { /* a piece that has begun goes on */
    wl_rest(fw, WL_STEP_WRITE);
    wl_waits(fw, hal, WL_WAITER_WRITE, WL_POOL_FREE_SPACE);
    wl_through_blocked(fw);
    return;
  }
  for (uint32_t budget = WL_SECTOR_BUDGET; c->sector != c->sectors; --budget) {
    if (budget == 0) return;
    const uint32_t lpn = c->lpn + c->sector;
    uint32_t stream = WL_STREAM_HOST;
    if (fw->policy->class_of_write != NULL) {
      FW_TASK(hal, WL_COST_FTL_CLASS);
      stream += fw->policy->class_of_write(fw, lpn, c->sectors, c->flags);
    }
    FW_TASK(hal, WL_COST_FTL_WRITE_SECTOR);
    const enum wl_take took = wl_maps_pages(fw)   ? take_in_page(fw, hal, tag, lpn, stream)
                              : is_partial(fw, c) ? take_partial(fw, hal, tag, lpn, wl_hazard(lpn), stream)
                                                  : take_full(fw, hal, tag, wl_hazard(lpn), stream);
    if (took == WL_WAIT_SECTOR && c->segments == 0) {
      wl_write_pop(fw);
      wl_command_push(fw, &fw->service.waiters[wl_hazard_of(fw, lpn)], tag);
      wl_mark(hal, tag, WL_MARK_HELD);
      return;
    }
    if (took == WL_TAKEN_PAGE) continue;
    if (took != WL_TAKEN) break;
    ++c->sector;
  }
  if (c->segments == 0) {
    wl_rest(fw, WL_STEP_WRITE); /* whatever it waits for kicks */
    wl_waits(fw, hal, WL_WAITER_WRITE, wl_jobs_free(fw) == 0 ? WL_POOL_FLASH_JOBS : WL_POOL_WRITE_BUFFER);
    wl_through_blocked(fw);
    return;
  }
  wl_waits(fw, hal, WL_WAITER_WRITE, WL_POOL_NONE);
  FW_TASK(hal, WL_COST_FTL_WRITE_SEND);
  wl_write_pop(fw);
  c->formed = 1;
  if (c->waiting == 0) send(fw, hal, tag);
}

void wl_write_merge_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_FOR(hal, WL_OP_WRITE, job->index);
  struct wl_command* c = wl_command_of(fw, job->index);
  const bool by_pages = wl_segment_by_pages(fw, &c->segment[job->segment]);
  if (by_pages && !wl_page_read_done(fw, hal, job, ok)) return; /* goes on */
  wl_superblock_read_done(fw, job->superblock);
  if (!ok && !by_pages) c->status = WL_STATUS_READ_ERROR;
  if (--c->waiting == 0 && c->formed) send(fw, hal, job->index);
}

/* Data of the piece have not come: the map names the old ones, and the slots hold nothing. */
__attribute__((noinline)) static void transfer_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  const struct wl_command* c = wl_command_of(fw, tag);
  release(fw, hal, tag, false);
  if (c->sector == c->sectors && !ends_later(fw, c)) {
    wl_command_ends(fw); /* the controller completes it by itself */
    return;
  }
  give_up(fw, hal, tag, WL_STATUS_TRANSFER_ERROR | WL_STATUS_DNR);
  if (wl_writes_through(fw) && wl_space_stopped(fw)) stop(fw, hal);
}

void wl_write_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, bool failed) {
  FW_TASK(hal, WL_COST_FTL_WRITE);
  FW_COMMAND(hal, WL_OP_WRITE);
  struct wl_command* c = wl_command_of(fw, tag);
  if (__builtin_expect(failed, 0)) {
    transfer_failed(fw, hal, tag);
    return;
  }
  release(fw, hal, tag, true);
  if (c->sector != c->sectors) {
    wl_write_push(fw, tag); /* behind the others: the first one may hold a part of its piece */
    wl_kick(fw, WL_STEP_WRITE);
  } else if (wl_writes_through(fw)) { /* its programs end it */
    wl_mark(hal, tag, WL_MARK_PROGRAM);
    wl_through_arrived(fw);
    if (wl_space_stopped(fw)) stop(fw, hal);
  } else if (ends_later(fw, c)) {
    wl_flush(fw, hal, tag); /* force unit access: on flash before it completes */
  } else {
    wl_command_ends(fw); /* the controller completes it by itself */
  }
}
