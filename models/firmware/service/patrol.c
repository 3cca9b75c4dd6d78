/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/patrol.h"

#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/timers.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/upkeep.h"

#define SEARCHED 64u /* map units that are looked at for one with data */

bool wl_patrol_wanted(const struct wl_firmware* fw) { return fw->boot.ftl.upkeep.tick_us != 0; }

void wl_patrol_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (wl_patrol_wanted(fw)) wl_service_state(fw)->patrol = wl_arena_take(tcm, sizeof(struct wl_patrol));
}

void wl_patrol_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_patrol_wanted(fw)) wl_timer_start(fw, hal, WL_TIMER_PATROL, fw->boot.ftl.upkeep.tick_us);
}

/* A page of the superblock with valid data; WL_NONE: none was found. */
static wl_ppa_t page_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t round) {
  const struct wl_grain grain = wl_grain(fw);
  const uint32_t lpages = fw->geometry.superblock_lpages;
  uint32_t at;
  (void)wl_divide((round + superblock) * 0x9e3779b1u, lpages / grain.lpages, &at);
  at *= grain.lpages;
  for (uint32_t i = 0; i != SEARCHED; ++i) {
    const wl_ppa_t ppa = superblock * lpages + at;
    if (wl_map_unit_at(fw, ppa, grain) != WL_NONE) return ppa;
    at += grain.lpages;
    if (at >= lpages) at = 0;
  }
  return WL_NONE;
}

/* False: no job, or no slot. */
static bool read(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, wl_ppa_t ppa) {
  struct wl_patrol* p = wl_service_state(fw)->patrol;
  if (wl_jobs_free(fw) <= wl_jobs(fw) / 4) return false;
  p->slot = wl_read_slots_take(fw, 1);
  if (p->slot == WL_NONE) return false;
  const uint32_t id = wl_job_take(fw, WL_STEP_PATROL);
  p->reads = true;
  ++fw->statistics.upkeep.patrol_reads;
  wl_superblock_read_begins(fw, superblock);
  wl_job_is(fw, id, WL_JOB_KIND_PATROL, WL_COMMAND_GC, 0, superblock);
  wl_send_flash_read(fw, hal, id, ppa, 1, p->slot, WL_PRIORITY_GC, WL_NO_TAG, 0);
  return true;
}

static void tick(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_patrol* p = wl_service_state(fw)->patrol;
  wl_upkeep_tick(fw);
  p->left += fw->boot.ftl.upkeep.visits;
  if (p->left > wl_superblocks(fw)) p->left = wl_superblocks(fw);
  wl_timer_start(fw, hal, WL_TIMER_PATROL, fw->boot.ftl.upkeep.tick_us);
}

/* The timer has expired, or a read has ended: then none runs out. */
__attribute__((noinline, cold)) void wl_patrol_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_patrol* p = wl_service_state(fw)->patrol;
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_GC);
  wl_rest(fw, WL_STEP_PATROL);
  if (!wl_timer_runs(fw, WL_TIMER_PATROL)) tick(fw, hal);
  if (wl_superblocks_resting(fw)) return; /* nothing is known of flash yet, or the drive is about to stop */
  for (; p->left != 0 && !p->reads; --p->left) {
    uint32_t round;
    const wl_superblock_t superblock = wl_upkeep_visit(fw, &round);
    if (superblock == WL_NONE || fw->boot.ftl.upkeep.patrol == 0) continue;
    const wl_ppa_t ppa = page_of(fw, superblock, round);
    if (ppa != WL_NONE && !read(fw, hal, superblock, ppa)) return;
  }
}

__attribute__((noinline, cold)) void wl_patrol_read_done(struct wl_firmware* fw, const struct wl_hal* hal,
                                                         wl_superblock_t superblock, bool ok, uint32_t errors) {
  struct wl_patrol* p = wl_service_state(fw)->patrol;
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_COMMAND(hal, WL_COMMAND_GC);
  p->reads = false;
  wl_read_slots_release(fw, p->slot);
  wl_superblock_read_done(fw, superblock);
  wl_kick_queued(fw, WL_STEP_READ | WL_STEP_ADMIN);
  if (p->left != 0) wl_kick(fw, WL_STEP_PATROL);
  if (ok) {
    wl_upkeep_measured(fw, superblock, errors, WL_MOVE_REFRESH);
    return;
  }
  ++fw->statistics.upkeep.patrol_failures;
  wl_upkeep_failed(fw, superblock, WL_MOVE_REFRESH);
}
