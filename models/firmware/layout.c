/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/layout.h"

#include "models/firmware/admin/admin.h"
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/contract/closing.h"
#include "models/firmware/core/own_state.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/host/host.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/mount.h"
#include "models/firmware/policy/policies.h"
#include "models/firmware/reloc/under_way.h"
#include "models/firmware/rooms.h"
#include "models/firmware/service/ftl_task.h"
#include "models/firmware/space/space.h"

void wl_lay_out(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  const struct wl_boot_info* b = &fw->boot;
  fw->geometry = wl_geometry_of(b->dies, b->planes * b->lpages_per_page, b->pages_per_program,
                                b->dies * (b->pages / b->pages_per_program));
  const struct wl_geometry* g = &fw->geometry;
  const uint32_t small_units = b->dies * (b->ftl.small.pages / b->pages_per_program);
  const uint32_t small_lpages = b->planes * b->ftl.small.lpages_per_page * b->pages_per_program;
  const uint32_t all_units = g->superblock_units - wl_closing_room(b, g->superblock_units, g->unit_lpages);
  const uint32_t data_units = wl_has_parity(fw) ? wl_parity_data_units(all_units, b->dies) : all_units;
  fw->kind[0] = (struct wl_page_kind){0,          b->blocks - b->ftl.small.blocks, b->lpages_per_page, g->unit_lpages,
                                      data_units, data_units * g->unit_lpages};
  fw->kind[1] = (struct wl_page_kind){.first_superblock = WL_NONE};
  if (b->ftl.small.blocks != 0)
    fw->kind[1] = (struct wl_page_kind){
        fw->kind[0].superblocks,   b->ftl.small.blocks, b->ftl.small.lpages_per_page, small_lpages, small_units,
        small_lpages * small_units};
  /* First in DRAM: an earlier boot may have left the spare blocks there. */
  const struct wl_space_plan plan = wl_policy_space_plan(fw->policy, b);
  wl_space_layout(fw, tcm, dram, &plan);
  wl_host_layout(fw, tcm, WL_MAX_SEGMENTS + 1);
  wl_media_layout(fw, tcm, dram, &fw->policy->media);
  wl_buffer_layout(fw, tcm);
  wl_engines_layout(fw, tcm, wl_jobs(fw), wl_units_gc(fw));
  wl_under_way_layout(fw, tcm);
  wl_ftl_layout(fw, tcm);
  wl_admin_layout(fw, tcm);
  wl_map_layout(fw, dram);
  if (wl_map_cached(fw)) wl_map_cache_layout(fw, tcm, dram);
  wl_persist_layout(fw, tcm, dram);
  wl_policy_layout(fw, tcm, dram);
}

struct wl_memory wl_memory_needed(const struct wl_boot_info* info) {
  struct wl_rooms rooms = {.firmware = {.boot = *info, .policy = wl_policy_of_drive(info)}};
  struct wl_arena tcm = {NULL, WL_FIRMWARE_CONTEXT_OFFSET, 0};
  struct wl_arena dram = {NULL, 0, 0};
  (void)wl_arena_take(&tcm, sizeof(rooms));
  wl_lay_out(&rooms.firmware, &tcm, &dram);
  if (wl_own_state_room() != 0) (void)wl_arena_take(&tcm, wl_own_state_room());
  const struct wl_memory needed = {tcm.used + info->cores * WL_STACK_BYTES, dram.used};
  return needed;
}
