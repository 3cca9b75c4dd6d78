/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/write.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/exchange.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/admission.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/flush.h"
#include "models/firmware/service/map_waits.h"
#include "models/firmware/service/modify.h"
#include "models/firmware/service/piece.h"
#include "models/firmware/service/state.h"
#include "models/firmware/service/through.h"
#include "models/firmware/service/trim.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/slc_cache.h"
#include "models/firmware/space/space.h"

void wl_write_take(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  wl_command_take(fw, r);
  FW_TASK(hal, WL_COST_FTL_WRITE);
  FW_FOR(hal, WL_OP_WRITE, r->tag);
  if (wl_list_empty(&wl_service_state(fw)->writes)) wl_kick(fw, WL_STEP_WRITE);
  wl_write_push(fw, r->tag);
  if (wl_has_small_pages(fw)) wl_command_of(fw, r->tag)->small = fw->policy->writes_small(fw, r->blocks);
  if (wl_writes_through(fw)) wl_through_begins(fw);
}

/* ---- a piece is taken up ---- */

/* What the command changes of its next map unit. */
WL_BOTH_GRAINS struct wl_change next_change(const struct wl_firmware* fw, const struct wl_command* c,
                                            struct wl_grain g) {
  struct wl_change p = {c->lpn + c->lpage, g, 0, 1, c->lpage == 0 && c->first != 0, false};
  const uint32_t left = c->lpages - c->lpage;
  if (g.by_page) {
    (void)wl_map_unit_of(fw, p.lpn, &p.first);
    p.count = left < g.lpages - p.first ? left : g.lpages - p.first;
  }
  p.tail = p.count == left && c->last != wl_lbas_per_lpage(fw);
  return p;
}

WL_BOTH_GRAINS enum wl_take take_whole(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t count,
                                       uint32_t h, uint32_t stream, struct wl_grain g) {
  (void)hal; /* marks are calls natively, instructions on a core */
  struct wl_command* c = wl_command_of(fw, tag);
  const uint32_t open = wl_unit_opened(fw, stream);
  struct wl_segment* s = c->segments != 0 ? &c->segment[c->segments - 1] : NULL;
  const bool extend = s != NULL && s->kind == WL_SEGMENT_FULL && open != WL_NONE && open == s->from;
  if (!extend && c->segments >= wl_piece_limit(g)) return WL_WAIT_ROOM;
  if (open == WL_NONE) FW_TASK(hal, WL_COST_FTL_UNIT_OPEN);
  const bool by_lpage = wl_is_by_lpage(g);
  const wl_slot_t slot = by_lpage ? wl_piece_slot(fw, tag, stream) : wl_piece_slots(fw, tag, stream, g);
  if (slot == WL_NONE) return WL_WAIT_ROOM;
  wl_hazard_write(fw, h);
  if (extend && s->slot + s->count == slot) {
    s->count = (uint16_t)(s->count + count);
  } else {
    if (!g.by_page) FW_TASK(hal, WL_COST_FTL_WRITE_SEGMENT);
    s = wl_piece_add(c, WL_SEGMENT_FULL, slot, count);
    s->from = wl_unit_of_slot(fw, slot);
  }
  return WL_TAKEN;
}

/* Not inlined: what is passed by its address lies in memory. */
WL_BY_PAGE static enum wl_take take_part(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t h,
                                         uint32_t stream, struct wl_grain g) {
  const struct wl_change p = next_change(fw, wl_command_of(fw, tag), g);
  return wl_hazard_written(fw, h) ? WL_WAIT_LPAGE : wl_modify_take(fw, hal, tag, &p, h, stream);
}

#if WL_HAS_LARGE_MAPS
/* The map page of the command's next logical page stays in the cache until the data are there. */
__attribute__((noinline, cold)) static void pin_map(struct wl_firmware* fw, struct wl_command* c) {
  wl_map_pin(fw, c->lpn + c->lpage);
  wl_command_uses_map(fw, c);
}

/* Whether it is not there. Then the command waits for it, unless it has data to take first. */
__attribute__((noinline, cold)) static bool lacks_map(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  const struct wl_command* c = wl_command_of(fw, tag);
  if (c->granted || wl_map_look(fw, c->lpn + c->lpage)) return false;
  if (c->segments != 0) return true;
  FW_TASK(hal, WL_COST_FTL_OTHER);
  wl_write_pop(fw);
  wl_map_await(fw, c->lpn + c->lpage, tag, WL_MAP_PINNED_IF_FEW);
  wl_mark(hal, tag, WL_MARK_AWAITS_MAP);
  return true;
}
#endif

