/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/read.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/map_waits.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/space.h"

void wl_read_take(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  wl_command_take(fw, r);
  FW_TASK(hal, WL_COST_FTL_READ);
  FW_FOR(hal, WL_OP_READ, r->tag);
  if (__builtin_expect(fw->boot.ftl.reads_wait != 0, 0) && !wl_list_empty(&wl_service_state(fw)->writes))
    wl_write_push(fw, r->tag); /* it has its turn when the writes before it have theirs */
  else
    wl_read_begins(fw, r->tag);
}

static struct wl_segment* add(struct wl_command* c, uint32_t kind) {
  struct wl_segment* s = &c->segment[c->segments++];
  s->kind = (uint8_t)kind;
  s->state = WL_SEGMENT_READY;
  s->lpage = (uint16_t)c->lpage;
  s->count = 1;
  return s;
}

/* The run that is still growing, if it is of `kind`. */
static struct wl_segment* tail(struct wl_command* c, uint32_t kind) {
  if (c->segments == 0) return NULL;
  struct wl_segment* s = &c->segment[c->segments - 1];
  return s->kind == kind ? s : NULL;
}

static bool issue(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t index) {
  struct wl_command* c = wl_command_of(fw, tag);
  struct wl_segment* s = &c->segment[index];
  FW_TASK(hal, WL_COST_FTL_OTHER); /* apart from the logical pages: a long run has many of them and one job */
  if (wl_jobs_free(fw) == 0) {
    wl_job_await(fw, WL_STEP_READ);
    wl_waits(fw, hal, WL_WAITER_READ, WL_POOL_FLASH_JOBS);
    return false;
  }
  const wl_slot_t slot = wl_read_slots_take(fw, s->count);
  wl_waits(fw, hal, WL_WAITER_READ, slot == WL_NONE ? WL_POOL_READ_BUFFER : WL_POOL_NONE);
  if (slot == WL_NONE) return false;
  const uint32_t id = wl_job_take(fw, WL_STEP_READ);
  wl_job_is_read(fw, id, tag, index, wl_superblock_of(fw, s->from));
  s->slot = slot;
  s->state = WL_SEGMENT_WAIT;
  ++c->waiting;
  c->holds = 1;
  /* One job is the whole command: the completion engine can end it. */
  c->automatic = wl_has_engines(fw, WL_ENGINE_COMPLETION) && s->count == c->lpages;
  c->job = (uint16_t)id;
  wl_send_flash_read(fw, hal, id, s->from, s->count, slot, WL_PRIORITY_HOST, tag,
                     c->automatic ? WL_FLASH_AUTOMATIC : 0);
  return true;
}

/* Sends segment `s`; `last`: nothing of the piece is left after it. */
static void send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, struct wl_segment* s, bool last) {
  struct wl_command* c = wl_command_of(fw, tag);
  const bool ends = last && c->lpage == c->lpages && c->status == WL_STATUS_OK;
  struct wl_host_job job = {0};
  job.op = s->kind == WL_SEGMENT_ZERO || s->kind == WL_SEGMENT_LOST ? WL_JOB_ZERO_OUT : WL_JOB_DMA_OUT;
  job.tag = (uint16_t)tag;
  job.count = s->count;
  job.slot = s->slot;
  job.lpage = s->lpage;
  if (ends) {
    job.flags = WL_JOB_THEN_COMPLETE;
    wl_command_ends(fw);
  }
  if (last && (c->holds || !ends)) {
    /* A quiet notification is seen at the next wake-up. At most half of the slots may wait for one, so that a reader
     * without slots always has something loud to wait for; and writers may wait for a unit. */
    const bool quiet = ends && !c->holds_unit && !wl_read_slots_scarce(fw);
    job.flags |= quiet ? WL_JOB_NOTIFY_QUIET : WL_JOB_NOTIFY;
  }
  s->state = WL_SEGMENT_SENT;
  wl_host_reply(fw, hal, &job);
}

