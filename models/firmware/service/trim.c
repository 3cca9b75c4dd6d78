/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/trim.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/flush.h"
#include "models/firmware/service/piece.h"
#include "models/firmware/service/state.h"
#include "models/firmware/service/through.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

static struct wl_trim* first_in_line(struct wl_firmware* fw) {
  return &wl_service_state(fw)->trims[wl_service_state(fw)->trim_out & wl_service_state(fw)->trim_mask];
}

/* Which logical pages of a Write Zeroes are covered in part. */
static void find_edges(struct wl_firmware* fw, struct wl_trim* t, const struct wl_request* r) {
  const uint32_t lbas = wl_lbas_per_lpage(fw);
  const bool one = r->first + r->blocks <= lbas;
  t->first = (uint8_t)r->first;
  t->end = (uint8_t)(wl_lba_in_lpage(fw, r->first + r->blocks - 1) + 1);
  if (t->first != 0 || (one && t->end != lbas)) t->flags |= WL_TRIM_EDGE_FIRST;
  if (!one && t->end != lbas) t->flags |= WL_TRIM_EDGE_LAST;
  if ((r->flags & WL_EVENT_FUA) != 0 && !fw->boot.power_safe) t->flags |= WL_TRIM_FLUSHES;
}

void wl_trim_add(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  const uint64_t from = ((uint64_t)r->lpn << fw->boot.ftl.lpage_shift) + r->first;
  const uint64_t to = from + r->blocks;
  const uint32_t within = wl_lbas_per_lpage(fw) - 1u;
  const uint64_t first = (from + within) >> fw->boot.ftl.lpage_shift;
  const uint64_t end = to >> fw->boot.ftl.lpage_shift;
  WL_ASSERT(hal, wl_service_state(fw)->trim_in - wl_service_state(fw)->trim_out <= wl_service_state(fw)->trim_mask);
  struct wl_trim* t = &wl_service_state(fw)->trims[wl_service_state(fw)->trim_in++ & wl_service_state(fw)->trim_mask];
  t->tag = r->tag;
  t->lpn = (uint32_t)first;
  t->lpages = end > first ? (uint32_t)(end - first) : 0;
  t->status = WL_STATUS_OK;
  t->flags = r->op == WL_OP_WRITE_ZEROES || (r->flags & WL_EVENT_LAST) != 0 ? WL_TRIM_LAST : 0;
  if (r->op == WL_OP_WRITE_ZEROES) find_edges(fw, t, r);
  wl_queued(fw, WL_STEP_TRIM);
  wl_kick(fw, WL_STEP_TRIM);
}

/* A slot, or a page of them, has tombstones, no data of the host. */
static void entombed(struct wl_firmware* fw, wl_slot_t slot, uint32_t lpages) {
  const wl_unit_t unit = wl_unit_of_slot(fw, slot);
  fw->statistics.recovery.tombstones += lpages;
  wl_unit_padded(fw, unit, lpages);
  wl_unit_arrived(fw, unit, 1);
}

/* False: no slot for its tombstone; a unit that comes free, or what else lets the host write, kicks. */
__attribute__((noinline)) static bool entomb(struct wl_firmware* fw, wl_lpn_t lpn) {
  if (!wl_map_needs_tombstone(fw, lpn)) return true;
  const wl_slot_t slot = wl_buffer_slot(fw, WL_STREAM_HOST);
  if (slot == WL_NONE) return false;
  wl_map_entomb(fw, lpn, slot);
  entombed(fw, slot, 1);
  return true;
}

static bool is_deallocated(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages) {
  for (uint32_t i = 0; i != lpages; ++i)
    if (wl_map_get(fw, lpn + i) != WL_MAP_DEALLOCATED) return false;
  return true;
}

/* The rest of the map unit of the first of `lpages` logical pages is written anew, with tombstones for these: a change
 * of the unit for which no data come (write.c), whose end comes back to wl_trim_edge_done(). */