/* The command's next map unit. */
WL_BOTH_GRAINS enum wl_take take(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t h,
                                 uint32_t stream, struct wl_grain g) {
  struct wl_command* c = wl_command_of(fw, tag);
  const struct wl_change p = next_change(fw, c, g);
  const bool is_whole =
      !p.head && !p.tail && (!g.by_page || wl_bits(p.first, p.count) == wl_map_unit_all(fw, p.lpn / g.lpages));
  if (wl_hazard_locked(fw, h) || !wl_list_empty(&wl_service_state(fw)->waiters[h])) return WL_WAIT_LPAGE;
  const enum wl_take took =
      is_whole ? take_whole(fw, hal, tag, p.count, h, stream, g) : take_part(fw, hal, tag, h, stream, g);
#if WL_HAS_LARGE_MAPS
  if (took == WL_TAKEN && wl_map_cached(fw)) pin_map(fw, c);
#endif
  if (took == WL_TAKEN) c->lpage += p.count;
  return took;
}

/* With two page sizes, small writes go to the region whose map unit is the logical page. */
WL_BY_PAGE static enum wl_take take_by_page(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                            uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  const uint32_t h = wl_hazard_of(fw, c->lpn + c->lpage);
  if (!c->small) return take(fw, hal, tag, h, stream, wl_by_page(fw));
  const enum wl_take took = take(fw, hal, tag, h, fw->policy->space.small_stream, WL_IN_REGION);
  if (took == WL_TAKEN) c->segment[c->segments - 1].room |= WL_OF_LPAGE;
  return took;
}

/* ---- and given up ---- */

/* The host's data of `count` logical pages of a page, from `lpn` on, are in the slots from `slot` on. */
WL_BY_PAGE static void page_written(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_command* c,
                                    const struct wl_segment* s, wl_lpn_t lpn, wl_slot_t slot, uint32_t count) {
  uint32_t first;
  const wl_map_unit_t unit = wl_map_unit_of(fw, lpn, &first);
  const uint32_t lpages = wl_bits(first, count);
  wl_modify_count(fw, c, s, lpages, wl_mapped(fw, unit).present);
  if (s->kind == WL_SEGMENT_MODIFY)
    wl_modify_put_apart(fw, unit, slot - first, first, count);
  else
    wl_map_set_buffer(fw, hal, unit, slot - first, lpages, wl_by_page(fw));
}

