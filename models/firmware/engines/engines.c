/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/engines/engines.h"

#include "models/firmware/core/core.h"
#include "models/firmware/core/rings.h"
#include "models/firmware/engines/state.h"

bool wl_engine_waits(const struct wl_firmware* fw, enum wl_answer kind) {
  return (wl_engines_view(fw)->waiting & 1u << kind) != 0;
}

bool wl_engine_answered(const struct wl_firmware* fw, enum wl_answer kind) {
  return wl_engine_waits(fw, kind) && *wl_engines_view(fw)->answered[kind] == wl_engines_view(fw)->asked[kind];
}

bool wl_engines_answered(const struct wl_firmware* fw) {
  return wl_engines_view(fw)->waiting != 0 && wl_engines_any_answered(fw);
}

bool wl_engine_take(struct wl_firmware* fw, enum wl_answer kind) {
  if (!wl_engine_answered(fw, kind)) return false;
  wl_engines_state(fw)->waiting &= ~(1u << kind);
  return true;
}

const struct wl_gc_list* wl_engine_found(const struct wl_firmware* fw) { return wl_engines_view(fw)->gc_list; }
wl_superblock_t wl_engine_victim(const struct wl_firmware* fw) { return wl_engines_view(fw)->victim->superblock; }
wl_ppa_t wl_engine_copy_ppa(const struct wl_firmware* fw, uint32_t unit) {
  return wl_engines_view(fw)->copy_ppas[unit];
}

void wl_engine_map_changed(struct wl_firmware* fw, wl_lpn_t lpn) {
  if (wl_engines_state(fw)->lpage_states == NULL) return;
  struct wl_lpage_state* state = &wl_engines_state(fw)->lpage_states[lpn % WL_LPAGE_STATES];
  WL_FENCE();
  state->changes = state->changes + 1;
}

void wl_engine_write_closed(struct wl_firmware* fw, wl_lpn_t lpn) {
  struct wl_lpage_state* state = &wl_engines_state(fw)->lpage_states[lpn % WL_LPAGE_STATES];
  state->closed = state->closed + 1;
}

bool wl_engine_looked_up(const struct wl_firmware* fw, uint32_t tag, uint32_t index, wl_lpn_t lpn,
                         wl_map_value_t* value) {
  if (index >= WL_LOOKUP_LPAGES) return false;
  const struct wl_lookup* answer = &wl_engines_view(fw)->lookups[tag];
  if (answer->changes[index] != wl_engines_view(fw)->lpage_states[lpn % WL_LPAGE_STATES].changes) return false;
  *value = answer->value[index];
  return true;
}

void wl_engines_layout(struct wl_firmware* fw, struct wl_arena* tcm, uint32_t flash_jobs, uint32_t gc_units) {
  struct wl_engines* e = wl_engines_state(fw);
  if (!wl_has_engine_block(fw)) return;
  e->lpage_states = wl_arena_take(tcm, WL_LPAGE_STATES * sizeof(e->lpage_states[0]));
  e->lookups = wl_arena_take(tcm, (uint64_t)fw->boot.host_tags * sizeof(e->lookups[0]));
  const struct wl_grace_state* grace = wl_arena_take(tcm, sizeof(*grace));
  e->answered[WL_ANSWER_SLOTS] = &grace->done[WL_GRACE_SLOTS];
  e->answered[WL_ANSWER_PPAS] = &grace->done[WL_GRACE_PPAS];
  e->gc_list = wl_arena_take(tcm, sizeof(*e->gc_list));
  e->answered[WL_ANSWER_SCAN] = &e->gc_list->done;
  if (wl_has_engines(fw, WL_ENGINE_COPY)) {
    const uint32_t copies =
        wl_power_of_two(2 * gc_units + 1); /* a unit is posted once at a time, or again, and one is closed */
    e->copy_mask = copies - 1;
    e->copy_ring = wl_ring_take(tcm, copies, sizeof(struct wl_copy_job));
    e->copy_jobs = wl_ring_entries(e->copy_ring);
    e->copy_ppas = wl_arena_take(tcm, (uint64_t)gc_units * sizeof(e->copy_ppas[0]));
  }
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) {
    e->victim = wl_arena_take(tcm, sizeof(*e->victim));
    e->answered[WL_ANSWER_SEARCH] = &e->victim->done;
  }
  const uint32_t entries = wl_power_of_two(flash_jobs);
  e->ppa_mask = entries - 1;
  e->ppa_ring = wl_ring_take(tcm, entries, sizeof(struct wl_ppa_job));
  e->ppa_jobs = wl_ring_entries(e->ppa_ring);
}