__attribute__((noinline, cold)) static void begin_shrinking(struct wl_firmware* fw, struct wl_trim* t,
                                                            uint32_t lpages) {
  struct wl_command* c = wl_command_of(fw, t->tag);
  c->op = WL_OP_DEALLOCATE;
  c->flags = c->segments = c->formed = c->small = 0;
  if (WL_HAS_LARGE_MAPS) c->granted = 0;
  c->waiting = 0;
  c->status = WL_STATUS_OK;
  c->programs = 0;
  c->lpn = t->lpn;
  c->lpage = 0;
  c->lpages = lpages;
  c->first = 0;
  c->last = (uint8_t)wl_lbas_per_lpage(fw);
  t->flags |= WL_TRIM_SHRINKS;
  wl_command_push_seldom(fw, &wl_service_state(fw)->writes, t->tag);
  wl_queued(fw, WL_STEP_WRITE);
  wl_kick(fw, WL_STEP_WRITE);
}

/* With one page size: a whole map unit is entombed, or what is left of one. */
__attribute__((noinline, cold)) static uint32_t deallocate_in_units(struct wl_firmware* fw, const struct wl_hal* hal,
                                                                    struct wl_trim* t) {
  uint32_t first;
  const wl_map_unit_t unit = wl_map_unit_of(fw, t->lpn, &first);
  const uint32_t n = wl_map_unit(fw), count = t->lpages < n - first ? t->lpages : n - first;
  if (is_deallocated(fw, t->lpn, count)) return count;
  const struct wl_mapped mapped = wl_mapped(fw, unit);
  if (((mapped.present | mapped.lost) & ~wl_bits(first, count)) != 0) {
    begin_shrinking(fw, t, count);
    return 0;
  }
  const wl_slot_t slot = wl_buffer_page(fw, WL_STREAM_HOST);
  if (slot == WL_NONE) return 0;
  wl_map_entomb_page(fw, unit, slot);
  for (uint32_t i = 0; i != count; ++i) wl_map_set_gone(fw, hal, t->lpn + i, WL_MAP_DEALLOCATED);
  entombed(fw, slot, n);
  return count;
}

/* With two page sizes: a whole map unit is entombed in a large page, else a logical page in a small one. Returns how
 * many logical pages are; 0: no slot. */
__attribute__((noinline, cold)) static uint32_t deallocate_in_pages(struct wl_firmware* fw, const struct wl_hal* hal,
                                                                    wl_lpn_t lpn, uint32_t lpages) {
  uint32_t first;
  const wl_map_unit_t unit = wl_map_unit_of(fw, lpn, &first);
  const uint32_t all = wl_map_count(wl_map_unit_all(fw, unit));
  const bool whole = first == 0 && lpages >= all;
  const uint32_t count = whole ? all : 1;
  if (is_deallocated(fw, lpn, count)) return count;
  const uint32_t small_stream = fw->policy->space.small_stream;
  const wl_slot_t slot = whole ? wl_buffer_page(fw, WL_STREAM_HOST) : wl_buffer_slot(fw, small_stream);
  if (slot == WL_NONE) return 0;
  if (whole)
    wl_map_entomb_page(fw, unit, slot);
  else
    wl_map_entomb_small(fw, lpn, slot);
  for (uint32_t i = 0; i != count; ++i) wl_map_set_gone(fw, hal, lpn + i, WL_MAP_DEALLOCATED);
  entombed(fw, slot, whole ? wl_map_unit(fw) : 1);
  return count;
}

/* The first of its logical pages, or more of them; returns how many, 0: not now. */
static uint32_t deallocate(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_trim* t) {
  if (fw->boot.ftl.recovery != 0 && !wl_maps_by_lpage(fw))
    return wl_has_small_pages(fw) ? deallocate_in_pages(fw, hal, t->lpn, t->lpages) : deallocate_in_units(fw, hal, t);
  if (fw->boot.ftl.recovery != 0 && !entomb(fw, t->lpn)) return 0;
  wl_map_set_gone(fw, hal, t->lpn, WL_MAP_DEALLOCATED);
  return 1;
}

/* ---- parts of logical pages ---- */