WL_BOTH_GRAINS void release_segment(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                    const struct wl_segment* s, bool commit, struct wl_grain g) {
  const struct wl_command* c = wl_command_of(fw, tag);
  const bool by_lpage = wl_is_by_lpage(g);
  const bool counted = by_lpage && wl_engine_counts_writes(fw);
  const bool held = g.by_page && commit && s->kind == WL_SEGMENT_MODIFY; /* until it is programmed */
  uint32_t units = 0;
  for (uint32_t done = 0, count = 1; done != s->count; done += count, ++units) {
    FW_TASK(hal, WL_COST_FTL_COMMIT_SECTOR);
    const wl_lpn_t lpn = c->lpn + s->lpage + done;
    const uint32_t h = by_lpage ? wl_hazard((wl_map_unit_t)lpn) : wl_hazard_of(fw, lpn);
    const uint32_t first = g.by_page ? lpn % g.lpages : 0;
    if (g.by_page) count = s->count - done < g.lpages - first ? s->count - done : g.lpages - first;
    if (s->kind == WL_SEGMENT_FULL)
      wl_hazard_end_write(fw, h);
    else if (!held)
      wl_hazard_unlock(fw, h);
    if (s->kind == WL_SEGMENT_IN_PLACE) wl_kick_queued(fw, WL_STEP_READ);
    if (!held) wl_write_resume(fw, h);
    if (!commit) {
      for (uint32_t k = 0; k < g.lpages && s->kind != WL_SEGMENT_IN_PLACE; ++k) /* a read has put owners there */
        wl_slot_set_owner(fw, s->slot + done - first + k, WL_LPN_NONE);
    } else if (g.by_page && c->op == WL_OP_DEALLOCATE) {
      wl_modify_shrink(fw, hal, s, lpn, count);
    } else if (g.by_page) {
      page_written(fw, hal, c, s, lpn, s->slot + done, count);
    } else if (g.in_region) {
      wl_map_region_put(fw, hal, lpn, s->slot + done);
    } else {
      wl_map_set_buffer(fw, hal, (wl_map_unit_t)lpn, s->slot + done, 1, g);
    }
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw)) wl_map_unpin(fw, lpn);
#endif
    if (counted) wl_engine_write_closed(fw, lpn);
    if (!commit || fw->policy->on_write == NULL || (g.by_page && c->op == WL_OP_DEALLOCATE)) continue;
    FW_TASK(hal, WL_COST_FTL_NOTE);
    fw->policy->on_write(fw, lpn, count, c->lpages);
  }
  FW_TASK(hal, WL_COST_FTL_COMMIT);
  const wl_unit_t unit = wl_unit_of_slot(fw, s->slot);
  if (s->kind == WL_SEGMENT_COPY) wl_unit_read_done(fw, wl_unit_of_slot(fw, s->from));
  if (!commit) {
    if (s->kind != WL_SEGMENT_IN_PLACE) wl_unit_padded(fw, unit, units * g.lpages);
  } else if (!g.by_page && s->kind == WL_SEGMENT_FULL) {
    fw->statistics.host_lpages_written += units;
    if (g.in_region) fw->statistics.page_writes += units;
  } else if (!g.by_page) {
    wl_modify_count(fw, c, s, 1, 1);
  }
  if (commit && wl_writes_through(fw) && c->op == WL_OP_WRITE) wl_through_awaits(fw, tag, unit);
  wl_unit_arrived(fw, unit, units);
}

WL_BY_PAGE static void release_by_page(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                       const struct wl_segment* s, bool commit) {
  if ((s->room & WL_OF_LPAGE) != 0)
    release_segment(fw, hal, tag, s, commit, WL_IN_REGION);
  else
    release_segment(fw, hal, tag, s, commit, wl_by_page(fw));
}

/* Gives up the slots of a piece: with its data (`commit`), or as padding. Once, for all that call it: what it would
 * grow to otherwise, the compiler takes from what reads pass. */
__attribute__((noinline)) static void release(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                              bool commit) {
  struct wl_command* c = wl_command_of(fw, tag);
  for (uint32_t i = 0; i < c->segments; ++i) {
    if (wl_maps_by_lpage(fw))
      release_segment(fw, hal, tag, &c->segment[i], commit, WL_BY_LPAGE);
    else
      release_by_page(fw, hal, tag, &c->segment[i], commit);
  }
  c->segments = 0;
  c->formed = 0;
  wl_kick_queued(fw, WL_STEP_WRITE);
  wl_kick_queued(fw, WL_STEP_TRIM);
}

/* The command fails: logical pages that it has not taken up will not change. */
static void give_up(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status) {
  struct wl_command* c = wl_command_of(fw, tag);
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw)) wl_command_ungrant(fw, c);
#endif
  if (wl_command_lacks_data(c)) {
    wl_trim_edge_done(fw, status);
    return;
  }
  if (wl_engine_counts_writes(fw))
    for (; c->lpage != c->lpages; ++c->lpage) wl_engine_write_closed(fw, c->lpn + c->lpage);
  if (wl_writes_through(fw)) {
    wl_through_arrived(fw);
    if (c->programs != 0) { /* of pieces before: their ends find the status */
      c->status = (uint16_t)status;
      c->lpage = c->lpages;
      return;
    }
  }
  wl_complete(fw, hal, tag, status);
}