/* The policy hears of the runs that the piece reads from flash. */
__attribute__((noinline)) static void note(struct wl_firmware* fw, const struct wl_hal* hal,
                                           const struct wl_command* c) {
  (void)hal;
  for (uint32_t i = 0; i < c->segments; ++i) {
    const struct wl_segment* s = &c->segment[i];
    if (s->kind != WL_SEGMENT_FLASH) continue;
    FW_TASK(hal, WL_COST_FTL_NOTE);
    fw->policy->on_read(fw, c->lpn + s->lpage, s->count, s->from);
  }
}

static void formed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  struct wl_command* c = wl_command_of(fw, tag);
  c->formed = 1;
  wl_read_pop(fw);
  if (fw->policy->on_read != NULL) note(fw, hal, c);
  uint32_t last = WL_NONE;
  for (uint32_t i = 0; i < c->segments; ++i)
    if (c->segment[i].state == WL_SEGMENT_READY) last = i;
  for (uint32_t i = 0; i < c->segments; ++i)
    if (c->segment[i].state == WL_SEGMENT_READY) send(fw, hal, tag, &c->segment[i], i == last && c->waiting == 0);
}

/* The slot of the next logical page changes in place; the end of that write kicks. Apart: reads from flash do not pass
 * it. */
__attribute__((noinline)) static bool waits_for_write(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  const struct wl_command* c = wl_command_of(fw, tag);
  if (!wl_hazard_in_place(fw, wl_hazard_of(fw, c->lpn + c->lpage))) return false;
  wl_rest(fw, WL_STEP_READ);
  wl_mark(hal, tag, WL_MARK_HELD);
  return true;
}

#if WL_HAS_LARGE_MAPS
/* The map page of the command's next logical page is not in the cache. */
__attribute__((noinline, cold)) static void await_map(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  const struct wl_command* c = wl_command_of(fw, tag);
  FW_TASK(hal, WL_COST_FTL_OTHER);
  wl_read_pop(fw);
  wl_map_await(fw, c->lpn + c->lpage, tag, WL_MAP_PINNED);
  wl_mark(hal, tag, WL_MARK_AWAITS_MAP);
}
#endif

void wl_read_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t tag = wl_service_state(fw)->reads.head;
  if (tag == WL_NO_INDEX) {
    wl_rest(fw, WL_STEP_READ);
    return;
  }
  struct wl_command* c = wl_command_of(fw, tag);
  FW_TASK(hal, WL_COST_FTL_READ);
  FW_FOR(hal, WL_OP_READ, tag);
  for (uint32_t budget = WL_LPAGE_BUDGET; c->lpage != c->lpages; --budget) {
    if (budget == 0) return; /* goes on in the next round */
    wl_map_value_t value;
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw) && !c->granted && !wl_map_look(fw, c->lpn + c->lpage)) {
      if (c->segments != 0) break; /* the piece goes without it */
      await_map(fw, hal, tag);
      return;
    }
