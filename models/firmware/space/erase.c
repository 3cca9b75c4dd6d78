/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Erases superblocks, a die at a time, and stops a drive that has no place left.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/erasing_superblocks.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/upkeep.h"
#include "models/firmware/space/wear.h"

/* Superblocks that are empty but for reads will be erased. */
static bool waits_for_reads(const struct wl_firmware* fw) {
  for (wl_superblock_t superblock = 0; superblock != wl_space_view(fw)->superblocks; ++superblock) {
    const struct wl_superblock* sb = &wl_space_view(fw)->superblock[superblock];
    if (sb->state == WL_SUPERBLOCK_DRAINING && sb->moving == 0) return true;
  }
  return false;
}

/* Every superblock with small pages is retired, but for free ones that are held back: none comes back. */
static bool small_superblocks_gone(const struct wl_firmware* fw) {
  const struct wl_region* small = &wl_space_view(fw)->region[1];
  return small->retired_superblocks + small->free_superblocks == fw->kind[1].superblocks;
}

__attribute__((noinline)) void wl_space_no_place(struct wl_firmware* fw, uint32_t stream) {
  struct wl_space* s = wl_space_state(fw);
  const struct wl_region* region = &s->region[0];
  wl_space_host_waits(fw);
  if (!wl_stream_moves(stream)) wl_pace_host_lacks(fw);
  if (s->held.hold == WL_HOLD_COPIES) { /* the buffer needs what GC wins */
    wl_superblocks_hold(fw, WL_HOLD_NONE);
    return;
  }
  if (s->held.hold == WL_HOLD_VICTIMS && !wl_stream_moves(stream)) return;
  if (s->held.hold >= WL_HOLD_MOUNT || s->stopped || s->programs != 0 || s->closings.p2l.closing != 0 ||
      region->erasing_superblocks != 0)
    return;
  if (s->region[1].leaving.superblocks + s->region[1].erasing_superblocks != 0) return;
  if (wl_stream_is_small(fw, stream)) {
    if (!small_superblocks_gone(fw)) return;
  } else {
    /* The host may write on when GC wins a superblock, or finds that it cannot and lets it use up the open
     * one. */
    const bool last = wl_stream_moves(stream) || (s->pace.no_gain && region->leaving.superblocks == 0);
    if (!last || waits_for_reads(fw)) return;
  }
  s->stopped = true;
  s->read_only = s->held.refuses = true;
  wl_kick(fw, WL_STEP_WRITE | WL_STEP_ADMIN);
  wl_kick_queued(fw, WL_STEP_TRIM);
}

/* The die has failed: the superblock is used without it. */
static void leave_out(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  ++sb->erases;
  const uint32_t die = wl_erasing_next_die(fw, superblock);
  const bool begins = wl_erase_done(fw, superblock, die, 0);
  WL_ASSERT(hal, !begins); /* that is for reads of marks */
}

/* A few erases per poll; they leave job ids to reads and programs. */
__attribute__((noinline)) void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_GC);
  if (wl_marks_are_read(fw)) {
    wl_marks_step(fw, hal);
    return;
  }
  for (uint32_t budget = 8; budget != 0; --budget) {
    const wl_superblock_t superblock = wl_space_state(fw)->erase_head;
    if (superblock == WL_NONE || wl_space_view(fw)->held.hold == WL_HOLD_COPIES) {
      wl_rest(fw, WL_STEP_ERASE);
      return;
    }
    if (wl_jobs_free(fw) <= wl_jobs(fw) / 4) {
      wl_rest(fw, WL_STEP_ERASE);
      wl_job_await(fw, WL_STEP_ERASE);
      return;
    }
    struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
    WL_ASSERT(hal, sb->valid == 0);
    if (wl_has_parity(fw) && wl_erasing_die(fw, superblock) == wl_die_dead(fw)) {
      leave_out(fw, hal, superblock);
      continue;
    }
    const uint32_t id = wl_job_take(fw, WL_STEP_ERASE);
    ++sb->erases;
    const uint32_t die = wl_erasing_next_die(fw, superblock);
    wl_job_is_erase(fw, id, superblock, die);
    wl_send_flash_erase(fw, hal, id, superblock, die);
  }
}

bool wl_erase_done(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t failed) {
  if (wl_marks_are_read(fw)) return wl_marks_done(fw, superblock, die, failed);
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (wl_has_parity(fw) && die == wl_die_dead(fw)) failed = 0;
  if (failed != 0 && !wl_spares_promise(fw, superblock, die, failed)) wl_superblock_spoil(fw, superblock, die);
  if (--sb->erases != 0) return false;
  if (fw->boot.ftl.recovery != 0 && wl_erasing_goes_on(fw, superblock)) return false;
  if (sb->erase_next != fw->boot.dies) return false;
  if (!sb->bad && wl_spares_promised(fw, superblock)) {
    wl_erasing_again(fw, superblock);
    return false;
  }
  --wl_region_of(fw, superblock)->erasing_superblocks;
  if (fw->boot.ftl.recovery != 0) wl_kick(fw, WL_STEP_MOUNT); /* it may wait for the last */
  if (sb->bad) {
    wl_superblock_retire(fw, superblock);
    return false;
  }
  wl_space_state(fw)->stopped = false;
  wl_wear_erased(fw, superblock);
  if (fw->boot.ftl.upkeep.wear_gap != 0) wl_upkeep_erased(fw);
  const struct wl_page_kind* kind =
      sb->slc_mode != 0 ? &wl_space_view(fw)->slc_cache.units : wl_kind_of_superblock(fw, superblock);
  const uint64_t erased = (uint64_t)sb->units * kind->unit_lpages;
  fw->statistics.erased_lpages += erased;
  if (wl_superblock_is_small(fw, superblock)) {
    ++fw->statistics.small.superblock_erases;
    fw->statistics.small.erased_lpages += erased;
  }
  if (wl_has_handles(fw)) ++wl_handle_statistics(fw, sb->handle)->erased;
  wl_superblock_free(fw, superblock);
  wl_superblock_prepare(fw);
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC | WL_STEP_ADMIN);
  /* the host may have followed copies */
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM | WL_STEP_REBUILD);
  return false;
}
