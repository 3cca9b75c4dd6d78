/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/commands.h"

#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/slc_cache.h"

struct wl_command* wl_command_of(struct wl_firmware* fw, uint32_t tag) {
  return &wl_service_state(fw)->commands[tag];
}

static inline __attribute__((always_inline)) void push(struct wl_firmware* fw, struct wl_list* l, uint32_t tag) {
  wl_service_state(fw)->commands[tag].next = WL_NO_INDEX;
  if (l->head == WL_NO_INDEX)
    l->head = (uint16_t)tag;
  else
    wl_service_state(fw)->commands[l->tail].next = (uint16_t)tag;
  l->tail = (uint16_t)tag;
}

void wl_command_push(struct wl_firmware* fw, struct wl_list* l, uint32_t tag) { push(fw, l, tag); }
__attribute__((noinline, cold)) void wl_command_push_seldom(struct wl_firmware* fw, struct wl_list* l, uint32_t tag) {
  push(fw, l, tag);
}

uint32_t wl_command_pop(struct wl_firmware* fw, struct wl_list* l) {
  const uint32_t tag = l->head;
  l->head = wl_service_state(fw)->commands[tag].next;
  return tag;
}

bool wl_command_listed(const struct wl_firmware* fw, const struct wl_list* l, uint32_t tag) {
  uint32_t at = l->head;
  while (at != WL_NO_INDEX && at != tag) at = wl_service_view(fw)->commands[at].next;
  return at == tag;
}

__attribute__((noinline)) void wl_command_unlist(struct wl_firmware* fw, struct wl_list* l, uint32_t tag) {
  struct wl_command* commands = wl_service_state(fw)->commands;
  uint32_t before = WL_NO_INDEX;
  for (uint32_t at = l->head; at != tag; at = commands[at].next) before = at;
  if (before == WL_NO_INDEX)
    l->head = commands[tag].next;
  else
    commands[before].next = commands[tag].next;
  if (l->tail == tag) l->tail = (uint16_t)before;
}

void wl_command_push_all_front(struct wl_firmware* fw, struct wl_list* l, struct wl_list* from) {
  if (wl_list_empty(from)) return;
  wl_service_state(fw)->commands[from->tail].next = l->head;
  if (wl_list_empty(l)) l->tail = from->tail;
  l->head = from->head;
  wl_list_clear(from);
}

/* Behind `at`, which is in `l`; `from` is not empty. */
__attribute__((noinline)) static void push_all_behind(struct wl_firmware* fw, struct wl_list* l, uint32_t at,
                                                      struct wl_list* from) {
  struct wl_command* commands = wl_service_state(fw)->commands;
  commands[from->tail].next = commands[at].next;
  commands[at].next = from->head;
  if (l->tail == at) l->tail = from->tail;
  wl_list_clear(from);
}

void wl_read_push(struct wl_firmware* fw, uint32_t tag) {
  wl_command_push(fw, &wl_service_state(fw)->reads, tag);
  wl_queued(fw, WL_STEP_READ);
}

void wl_read_begins(struct wl_firmware* fw, uint32_t tag) {
  if (wl_list_empty(&wl_service_state(fw)->reads)) wl_kick(fw, WL_STEP_READ);
  wl_read_push(fw, tag);
}

void wl_read_pop(struct wl_firmware* fw) {
  (void)wl_command_pop(fw, &wl_service_state(fw)->reads);
  if (wl_list_empty(&wl_service_state(fw)->reads)) wl_not_queued(fw, WL_STEP_READ);
}

void wl_write_push(struct wl_firmware* fw, uint32_t tag) {
  wl_command_push(fw, &wl_service_state(fw)->writes, tag);
  wl_queued(fw, WL_STEP_WRITE);
}

void wl_write_pop(struct wl_firmware* fw) {
  (void)wl_command_pop(fw, &wl_service_state(fw)->writes);
  if (wl_list_empty(&wl_service_state(fw)->writes)) wl_not_queued(fw, WL_STEP_WRITE);
}

