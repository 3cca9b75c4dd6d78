/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/commands.h"

#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/map/hazards.h"

void wl_commands_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_service* s = &fw->service;
  s->commands = wl_arena_take(tcm, (uint64_t)fw->boot.host_tags * sizeof(s->commands[0]));
  wl_hazards_layout(fw, tcm);
  s->waiters = wl_arena_take(tcm, WL_HAZARDS * sizeof(s->waiters[0]));
  const uint32_t trims = wl_power_of_two(2 * WL_DSM_RANGES + fw->boot.host_tags);
  s->trim_mask = trims - 1;
  s->trims = wl_arena_take(tcm, (uint64_t)trims * sizeof(s->trims[0]));
}

void wl_commands_boot(struct wl_firmware* fw) {
  struct wl_service* s = &fw->service;
  /* The others, up to half, may be held by reads whose end is seen at the next wake-up only: waiting for these would
   * be for ever. */
  const uint32_t runs = wl_read_runs(fw) - wl_read_runs(fw) / 2;
  s->read_segments = runs < WL_MAX_SEGMENTS ? runs : WL_MAX_SEGMENTS;
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
  c->last = (uint8_t)(wl_block_in_sector(fw, end - 1) + 1);
  c->holds = 0;
  c->holds_unit = 0;
  c->automatic = 0;
  c->small = 0;
  c->lpn = r->lpn;
  c->sectors = (end + wl_sector_blocks(fw) - 1) >> fw->boot.ftl.sector_shift;
  c->sector = 0;
  c->programs = 0;
}