void wl_write_aborted(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  give_up(fw, hal, tag, WL_STATUS_ABORTED);
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
  if (c->op == WL_OP_DEALLOCATE) { /* no data come */
    release(fw, hal, tag, true);
    wl_trim_edge_done(fw, WL_STATUS_OK);
    return;
  }
  const bool later = ends_later(fw, c);
  for (uint32_t i = 0; i < c->segments; ++i) {
    const struct wl_segment* s = &c->segment[i];
    struct wl_host_job job = {0};
    if (i + 1 == c->segments) {
      job.flags = WL_JOB_NOTIFY;
      if (c->lpage == c->lpages && !later) job.flags |= WL_JOB_THEN_COMPLETE;
    }
    if (s->kind == WL_SEGMENT_COPY) wl_modify_send_copy(fw, hal, tag, s);
    if ((s->room & (WL_ZERO_FIRST | WL_ZERO_LAST)) != 0) {
      wl_modify_send_edges(fw, hal, tag, s, job.flags);
      continue;
    }
    job.op = WL_JOB_DMA_IN;
    job.tag = (uint16_t)tag;
    job.count = s->count;
    job.slot = s->slot;
    job.lpage = s->lpage;
    wl_host_reply(fw, hal, &job);
  }
}

/* Nothing is programmed any more: what waits for its program fails. */
__attribute__((noinline)) static void stop(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_through_stop(fw, hal);
  wl_modify_stop(fw);
}

/* No write is taken up for now: a checkpoint is written. */
__attribute__((noinline, cold)) static bool is_held(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_space_read_only(fw)) return false;
  wl_rest(fw, WL_STEP_WRITE);
  wl_waits(fw, hal, WL_WAITER_WRITE, WL_POOL_FREE_SPACE);
  return true;
}

/* Where the command's data of a logical page go; asked where the host has several streams. */
static inline uint32_t stream_of(const struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                                 const struct wl_command* c) {
  (void)hal;
  FW_TASK(hal, WL_COST_FTL_CLASS);
  if (wl_has_slc_cache(fw) && wl_buffer_fills_slc_cache(fw)) return wl_plan(fw)->slc_stream;
  if (fw->policy->class_of_write == NULL) return WL_STREAM_HOST;
  return WL_STREAM_HOST + fw->policy->class_of_write(fw, lpn, c->lpages, c->flags);
}

/* A part of a logical page that a Write Zeroes changes, or of a map unit that is deallocated (trim.h). */
__attribute__((noinline, cold)) static void edge_step(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  struct wl_command* c = wl_command_of(fw, tag);
  FW_TASK(hal, WL_COST_FTL_WRITE);
  FW_FOR(hal, WL_OP_DEALLOCATE, tag);
  const wl_lpn_t lpn = c->lpn + c->lpage;
  const uint32_t h = wl_hazard_of(fw, lpn);
  if (wl_trim_edge_is_taken(fw)) { /* its zeros are in the slot */
    wl_write_pop(fw);
    wl_trim_edge_done(fw, WL_STATUS_OK);
    return;
  }
  if (wl_space_refuses(fw)) {
    if (is_held(fw, hal)) return;
    wl_write_pop(fw);
    wl_trim_edge_done(fw, WL_STATUS_WRITE_PROTECTED);
    return;
  }
  if (wl_hazard_locked(fw, h) || wl_hazard_written(fw, h) || !wl_list_empty(&wl_service_state(fw)->waiters[h])) {
    wl_write_pop(fw);
    wl_command_push_seldom(fw, &wl_service_state(fw)->waiters[h], tag);
    wl_mark(hal, tag, WL_MARK_HELD);
    return;
  }
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw) && lacks_map(fw, hal, tag)) return;
#endif
  if (c->op == WL_OP_WRITE_ZEROES && wl_map_is_zero(wl_map_get(fw, lpn))) {
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw)) wl_command_ungrant(fw, c);
#endif
    wl_write_pop(fw);
    wl_trim_edge_done(fw, WL_STATUS_OK);
    return;
  }
  const struct wl_grain g = c->small ? WL_IN_REGION : wl_grain(fw);
  const struct wl_change p = next_change(fw, c, g);
  uint32_t stream = WL_STREAM_HOST;
  if (c->small)
    stream = fw->policy->space.small_stream;
  else if (wl_has_slc_cache(fw) && wl_buffer_fills_slc_cache(fw))
    stream = wl_plan(fw)->slc_stream;
  else if (fw->policy->class_of_write != NULL)
    stream += fw->policy->class_of_write(fw, lpn, 1, c->flags);
  if (wl_modify_take(fw, hal, tag, &p, h, stream) != WL_TAKEN) {
    wl_rest(fw, WL_STEP_WRITE); /* whatever it waits for kicks */
    wl_waits(fw, hal, WL_WAITER_WRITE, wl_jobs_free(fw) == 0 ? WL_POOL_FLASH_JOBS : WL_POOL_WRITE_BUFFER);
    wl_through_blocked(fw);
    return;
  }
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw)) pin_map(fw, c);
#endif
  wl_waits(fw, hal, WL_WAITER_WRITE, WL_POOL_NONE);
  wl_write_pop(fw);
  wl_trim_edge_taken(fw);
  c->formed = 1;
  if (c->waiting == 0) send(fw, hal, tag);
}