void wl_engines_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_engines* e = wl_engines_state(fw);
  if (!wl_has_engine_block(fw)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.PAGE_LPAGES), fw->geometry.page_lpages);
  wl_write32(hal, WL_REGISTER(ENGINES.UNIT_PAGES), fw->geometry.unit_pages);
  wl_write32(hal, WL_REGISTER(ENGINES.SUPERBLOCK_UNITS), fw->geometry.superblock_units);
  wl_write32(hal, WL_REGISTER(ENGINES.DIES), fw->geometry.dies);
  wl_write32(hal, WL_REGISTER(ENGINES.LPAGE_STATES), wl_bus_address(hal, e->lpage_states));
  wl_write32(hal, WL_REGISTER(ENGINES.LOOKUPS), wl_bus_address(hal, e->lookups));
  wl_write32(hal, WL_REGISTER(ENGINES.GRACE_BASE), wl_bus_address(hal, e->answered[WL_ANSWER_SLOTS]));
  wl_write32(hal, WL_REGISTER(ENGINES.JOB_RING_BASE), wl_bus_address(hal, e->ppa_ring));
  wl_write32(hal, WL_REGISTER(ENGINES.JOB_RING_SIZE), e->ppa_mask + 1);
  wl_write32(hal, WL_REGISTER(ENGINES.GC_LIST), wl_bus_address(hal, e->gc_list));
  if (wl_has_engines(fw, WL_ENGINE_COPY)) {
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_RING_BASE), wl_bus_address(hal, e->copy_ring));
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_RING_SIZE), e->copy_mask + 1);
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_PPAS), wl_bus_address(hal, e->copy_ppas));
  }
  if (wl_has_engines(fw, WL_ENGINE_VICTIM))
    wl_write32(hal, WL_REGISTER(ENGINES.VICTIM), wl_bus_address(hal, e->victim));
}

void wl_engines_start(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_has_engine_block(fw)) wl_write32(hal, WL_REGISTER(ENGINES.ENABLE), fw->boot.engines & WL_ENGINES_BLOCK);
}

void wl_engine_post_ppa_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_ppa_job* job) {
  struct wl_engines* e = wl_engines_state(fw);
  const uint32_t produced = e->ppa_ring->produced;
  WL_ASSERT(hal, produced - e->ppa_ring->consumed <= e->ppa_mask);
  e->ppa_jobs[produced & e->ppa_mask] = *job;
  WL_FENCE();
  e->ppa_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(ENGINES.JOB_DOORBELL), produced + 1);
}

void wl_engine_post_copy_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_copy_job* job) {
  struct wl_engines* e = wl_engines_state(fw);
  FW_TASK(hal, WL_COST_FTL_GC_COPY);
  const uint32_t produced = e->copy_ring->produced;
  WL_ASSERT(hal, produced - e->copy_ring->consumed <= e->copy_mask);
  e->copy_jobs[produced & e->copy_mask] = *job;
  WL_FENCE();
  e->copy_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(ENGINES.COPY_DOORBELL), produced + 1);
}

bool wl_engines_any_answered(const struct wl_firmware* fw) {
  for (uint32_t kind = 0; kind < WL_ANSWERS; ++kind)
    if (wl_engine_answered(fw, (enum wl_answer)kind)) return true;
  return false;
}

static void asked(struct wl_firmware* fw, enum wl_answer kind) {
  ++wl_engines_state(fw)->asked[kind];
  wl_engines_state(fw)->waiting |= 1u << kind;
}

void wl_engine_ask_quiescence(struct wl_firmware* fw, const struct wl_hal* hal, enum wl_answer kind) {
  asked(fw, kind);
  wl_write32(hal, WL_REGISTER(ENGINES.GRACE), 1u << kind);
}

void wl_engine_ask_scan(struct wl_firmware* fw, const struct wl_hal* hal, wl_ppa_t ppa, uint32_t end) {
  asked(fw, WL_ANSWER_SCAN);
  wl_write32(hal, WL_REGISTER(ENGINES.SCAN_END), end);
  wl_write32(hal, WL_REGISTER(ENGINES.SCAN), ppa);
}

void wl_engine_ask_search(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock) {
  asked(fw, WL_ANSWER_SEARCH);
  wl_write32(hal, WL_REGISTER(ENGINES.SEARCH), superblock);
}