void wl_write_resume(struct wl_firmware* fw, uint32_t hazard) {
  struct wl_list* waiters = &wl_service_state(fw)->waiters[hazard];
  if (wl_list_empty(waiters)) return;
  /* The first one may hold a part of its piece. What waits for room goes behind it, as in front of it it would wait for
   * what the piece holds. */
  struct wl_list* writes = &wl_service_state(fw)->writes;
  const uint32_t first = writes->head;
  if (first != WL_NO_INDEX && wl_command_of(fw, first)->segments != 0)
    push_all_behind(fw, writes, first, waiters);
  else
    wl_command_push_all_front(fw, writes, waiters);
  wl_queued(fw, WL_STEP_WRITE);
}

void wl_command_begins(struct wl_firmware* fw, const struct wl_hal* hal) {
  ++wl_service_state(fw)->active;
  if (wl_silence(fw) > WL_BUSY) wl_idle_ends(fw, hal);
}

inline void wl_command_ends(struct wl_firmware* fw) {
  const bool awaited = wl_pace_copies_wait(fw) || wl_silence(fw) == WL_BUSY;
  if (--wl_service_state(fw)->active == 0 && awaited) wl_last_command_ends(fw);
}

/* Apart, as its callers are: what reads pass stays small enough to be inlined (wl_ftl_poll). */
__attribute__((noinline)) void wl_complete(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                           uint32_t status) {
  struct wl_host_job job = {0};
  job.op = WL_JOB_COMPLETE;
  job.tag = (uint16_t)tag;
  job.status = (uint16_t)status;
  wl_command_ends(fw);
  wl_host_reply(fw, hal, &job);
}

void wl_commands_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_service* s = wl_service_state(fw);
  s->commands = wl_arena_take(tcm, (uint64_t)fw->boot.host_tags * sizeof(s->commands[0]));
  wl_hazards_layout(fw, tcm);
  s->waiters = wl_arena_take(tcm, WL_HAZARDS * sizeof(s->waiters[0]));
  const uint32_t trims = wl_power_of_two(2 * WL_DSM_RANGES + fw->boot.host_tags);
  s->trim_mask = trims - 1;
  s->trims = wl_arena_take(tcm, (uint64_t)trims * sizeof(s->trims[0]));
}

void wl_commands_boot(struct wl_firmware* fw) {
  struct wl_service* s = wl_service_state(fw);
  /* The others, up to half, may be held by reads whose end is seen at the next wake-up only: waiting for these would
   * be for ever. */
  const uint32_t runs = wl_read_runs(fw) - wl_read_runs(fw) / 2;
  s->read_segments = runs < WL_MAX_SEGMENTS ? runs : WL_MAX_SEGMENTS;
  s->several_streams = fw->policy->class_of_write != NULL || wl_has_slc_cache(fw);
  for (uint32_t i = 0; i < WL_HAZARDS; ++i) wl_list_clear(&s->waiters[i]);
  wl_list_clear(&s->reads);
  wl_list_clear(&s->writes);
  wl_list_clear(&s->flushing);
  wl_list_clear(&s->flush_next);
  for (uint32_t i = 0; i < WL_CLASSES; ++i) s->filler[i] = WL_NO_TAG;
}

void wl_command_take(struct wl_firmware* fw, const struct wl_request* r) {
  struct wl_command* c = wl_command_of(fw, r->tag);
  const uint32_t end = r->first + r->blocks;
  c->op = r->op;
  c->flags = r->flags;
  c->segments = 0;
  c->formed = 0;
  c->waiting = 0;
  c->status = WL_STATUS_OK;
  c->first = (uint8_t)r->first;
  c->last = (uint8_t)(wl_lba_in_lpage(fw, end - 1) + 1);
  c->holds = 0;
  c->holds_unit = 0;
  c->automatic = 0;
  c->small = 0;
  if (WL_HAS_LARGE_MAPS) c->granted = 0;
  c->lpn = r->lpn;
  c->lpages = (end + wl_lbas_per_lpage(fw) - 1) >> fw->boot.ftl.lpage_shift;
  c->lpage = 0;
  c->programs = 0;
}
