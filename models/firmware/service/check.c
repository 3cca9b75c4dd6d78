/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/check.h"

#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/shutdown.h"
#include "models/firmware/persist/turn.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/space.h"

void wl_check_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  wl_service_state(fw)->check = wl_arena_take(tcm, sizeof(struct wl_check));
}

void wl_check_begin(struct wl_firmware* fw, wl_lpn_t first, uint32_t stride, uint32_t pages) {
  struct wl_check* c = wl_service_state(fw)->check;
  c->next = first;
  c->stride = stride;
  c->left = pages;
  c->result = (struct wl_check_result){0, pages, WL_CHECK_GOOD, 0};
  wl_kick(fw, WL_STEP_ADMIN);
}

void wl_check_stop(struct wl_firmware* fw) {
  struct wl_check* c = wl_service_state(fw)->check;
  c->left = 0;
  if (!wl_shutdown_runs(fw) && !wl_turn_runs(fw)) wl_not_queued(fw, WL_STEP_ADMIN);
  for (uint32_t i = 0; i != WL_CHECK_READS; ++i) c->read[i].counts = false;
}

struct wl_check_result wl_check_result(const struct wl_firmware* fw) {
  return wl_service_view(fw)->check->result;
}

static void found(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t fault) {
  struct wl_check_result* r = &wl_service_state(fw)->check->result;
  if (r->fault != WL_CHECK_GOOD && r->fault <= fault) return;
  r->fault = fault;
  r->lpn = lpn;
}

/* False: there is no id, or no slot, and it has to be tried again. */
static bool read_page(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa) {
  struct wl_check* c = wl_service_state(fw)->check;
  if (wl_jobs_free(fw) == 0) {
    wl_job_await(fw, WL_STEP_ADMIN);
    return false;
  }
  const wl_slot_t slot = wl_read_slots_take(fw, 1);
  if (slot == WL_NONE) {
    wl_queued(fw, WL_STEP_ADMIN); /* reads of the host that end kick it */
    return false;
  }
  if (!wl_shutdown_runs(fw) && !wl_turn_runs(fw)) wl_not_queued(fw, WL_STEP_ADMIN);
  uint32_t free = 0;
  while (c->read[free].under_way) ++free;
  c->read[free] = (struct wl_check_read){lpn, slot, true, true};
  ++c->reads;
  const uint32_t id = wl_job_take(fw, WL_STEP_ADMIN);
  const wl_superblock_t superblock = wl_superblock_of(fw, ppa);
  wl_superblock_read_begins(fw, superblock);
  wl_job_is(fw, id, WL_JOB_KIND_CHECK, WL_COMMAND_ADMIN, free, superblock);
  wl_send_flash_read(fw, hal, id, ppa, 1, slot, WL_PRIORITY_GC, WL_NO_TAG, 0);
  return true;
}

/* False: not now. */
static bool look_at(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn) {
  struct wl_check* c = wl_service_state(fw)->check;
  FW_TASK(hal, WL_COST_FTL_READ_SECTOR);
  const wl_map_value_t value = wl_map_get(fw, lpn);
  if (value == WL_MAP_LOST) found(fw, lpn, WL_CHECK_MEDIA);
  if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) {
    ++c->result.looked_at;
    return true;
  }
  const wl_ppa_t ppa = value - WL_MAP_PPA0;
  if (!read_page(fw, hal, lpn, ppa)) return false;
  if (wl_maps_by_lpage(fw) && wl_map_lpage_at(fw, ppa) != lpn) found(fw, lpn, WL_CHECK_MAP);
  return true;
}

bool wl_check_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_check* c = wl_service_state(fw)->check;
  const uint32_t most = wl_service_view(fw)->active != 0 ? 1 : WL_CHECK_READS;
  for (uint32_t budget = WL_LPAGE_BUDGET; c->left != 0 && c->reads < most; --budget) {
    if (budget == 0) {
      wl_kick(fw, WL_STEP_ADMIN);
      return false;
    }
    if (!look_at(fw, hal, c->next)) return false;
    c->next += c->stride;
    --c->left;
  }
  return c->left == 0 && c->result.looked_at == c->result.pages;
}

__attribute__((noinline, cold)) void wl_check_read_done(struct wl_firmware* fw, const struct wl_hal* hal,
                                                        wl_superblock_t superblock, uint32_t index, bool ok) {
  (void)hal;
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_COMMAND(hal, WL_COMMAND_ADMIN);
  struct wl_check* c = wl_service_state(fw)->check;
  struct wl_check_read* read = &c->read[index];
  wl_superblock_read_done(fw, superblock);
  wl_read_slots_release(fw, read->slot);
  wl_kick_queued(fw, WL_STEP_READ);
  read->under_way = false;
  --c->reads;
  wl_kick(fw, WL_STEP_ADMIN);
  if (!read->counts) return;
  ++c->result.looked_at;
  if (!ok) found(fw, read->lpn, WL_CHECK_MEDIA);
}