/* The logical page with the first block of the range. Asked before the whole ones are deallocated. */
static wl_lpn_t begin_of(const struct wl_trim* t) { return t->first != 0 ? t->lpn - 1 : t->lpn; }
static uint32_t index_of_edge(const struct wl_trim* t, uint32_t edge) {
  return edge == WL_TRIM_EDGE_FIRST ? 0 : t->lpn + t->lpages - begin_of(t);
}
/* The first of those that are left. */
static uint32_t edge_of(const struct wl_trim* t) {
  return (t->flags & WL_TRIM_EDGE_FIRST) != 0 ? WL_TRIM_EDGE_FIRST : WL_TRIM_EDGE_LAST;
}

/* A write of the blocks of one logical page, which the controller makes of no data but zeros (its command is a Write
 * Zeroes). It never counts as complete: its end comes back to this file. */
__attribute__((noinline, cold)) static void begin_edge(struct wl_firmware* fw, struct wl_trim* t) {
  const uint32_t edge = edge_of(t), index = index_of_edge(t, edge);
  const bool to_end = edge == WL_TRIM_EDGE_FIRST && (t->lpages != 0 || (t->flags & WL_TRIM_EDGE_LAST) != 0);
  struct wl_command* c = wl_command_of(fw, t->tag);
  c->op = WL_OP_WRITE_ZEROES; /* not by wl_command_take(), which is inlined where it is called */
  c->flags = c->segments = c->formed = c->small = 0;
  if (WL_HAS_LARGE_MAPS) c->granted = 0;
  c->waiting = 0;
  c->status = WL_STATUS_OK;
  c->programs = 0;
  c->lpn = begin_of(t);
  c->lpage = index;
  c->lpages = index + 1;
  c->first = edge == WL_TRIM_EDGE_FIRST ? t->first : 0;
  c->last = to_end ? (uint8_t)wl_lbas_per_lpage(fw) : t->end;
  if (wl_has_small_pages(fw)) c->small = fw->policy->writes_small(fw, c->last - c->first);
  t->flags |= WL_TRIM_QUEUED;
  wl_command_push_seldom(fw, &wl_service_state(fw)->writes, t->tag);
  wl_queued(fw, WL_STEP_WRITE);
  wl_kick(fw, WL_STEP_WRITE);
}

/* Hardware counts the writes of the parts. */
static void close_edge(struct wl_firmware* fw, const struct wl_trim* t, uint32_t edge) {
  if (wl_engine_counts_writes(fw)) wl_engine_write_closed(fw, begin_of(t) + index_of_edge(t, edge));
}

void wl_trim_edge_taken(struct wl_firmware* fw) {
  struct wl_trim* t = first_in_line(fw);
  t->flags = (uint8_t)((t->flags & ~WL_TRIM_QUEUED) | WL_TRIM_TAKEN);
}

bool wl_trim_edge_is_taken(const struct wl_firmware* fw) {
  const struct wl_service* s = wl_service_view(fw);
  return (s->trims[s->trim_out & s->trim_mask].flags & WL_TRIM_TAKEN) != 0;
}

/* A command of several ranges goes on with the next one, also where this one has failed: then nothing can be written.
 */
static void shrunk(struct wl_firmware* fw, struct wl_trim* t, uint32_t status) {
  const uint32_t lpages = status == WL_STATUS_OK ? wl_command_of(fw, t->tag)->lpages : t->lpages;
  if (status != WL_STATUS_OK)
    t->status = (uint16_t)status;
  else if (wl_writes_through(fw))
    t->flags |= WL_TRIM_FLUSHES;
  t->lpn += lpages;
  t->lpages -= lpages;
  t->flags &= (uint8_t) ~(WL_TRIM_SHRINKS | WL_TRIM_TAKEN);
  wl_kick(fw, WL_STEP_TRIM);
}