void wl_write_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t tag = wl_service_state(fw)->writes.head;
  if (tag == WL_NO_INDEX) {
    wl_rest(fw, WL_STEP_WRITE);
    if (wl_space_stopped(fw)) {
      wl_flush_stop(fw, hal);
      if (wl_writes_through(fw)) stop(fw, hal);
    }
    return;
  }
  struct wl_command* c = wl_command_of(fw, tag);
  if (__builtin_expect(c->op != WL_OP_WRITE, 0)) {
    if (wl_command_lacks_data(c)) {
      edge_step(fw, hal, tag);
      return;
    }
    wl_write_pop(fw); /* ftl.who_waits = both */
    wl_read_begins(fw, tag);
    return;
  }
  FW_TASK(hal, WL_COST_FTL_WRITE);
  FW_FOR(hal, WL_OP_WRITE, tag);
  if (wl_space_refuses(fw) && c->segments == 0) {
    if (is_held(fw, hal)) return;
    wl_write_pop(fw);
    give_up(fw, hal, tag, WL_STATUS_WRITE_PROTECTED);
    return;
  }
  if (wl_admission_wanted(fw) && c->segments == 0 && !wl_admission_allows(fw, hal)) {
    wl_rest(fw, WL_STEP_WRITE);
    wl_waits(fw, hal, WL_WAITER_WRITE, WL_POOL_WRITE_BUFFER);
    return;
  }
  const uint32_t before = c->lpage;
  for (uint32_t budget = WL_LPAGE_BUDGET; c->lpage != c->lpages; --budget) {
    if (budget == 0) {
      if (wl_admission_wanted(fw)) wl_admission_taken(fw, c->lpage - before);
      return;
    }
    const wl_lpn_t lpn = c->lpn + c->lpage;
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw) && lacks_map(fw, hal, tag)) {
      if (c->segments == 0) return;
      break;
    }
#endif
    uint32_t stream = WL_STREAM_HOST;
    if (wl_service_view(fw)->several_streams) stream = stream_of(fw, hal, lpn, c);
    FW_TASK(hal, WL_COST_FTL_WRITE_SECTOR);
    const enum wl_take took = wl_maps_by_lpage(fw)
                                  ? take(fw, hal, tag, wl_hazard((wl_map_unit_t)lpn), stream, WL_BY_LPAGE)
                                  : take_by_page(fw, hal, tag, stream);
    if (took == WL_WAIT_LPAGE && c->segments == 0) {
      wl_write_pop(fw);
      wl_command_push(fw, &wl_service_state(fw)->waiters[wl_hazard_of(fw, lpn)], tag);
      wl_mark(hal, tag, WL_MARK_HELD);
      return;
    }
    if (took != WL_TAKEN) break;
  }
  if (c->segments == 0) {
    wl_rest(fw, WL_STEP_WRITE); /* whatever it waits for kicks */
    wl_waits(fw, hal, WL_WAITER_WRITE, wl_jobs_free(fw) == 0 ? WL_POOL_FLASH_JOBS : WL_POOL_WRITE_BUFFER);
    wl_through_blocked(fw);
    return;
  }
  if (wl_admission_wanted(fw)) wl_admission_taken(fw, c->lpage - before);
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
  if (!wl_modify_read_done(fw, hal, job, ok)) return; /* goes on */
  wl_superblock_read_done(fw, job->superblock);
  if (--c->waiting == 0 && c->formed) send(fw, hal, job->index);
}

/* Data of the piece have not come: the map names the old ones, and the slots hold nothing. */
__attribute__((noinline)) static void transfer_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  const struct wl_command* c = wl_command_of(fw, tag);
  release(fw, hal, tag, false);
  if (c->lpage == c->lpages && !ends_later(fw, c)) {
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
  if (c->lpage != c->lpages) {
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
