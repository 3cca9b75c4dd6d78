/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/trim.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

void wl_trim_add(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  const uint64_t from = ((uint64_t)r->lpn << fw->boot.ftl.lpage_shift) + r->first;
  const uint64_t to = from + r->blocks;
  const uint32_t within = wl_lbas_per_lpage(fw) - 1u;
  const uint64_t first = (from + within) >> fw->boot.ftl.lpage_shift;
  const uint64_t end = to >> fw->boot.ftl.lpage_shift;
  WL_ASSERT(hal, wl_service_state(fw)->trim_in - wl_service_state(fw)->trim_out <= wl_service_state(fw)->trim_mask);
  struct wl_trim* t = &wl_service_state(fw)->trims[wl_service_state(fw)->trim_in++ & wl_service_state(fw)->trim_mask];
  t->tag = r->tag;
  t->zeroes = r->op == WL_OP_WRITE_ZEROES;
  t->last = t->zeroes || (r->flags & WL_EVENT_LAST) != 0;
  t->lpn = (uint32_t)first;
  t->lpages = end > first ? (uint32_t)(end - first) : 0;
  t->edge_first = t->zeroes && (from & within) != 0;
  t->edge_last =
      t->zeroes && (to & within) != 0 && (end >= first || !t->edge_first); /* else both edges are one logical page */
  if (end < first && !t->edge_first && !t->edge_last) t->lpages = 0;
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

/* The first of `lpages` logical pages, or more of them; returns how many, 0: not now. */
static uint32_t deallocate(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, uint32_t lpages) {
  if (fw->boot.ftl.recovery != 0 && !wl_maps_by_lpage(fw)) return deallocate_in_pages(fw, hal, lpn, lpages);
  if (fw->boot.ftl.recovery != 0 && !entomb(fw, lpn)) return 0;
  wl_map_set_gone(fw, hal, lpn, WL_MAP_DEALLOCATED);
  return 1;
}

/* Whether the logical page reads as zeros; sets *wait when a write of it is in flight. */
static bool edge_is_zero(const struct wl_firmware* fw, wl_lpn_t lpn, bool* wait) {
  const uint32_t h = wl_hazard_of(fw, lpn);
  if (wl_hazard_locked(fw, h) || wl_hazard_written(fw, h)) *wait = true;
  return wl_map_is_zero(wl_map_get(fw, lpn));
}

void wl_trim_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_service_state(fw)->trim_in == wl_service_state(fw)->trim_out) {
    wl_rest(fw, WL_STEP_TRIM);
    return;
  }
  FW_TASK(hal, WL_COST_FTL_TRIM);
  struct wl_trim* t = &wl_service_state(fw)->trims[wl_service_state(fw)->trim_out & wl_service_state(fw)->trim_mask];
  FW_FOR(hal, WL_OP_DEALLOCATE, t->tag);
  uint32_t status = WL_STATUS_OK;
  if (t->edge_first || t->edge_last) {
    bool wait = false;
    bool zero = true;
    if (t->edge_first) zero = edge_is_zero(fw, t->lpn - 1, &wait) && zero;
    if (t->edge_last) zero = edge_is_zero(fw, t->lpn + t->lpages, &wait) && zero;
    if (wait) {
      wl_rest(fw, WL_STEP_TRIM); /* the end of a write kicks */
      return;
    }
    if (!zero) {
      status = WL_STATUS_INVALID_FIELD;
      t->lpages = 0;
    }
    t->edge_first = t->edge_last = 0;
  }
  if (fw->boot.ftl.recovery != 0 && wl_space_refuses(fw)) { /* nothing can be programmed that says so */
    if (!wl_space_read_only(fw)) {
      wl_rest(fw, WL_STEP_TRIM);
      return;
    }
    status = WL_STATUS_WRITE_PROTECTED;
    t->lpages = 0;
  }
  for (uint32_t budget = WL_LPAGE_BUDGET; t->lpages != 0; --budget) {
    if (budget == 0) return;
    FW_TASK(hal, WL_COST_FTL_TRIM_SECTOR);
    if (wl_hazard_locked(fw, wl_hazard_of(fw, t->lpn))) {
      wl_rest(fw, WL_STEP_TRIM);
      return;
    }
    const uint32_t lpages = deallocate(fw, hal, t->lpn, t->lpages);
    if (lpages == 0) {
      wl_rest(fw, WL_STEP_TRIM);
      wl_space_host_waits(fw);
      return;
    }
    t->lpn += lpages;
    t->lpages -= lpages;
  }
  if (t->last) wl_complete(fw, hal, t->tag, status);
  if (++wl_service_state(fw)->trim_out == wl_service_state(fw)->trim_in) wl_not_queued(fw, WL_STEP_TRIM);
}