#endif
    if ((c->flags & WL_EVENT_LOOKED_UP) != 0 && wl_engine_looked_up(fw, tag, c->lpage, c->lpn + c->lpage, &value)) {
      FW_TASK(hal, WL_COST_FTL_READ_KNOWN);
    } else {
      FW_TASK(hal, WL_COST_FTL_READ_SECTOR);
      value = wl_map_get(fw, c->lpn + c->lpage);
    }
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw)) wl_command_uses_map(fw, c);
#endif
    struct wl_segment* run = tail(c, WL_SEGMENT_FLASH);
    if (run != NULL && run->state == WL_SEGMENT_UNISSUED) {
      if (value == run->from + run->count + WL_MAP_PPA0 && run->room != 0) {
        ++run->count;
        --run->room;
        ++c->lpage;
        continue;
      }
      if (!issue(fw, hal, tag, c->segments - 1u)) {
        wl_rest(fw, WL_STEP_READ);
        return;
      }
    }
    FW_TASK(hal, WL_COST_FTL_READ_SEGMENT);
    struct wl_segment* s;
    if (value == WL_MAP_DEALLOCATED) {
      s = tail(c, WL_SEGMENT_ZERO);
      if (s != NULL) {
        ++s->count;
        ++c->lpage;
        continue;
      }
    } else if (value >= WL_MAP_BUFFER) {
      if (waits_for_write(fw, hal, tag)) return;
      const wl_slot_t slot = value & ~WL_MAP_BUFFER;
      s = tail(c, WL_SEGMENT_BUFFER);
      if (s != NULL && s->slot + s->count == slot && s->from == wl_unit_of_slot(fw, slot)) {
        ++fw->statistics.buffer_read_hits;
        ++s->count;
        ++c->lpage;
        continue;
      }
    }
    if (c->segments == wl_service_state(fw)->read_segments) break;
    if (value == WL_MAP_DEALLOCATED) {
      add(c, WL_SEGMENT_ZERO);
    } else if (value == WL_MAP_LOST) {
      add(c, WL_SEGMENT_LOST);
      c->status = WL_STATUS_READ_ERROR;
    } else if (value >= WL_MAP_BUFFER) {
      s = add(c, WL_SEGMENT_BUFFER);
      s->slot = value & ~WL_MAP_BUFFER;
      s->from = wl_unit_of_slot(fw, s->slot);
      wl_unit_read_begins(fw, s->from);
      ++fw->statistics.buffer_read_hits;
      c->holds = 1;
      c->holds_unit = 1;
    } else {
      s = add(c, WL_SEGMENT_FLASH);
      s->from = value - WL_MAP_PPA0;
      const uint32_t room = wl_page_room(&fw->geometry, s->from);
      s->room = (uint16_t)((room < wl_read_run(fw) ? room : wl_read_run(fw)) - 1);
      s->state = WL_SEGMENT_UNISSUED;
      wl_superblock_read_begins(fw, wl_superblock_of(fw, s->from)); /* the PPA stays valid until the read is back */
    }
    ++c->lpage;
  }
  const struct wl_segment* run = tail(c, WL_SEGMENT_FLASH);
  if (run != NULL && run->state == WL_SEGMENT_UNISSUED && !issue(fw, hal, tag, c->segments - 1u)) {
    wl_rest(fw, WL_STEP_READ);
    return;
  }
  formed(fw, hal, tag);
}

void wl_read_flash_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  const uint32_t tag = job->index;
  FW_FOR(hal, WL_OP_READ, tag);
  struct wl_command* c = wl_command_of(fw, tag);
  struct wl_segment* s = &c->segment[job->segment];
  wl_superblock_read_done(fw, job->superblock);
  --c->waiting;
  c->automatic = 0; /* it failed: the command ends here */
  if (!ok) {
    c->status = WL_STATUS_READ_ERROR;
    wl_read_slots_release(fw, s->slot);
    s->kind = WL_SEGMENT_LOST; /* the host gets zeros and the error */
    wl_kick_queued(fw, WL_STEP_READ | WL_STEP_ADMIN);
  }
  s->state = WL_SEGMENT_READY;
  if (c->formed) send(fw, hal, tag, s, c->waiting == 0);
}

/* The piece's data are with the host. The command itself may be completed already. */
void wl_read_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_COMMAND(hal, WL_OP_READ);
  struct wl_command* c = wl_command_of(fw, tag);
  if (c->automatic) {
    const wl_superblock_t superblock = wl_job(fw, c->job)->superblock;
    wl_media_read_succeeded(fw, hal, c->job);
    wl_job_release(fw, c->job);
    wl_superblock_read_done(fw, superblock);
    c->waiting = 0;
    c->automatic = 0;
    wl_command_ends(fw);
  }
  for (uint32_t i = 0; i < c->segments; ++i) {
    const struct wl_segment* s = &c->segment[i];
    if (s->kind == WL_SEGMENT_FLASH) wl_read_slots_release(fw, s->slot);
    if (s->kind == WL_SEGMENT_BUFFER) wl_unit_read_done(fw, s->from);
  }
  c->segments = 0;
  c->formed = 0;
  c->holds = 0;
  c->holds_unit = 0;
  wl_kick_queued(fw, WL_STEP_READ | WL_STEP_ADMIN);
  if (c->status != WL_STATUS_OK) {
    wl_complete(fw, hal, tag, c->status);
  } else if (c->lpage != c->lpages) {
    wl_read_push(fw, tag); /* behind the others: the first one may hold a part of its piece */
    wl_kick(fw, WL_STEP_READ);
  }
}