__attribute__((noinline, cold)) void wl_trim_edge_done(struct wl_firmware* fw, uint32_t status) {
  struct wl_trim* t = first_in_line(fw);
  if ((t->flags & WL_TRIM_SHRINKS) != 0) {
    shrunk(fw, t, status);
    return;
  }
  const uint32_t edge = edge_of(t);
  if ((t->flags & WL_TRIM_QUEUED) != 0)
    close_edge(fw, t, edge);
  else if (wl_writes_through(fw))
    t->flags |= WL_TRIM_FLUSHES; /* the part is on flash before the command completes */
  t->flags &= (uint8_t) ~(edge | WL_TRIM_QUEUED | WL_TRIM_TAKEN);
  if (status != WL_STATUS_OK) {
    if ((t->flags & WL_TRIM_EDGES) != 0) close_edge(fw, t, WL_TRIM_EDGE_LAST);
    t->flags &= (uint8_t)~WL_TRIM_EDGES;
    t->lpages = 0;
    t->status = (uint16_t)status;
  }
  wl_kick(fw, WL_STEP_TRIM);
}

#if WL_HAS_LARGE_MAPS
void wl_trim_map_came(struct wl_firmware* fw) {
  struct wl_trim* t = first_in_line(fw);
  t->flags = (uint8_t)(t->flags & ~WL_TRIM_AWAITS_MAP);
  wl_kick(fw, WL_STEP_TRIM);
}
#endif

void wl_trim_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_service_state(fw)->trim_in == wl_service_state(fw)->trim_out) {
    wl_rest(fw, WL_STEP_TRIM);
    return;
  }
  FW_TASK(hal, WL_COST_FTL_TRIM);
  struct wl_trim* t = first_in_line(fw);
  FW_FOR(hal, WL_OP_DEALLOCATE, t->tag);
  if ((t->flags & WL_TRIM_EDGES) != 0) {
    if ((t->flags & (WL_TRIM_QUEUED | WL_TRIM_TAKEN)) == 0) begin_edge(fw, t);
    wl_rest(fw, WL_STEP_TRIM); /* its end kicks */
    return;
  }
  if ((t->flags & WL_TRIM_SHRINKS) != 0) {
    wl_rest(fw, WL_STEP_TRIM); /* its end kicks */
    return;
  }
  if (fw->boot.ftl.recovery != 0 && wl_space_refuses(fw)) { /* nothing can be programmed that says so */
    if (!wl_space_read_only(fw)) {
      wl_rest(fw, WL_STEP_TRIM);
      return;
    }
    t->status = WL_STATUS_WRITE_PROTECTED;
    t->lpages = 0;
  }
  for (uint32_t budget = WL_LPAGE_BUDGET; t->lpages != 0; --budget) {
    if (budget == 0) return;
    FW_TASK(hal, WL_COST_FTL_TRIM_SECTOR);
    if (wl_hazard_locked(fw, wl_hazard_of(fw, t->lpn))) {
      wl_rest(fw, WL_STEP_TRIM);
      return;
    }
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw) && !wl_map_look(fw, t->lpn)) {
      if ((t->flags & WL_TRIM_AWAITS_MAP) == 0) wl_map_await(fw, t->lpn, wl_map_waiter_of_trim(fw), WL_MAP_NOT_PINNED);
      t->flags |= WL_TRIM_AWAITS_MAP;
      wl_rest(fw, WL_STEP_TRIM);
      return;
    }
    if (wl_map_cached(fw)) wl_map_hit(fw);
#endif
    const uint32_t lpages = deallocate(fw, hal, t);
    if (lpages == 0) {
      wl_rest(fw, WL_STEP_TRIM);
      if ((t->flags & WL_TRIM_SHRINKS) == 0) wl_space_host_waits(fw);
      return;
    }
    t->lpn += lpages;
    t->lpages -= lpages;
  }
  if ((t->flags & WL_TRIM_LAST) != 0) {
    if ((t->flags & WL_TRIM_FLUSHES) != 0 && t->status == WL_STATUS_OK)
      wl_flush_behind(fw, hal, t->tag);
    else
      wl_complete(fw, hal, t->tag, t->status);
  }
  if (++wl_service_state(fw)->trim_out == wl_service_state(fw)->trim_in) wl_not_queued(fw, WL_STEP_TRIM);
}
