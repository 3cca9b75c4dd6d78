/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/rebuild.h"

#include "models/firmware/buffer/parity.h"
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/dead_die.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/upkeep.h"

#define REBUILDS 16u /* at a time; others wait in line */

void wl_rebuild_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (wl_has_parity(fw))
    wl_service_state(fw)->rebuilds = wl_arena_take(tcm, REBUILDS * sizeof(wl_service_state(fw)->rebuilds[0]));
}

void wl_rebuild_boot(struct wl_firmware* fw) {
  if (!wl_has_parity(fw)) return;
  for (uint32_t i = 0; i != REBUILDS; ++i) wl_service_state(fw)->rebuilds[i].id = WL_NO_INDEX;
  wl_queued(fw, WL_STEP_REBUILD);
}

/* ---- what is to be rebuilt ---- */

/* The patrol wants to know of what is bad, and has it moved: that read is rebuilt. */
static bool is_owed(const struct wl_job* job) {
  return job->kind == WL_JOB_KIND_READ || job->kind == WL_JOB_KIND_MERGE || job->kind == WL_JOB_KIND_MOVE ||
         job->kind == WL_JOB_KIND_CHECK;
}

static uint32_t die_of(const struct wl_firmware* fw, uint32_t id) {
  const struct wl_job* job = wl_job(fw, id);
  if (job->kind == WL_JOB_KIND_ERASE) return job->index;
  return wl_locate(&fw->geometry, wl_media_sent(fw, id)->ppa).die;
}

__attribute__((noinline, cold)) bool wl_rebuild_takes(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id,
                                                      bool ok) {
  const struct wl_job* job = wl_job(fw, id);
  if (ok && !wl_die_suspected(fw)) return false;
  /* A mount rebuilds itself what it wants to know, and what it cannot read may be torn. */
  if (wl_superblocks_unknown(fw) && job->kind != WL_JOB_KIND_ERASE) return false;
  wl_die_answered(fw, hal, die_of(fw, id), job->superblock, ok);
  if (ok || !is_owed(job)) return false;
  if (job->kind == WL_JOB_KIND_READ && fw->boot.ftl.upkeep.errors != 0)
    wl_upkeep_failed(fw, job->superblock, WL_MOVE_RECLAIM); /* it is not to be rebuilt each time */
  wl_media_give_up(fw, hal, id);
  return true;
}

/* ---- rows ---- */

static uint32_t row_of(const struct wl_firmware* fw, wl_ppa_t ppa) {
  return ppa % fw->geometry.superblock_lpages / fw->geometry.unit_lpages / fw->geometry.dies;
}

/* Its parity is on flash, or never will be; else that is seen to. */
static bool has_ended(struct wl_firmware* fw, wl_ppa_t ppa) {
  const wl_superblock_t superblock = wl_superblock_of(fw, ppa);
  if (!wl_parity_open(fw, superblock, row_of(fw, ppa))) return true;
  wl_row_await(fw, superblock);
  return false;
}

/* Sends the reads that can be sent now. */
static void send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index) {
  struct wl_rebuild* r = &wl_service_state(fw)->rebuilds[index];
  const struct wl_flash_read lost = *wl_media_sent(fw, r->id);
  const wl_superblock_t superblock = wl_superblock_of(fw, lost.ppa);
  const uint32_t dies = fw->geometry.dies, row = row_of(fw, lost.ppa);
  const uint32_t own = wl_locate(&fw->geometry, lost.ppa).die;
  r->failed |= !wl_stripe_has_parity(fw, superblock, row) || !wl_stripe_member(fw, superblock, row, own);
  for (; r->next != dies && !r->failed; ++r->next) {
    if (r->next == own || !wl_stripe_member(fw, superblock, row, r->next)) continue;
    if (r->next == wl_die_dead(fw)) {
      r->failed = true;
      return;
    }
    if (!r->begun && r->running != 0) return; /* the first one fills the slots */
    const uint32_t id = wl_job_take_kept(fw);
    if (id == WL_NONE) return;
    const wl_ppa_t ppa = lost.ppa + r->next * fw->geometry.unit_lpages - own * fw->geometry.unit_lpages;
    ++r->running;
    ++wl_parity_statistics(fw)->member_reads;
    wl_job_is(fw, id, WL_JOB_KIND_REBUILD, wl_job(fw, r->id)->command, index, superblock);
    wl_send_flash_read(fw, hal, id, ppa, lost.count, lost.slot, lost.priority, WL_NO_TAG,
                       r->begun ? (uint32_t)WL_FLASH_SUM : 0u);
  }
}

static void take_up(struct wl_firmware* fw, struct wl_rebuild* r) {
  const uint32_t id = wl_media_take_given_up(fw);
  if (id == WL_NONE) return;
  if (is_owed(wl_job(fw, id))) ++wl_parity_statistics(fw)->rebuilds;
  *r = (struct wl_rebuild){.id = (uint16_t)id};
}

/* True: it has ended. */
static bool goes_on(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, struct wl_rebuilt* ended) {
  struct wl_rebuild* r = &wl_service_state(fw)->rebuilds[index];
  if (r->id == WL_NO_INDEX) take_up(fw, r);
  if (r->id == WL_NO_INDEX) return false;
  const bool patrol = !is_owed(wl_job(fw, r->id));
  if (!patrol && r->next == 0 && !has_ended(fw, wl_media_sent(fw, r->id)->ppa)) return false;
  if (!patrol) send(fw, hal, index);
  if (!patrol && (r->running != 0 || (r->next != fw->geometry.dies && !r->failed))) return false;
  *ended = (struct wl_rebuilt){r->id, r->begun && !r->failed};
  if (ended->ok)
    wl_parity_statistics(fw)->rebuilt_lpages += wl_media_sent(fw, r->id)->count;
  else if (!patrol)
    ++wl_parity_statistics(fw)->lost;
  r->id = WL_NO_INDEX;
  return true;
}

__attribute__((noinline, cold)) bool wl_rebuild_step(struct wl_firmware* fw, const struct wl_hal* hal,
                                                     struct wl_rebuilt* ended) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  wl_rest(fw, WL_STEP_REBUILD);
  wl_rows_await_nothing(fw);
  for (uint32_t i = 0; i != REBUILDS; ++i) {
    if (!goes_on(fw, hal, i, ended)) continue;
    wl_kick(fw, WL_STEP_REBUILD); /* others wait in line */
    return true;
  }
  return false;
}

__attribute__((noinline, cold)) void wl_rebuild_read_done(struct wl_firmware* fw, uint32_t id, bool ok) {
  const uint32_t index = wl_job(fw, id)->index;
  wl_job_release_kept(fw, id);
  struct wl_rebuild* r = &wl_service_state(fw)->rebuilds[index];
  --r->running;
  if (ok)
    r->begun = true;
  else
    r->failed = true;
  wl_kick(fw, WL_STEP_REBUILD); /* others may have waited for its id */
}
