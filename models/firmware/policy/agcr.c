/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Access characteristic guided cost regulation: data that are only read are programmed in fine steps, which takes long
 * and makes reads cheap; data that are only written in coarse ones; the others as the device does. Source: Li et al.,
 * "Access Characteristic Guided Read and Write Cost Regulation for Performance Improvement on Flash Memory", FAST 2016
 * (slides); docs/agcr.md has what they leave open, and what is done here.
 *
 * The class of a page is judged by a window of accesses, of which the upcoming one is the last: so a page that the host
 * writes is never read-only. Data that collection moves have no upcoming access; they are judged by the rest of the
 * window. Data of a class fill units and superblocks of their own, as a unit is programmed in one way.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/agcr_history.h"
#include "models/firmware/policy/agcr_steps.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

static uint32_t map_page(const struct wl_boot_info* boot) { return boot->ftl.map_page == 0 ? 1 : boot->ftl.map_page; }

static uint32_t units_of(const struct wl_boot_info* boot) {
  return (boot->user_sectors + map_page(boot) - 1) / map_page(boot);
}

static uint64_t table_bytes(const struct wl_boot_info* boot) { return wl_agcr_steps_bytes(boot) + units_of(boot); }

/* Of a map unit's byte, beside its history: it is in the ring. */
#define QUEUED 0x10u

#define RUNS 128u
struct state {
  uint8_t* history;         /* by map unit: agcr_history.h */
  uint32_t first, runs;     /* of the ring: what is to be programmed anew */
  struct wl_run ring[RUNS]; /* what finds no room is noticed again when it is read again */
};

static const struct state* state_of(const struct wl_firmware* fw) { return fw->policies.arena; }

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_agcr_rules* rules = &fw->boot.ftl.agcr;
  WL_ASSERT(hal, rules->window >= 2 && rules->window <= WL_AGCR_RUN + 1 && rules->classes <= WL_AGCR_BY_HISTORY);
  struct state* s = fw->policies.arena;
  s->history = (uint8_t*)fw->policies.table + wl_agcr_steps_bytes(&fw->boot);
  wl_agcr_steps_begin(fw);
}

/* ---- classes ---- */

static uint8_t* history_of(const struct wl_firmware* fw, uint32_t lpn) {
  return &state_of(fw)->history[fw->boot.ftl.map_page == 0 ? lpn : lpn / fw->boot.ftl.map_page];
}

/* Accesses of the window before the upcoming one. */
static uint32_t past(const struct wl_firmware* fw) { return fw->boot.ftl.agcr.window - 1u; }

static uint32_t class_of_write(const struct wl_firmware* fw, uint32_t lpn, uint32_t sectors, uint32_t flags) {
  (void)sectors;
  (void)flags;
  const uint32_t classes = fw->boot.ftl.agcr.classes;
  if (classes != WL_AGCR_BY_HISTORY) return classes;
  const uint8_t history = *history_of(fw, lpn);
  return wl_agcr_unknown(history) || wl_agcr_only_writes(history, past(fw)) ? WL_AGCR_COARSE : WL_AGCR_DEFAULT;
}

/* Data that nobody has accessed stay as they are. */
static uint32_t class_of_move(const struct wl_firmware* fw, uint32_t lpn, uint32_t place) {
  const uint32_t classes = fw->boot.ftl.agcr.classes;
  if (classes != WL_AGCR_BY_HISTORY) return classes;
  const uint8_t history = *history_of(fw, lpn);
  if (wl_agcr_unknown(history)) return wl_agcr_step_at(fw, place);
  if (!wl_agcr_pure(history, past(fw))) return WL_AGCR_DEFAULT;
  return wl_agcr_only_writes(history, past(fw)) ? WL_AGCR_COARSE : WL_AGCR_FINE;
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (!wl_page_place(fw, stream, at)) return false;
  at->control = wl_stream_moves(stream) ? stream - WL_STREAM_GC : stream; /* also in a line of another class */
  return true;
}

/* ---- notices ---- */

static void note(struct wl_firmware* fw, uint32_t lpn, uint32_t count, bool write) {
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

static void on_write(struct wl_firmware* fw, uint32_t lpn, uint32_t count, uint32_t sectors) {
  (void)sectors;
  note(fw, lpn, count, true);
}

/* ---- data that are only read, and lie so that reads cost much ---- */

static bool is_costly(const struct wl_firmware* fw, uint32_t place) {
  const enum wl_agcr_step step = wl_agcr_step_at(fw, place);
  const uint32_t rewrite = fw->boot.ftl.agcr.rewrite;
  return step == WL_AGCR_COARSE ? rewrite != WL_AGCR_REWRITE_NONE
                                : step == WL_AGCR_DEFAULT && rewrite == WL_AGCR_REWRITE_ALL;
}

static struct wl_run* ring_at(struct state* s, uint32_t i) { return &s->ring[(s->first + i) % RUNS]; }

/* A map unit, at the end of the last run if it lies there. False: the ring is full. */
static bool put(struct state* s, uint32_t lpn, uint32_t place, uint32_t count) {
  struct wl_run* last = s->runs == 0 ? NULL : ring_at(s, s->runs - 1);
  if (last != NULL && last->count + count <= WL_SECTOR_BUDGET && last->lpn + last->count == lpn &&
      last->place + last->count == place) {
    last->count += count;
    return true;
  }
  if (s->runs == RUNS) return false;
  *ring_at(s, s->runs++) = (struct wl_run){lpn, place, count};
  return true;
}

static void queue(struct wl_firmware* fw, uint32_t lpn, uint32_t count, uint32_t from) {
  struct state* s = fw->policies.arena;
  const uint32_t size = map_page(&fw->boot);
  const uint32_t over = lpn % size;
  uint8_t* history = history_of(fw, lpn);
  for (uint32_t i = 0; i < over + count; i += size, ++history) {
    const bool only_reads = wl_agcr_unknown(*history) || wl_agcr_only_reads(*history, past(fw));
    if ((*history & QUEUED) != 0 || !only_reads) continue;
    if (put(s, lpn - over + i, from - over + i, size)) *history |= QUEUED;
  }
}

static bool move(struct wl_firmware* fw, struct wl_run* run) {
  struct state* s = fw->policies.arena;
  if (s->runs == 0) return false;
  *run = *ring_at(s, 0);
  ++s->first;
  --s->runs;
  uint8_t* history = history_of(fw, run->lpn);
  for (uint32_t i = 0; i < run->count; i += map_page(&fw->boot)) *history++ &= (uint8_t)~QUEUED;
  return true;
}

static bool idle(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (state_of(fw)->runs != 0) wl_kick(fw, WL_STEP_GC);
  return wl_page_idle(fw, hal);
}

static void on_read(struct wl_firmware* fw, uint32_t lpn, uint32_t count, uint32_t from) {
  wl_agcr_read(fw, count, from);
  if (is_costly(fw, from)) queue(fw, lpn, count, from); /* this read is the upcoming access of the window */
  note(fw, lpn, count, false);
}

const struct wl_policy wl_policy_agcr = {
    .space = {.host_streams = WL_AGCR_STEPS, .move_streams = WL_AGCR_STEPS},
    .media = {.programs = true, .read_start = wl_agcr_read_start},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = table_bytes,
    .arena_bytes = sizeof(struct state),
    .begin = begin,
    .class_of_write = class_of_write,
    .class_of_move = class_of_move,
    .on_write = on_write,
    .on_read = on_read,
    .place = place,
    .programmed = wl_agcr_programmed,
    .collect = wl_page_collect_classes,
    .idle = idle,
    .move = move,
    .victim = wl_line_emptiest,
};
