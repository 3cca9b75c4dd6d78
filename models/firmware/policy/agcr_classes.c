/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/agcr_classes.h"

#include "models/firmware/core/core.h"
#include "models/firmware/policy/agcr_history.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/state.h"

static uint32_t units_of(const struct wl_boot_info* boot) {
  return (boot->user_lpages + wl_boot_map_unit(boot) - 1) / wl_boot_map_unit(boot);
}

uint64_t wl_agcr_bytes(const struct wl_boot_info* boot) {
  return (wl_agcr_steps_bytes(boot) + units_of(boot) + 3) & ~(uint64_t)3;
}

/* Of a map unit's byte, beside its history: it is in the ring. */
#define QUEUED 0x10u

void wl_agcr_begin(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_agcr* agcr) {
  const struct wl_agcr_rules* rules = &wl_policy_keys(&fw->boot)->agcr;
  WL_ASSERT(hal, rules->window >= 2 && rules->window <= WL_AGCR_RUN + 1 && rules->classes <= WL_AGCR_BY_HISTORY);
  agcr->history = (uint8_t*)wl_policies_state(fw)->table + wl_agcr_steps_bytes(&fw->boot);
  wl_policies_state(fw)->agcr = agcr;
  wl_agcr_steps_begin(fw, hal);
}

/* ---- classes ---- */

static uint8_t* history_of(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return &wl_policies_view(fw)->agcr->history[wl_map_unit_with(fw, lpn)];
}

/* Accesses of the window before the upcoming one. */
static uint32_t past(const struct wl_firmware* fw) { return wl_policy_keys(&fw->boot)->agcr.window - 1u; }

uint32_t wl_agcr_class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags) {
  (void)lpages;
  (void)flags;
  const uint32_t classes = wl_policy_keys(&fw->boot)->agcr.classes;
  if (classes != WL_AGCR_BY_HISTORY) return classes;
  const uint8_t history = *history_of(fw, lpn);
  return wl_agcr_unknown(history) || wl_agcr_only_writes(history, past(fw)) ? WL_AGCR_COARSE : WL_AGCR_DEFAULT;
}

/* Data without an access keep their step. */
uint32_t wl_agcr_class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa) {
  const uint32_t classes = wl_policy_keys(&fw->boot)->agcr.classes;
  if (classes != WL_AGCR_BY_HISTORY) return classes;
  const uint8_t history = *history_of(fw, lpn);
  if (wl_agcr_unknown(history)) return wl_agcr_step_at(fw, ppa);
  if (!wl_agcr_pure(history, past(fw))) return WL_AGCR_DEFAULT;
  return wl_agcr_only_writes(history, past(fw)) ? WL_AGCR_COARSE : WL_AGCR_FINE;
}

/* ---- notices ---- */

static void note(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, bool write) {
  const uint32_t most = past(fw);
  struct wl_step_statistics* counted = &fw->statistics.steps;
  const uint8_t* last = history_of(fw, lpn + count - 1);
  for (uint8_t* history = history_of(fw, lpn); history <= last; ++history) {
    if (wl_agcr_pure(*history, most)) {
      ++counted->judged;
      if (((*history & WL_AGCR_WRITE) != 0) == write) ++counted->judged_right;
    }
    *history = wl_agcr_noted(*history, write, most);
  }
}

void wl_agcr_on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages) {
  (void)lpages;
  note(fw, lpn, count, true);
}

/* ---- data that are only read, and lie so that reads cost much ---- */

/* Of data that would be programmed by `step` now. */
static bool is_costly(const struct wl_firmware* fw, wl_ppa_t ppa, enum wl_agcr_step step) {
  const enum wl_agcr_step now = wl_agcr_step_at(fw, ppa);
  const uint32_t rewrite = wl_policy_keys(&fw->boot)->agcr.rewrite;
  if (now == step || step == WL_AGCR_COARSE) return false;
  return now == WL_AGCR_COARSE ? rewrite != WL_AGCR_REWRITE_NONE
                               : now == WL_AGCR_DEFAULT && rewrite == WL_AGCR_REWRITE_ALL;
}

static struct wl_run* ring_at(struct wl_agcr* s, uint32_t i) { return &s->ring[(s->first + i) % WL_AGCR_RUNS]; }

/* A map unit, at the end of the last run if it lies there. False: the ring is full. */
static bool put(struct wl_agcr* s, wl_lpn_t lpn, wl_ppa_t ppa, uint32_t count) {
  struct wl_run* last = s->runs == 0 ? NULL : ring_at(s, s->runs - 1);
  if (last != NULL && last->count + count <= WL_LPAGE_BUDGET && last->lpn + last->count == lpn &&
      last->ppa + last->count == ppa) {
    last->count += count;
    return true;
  }
  if (s->runs == WL_AGCR_RUNS) return false;
  *ring_at(s, s->runs++) = (struct wl_run){lpn, ppa, count};
  return true;
}

static void queue(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from) {
  struct wl_agcr* s = wl_policies_state(fw)->agcr;
  const uint32_t size = wl_map_unit(fw);
  const uint32_t over = lpn % size;
  uint8_t* history = history_of(fw, lpn);
  for (uint32_t i = 0; i < over + count; i += size, ++history) {
    const bool only_reads = wl_agcr_unknown(*history) || wl_agcr_only_reads(*history, past(fw));
    if ((*history & QUEUED) != 0 || !only_reads) continue;
    if (put(s, lpn - over + i, from - over + i, size)) *history |= QUEUED;
  }
}

bool wl_agcr_move(struct wl_firmware* fw, struct wl_run* run) {
  struct wl_agcr* s = wl_policies_state(fw)->agcr;
  if (s->runs == 0) return false;
  *run = *ring_at(s, 0);
  ++s->first;
  --s->runs;
  uint8_t* history = history_of(fw, run->lpn);
  for (uint32_t i = 0; i < run->count; i += wl_map_unit(fw)) *history++ &= (uint8_t)~QUEUED;
  return true;
}

bool wl_agcr_idle(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_policies_state(fw)->agcr->runs != 0) wl_kick(fw, WL_STEP_GC);
  return wl_page_idle(fw, hal);
}

void wl_agcr_read_of(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from, enum wl_agcr_step step) {
  wl_agcr_read(fw, count, from);
  if (is_costly(fw, from, step)) queue(fw, lpn, count, from); /* this read is the upcoming access of the window */
  note(fw, lpn, count, false);
}

void wl_agcr_on_read(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from) {
  wl_agcr_read_of(fw, lpn, count, from, WL_AGCR_FINE);
}
