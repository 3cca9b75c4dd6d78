/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/gc.h"

#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/dead_die.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/slc_cache.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/upkeep.h"

/* The host may want to know that its data move. */
__attribute__((noinline, cold)) static void tell(struct wl_firmware* fw, const struct wl_hal* hal,
                                                 const struct wl_superblock* sb) {
  if (sb->valid != 0 && sb->handle != WL_HANDLE_SHARED)
    wl_host_placement_event(fw, hal, WL_PLACEMENT_MOVED, sb->handle, sb->valid);
}

/* `wins`: for room. */
static bool take(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, bool wins) {
  if (wl_host_silent(fw)) wl_superblocks_spend_silence(fw);
  if (wl_has_handles(fw)) tell(fw, hal, wl_superblock(fw, superblock));
  wl_pace_victim_taken(fw, superblock, wins);
  wl_upkeep_counts(fw, superblock, WL_MOVE_GC);
  wl_superblock_take(fw, superblock);
  wl_mover_begin(fw, hal, superblock, WL_MOVE_GC);
  return true;
}

/* For another reason than the room that it wins. */
static bool take_all(struct wl_firmware* fw, const struct wl_hal* hal) {
  enum wl_move_reason reason;
  const wl_superblock_t superblock = wl_upkeep_victim(fw, hal, fw->policy->collect(fw), &reason);
  if (superblock == WL_NONE) return false;
  wl_pace_victim_apart(fw);
  wl_upkeep_counts(fw, superblock, reason);
  wl_superblock_take(fw, superblock);
  wl_mover_begin(fw, hal, superblock, reason);
  return true;
}

/* The SLC cache has a superblock without valid data, or the host is silent and the cache holds something. */
__attribute__((noinline, cold)) static bool take_to_fold(struct wl_firmware* fw, const struct wl_hal* hal) {
  const wl_superblock_t superblock = wl_slc_cache_victim(fw);
  if (superblock == WL_NONE) return false;
  wl_pace_victim_apart(fw);
  wl_upkeep_counts(fw, superblock, WL_MOVE_FOLD);
  wl_superblock_take(fw, superblock);
  wl_mover_begin(fw, hal, superblock, WL_MOVE_FOLD);
  return true;
}

/* A die has failed: data that were in a row with it are written anew. */
__attribute__((noinline, cold)) static bool take_to_rebuild(struct wl_firmware* fw, const struct wl_hal* hal) {
  const wl_superblock_t superblock = wl_rebuild_victim(fw, hal, fw->policy->collect(fw));
  if (superblock == WL_NONE) return false;
  wl_pace_victim_apart(fw);
  wl_upkeep_counts(fw, superblock, WL_MOVE_REBUILD);
  wl_superblock_take(fw, superblock);
  wl_mover_begin(fw, hal, superblock, WL_MOVE_REBUILD);
  return true;
}

/* The host waits for superblocks: they must not wait for company in a unit. */
static void bring_superblocks_back(struct wl_firmware* fw, const struct wl_hal* hal) {
  const bool waits = wl_superblocks_short(fw) && wl_superblocks_erasing(fw) == 0;
  if (waits || wl_small_superblocks_short(fw) || wl_reloc_view(fw)->tail) wl_mover_flush(fw, hal);
}

/* A mount after a cut may find no free superblock, and what was open half full of padding. */
__attribute__((noinline, cold)) static bool fits(const struct wl_firmware* fw, wl_superblock_t victim) {
  if (victim == WL_NONE || wl_superblocks_free(fw) + wl_superblocks_erasing(fw) != 0) return true;
  return wl_superblock(fw, victim)->valid <= wl_superblocks_move_rest(fw);
}

static bool choose(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC);
  if (wl_superblocks_resting(fw)) {
    wl_mover_flush(fw, hal);
    return false;
  }
  const uint32_t urgent = wl_superblock_urgent(fw);
  if (urgent != WL_NONE) return take(fw, hal, urgent, false);
  if (wl_has_parity(fw) && take_to_rebuild(fw, hal)) return true;
  if (wl_has_upkeep(fw) && wl_upkeep_wanted(fw) && take_all(fw, hal)) return true;
  if (wl_has_slc_cache(fw) && take_to_fold(fw, hal)) return true;
  /* The last data of a victim may wait for company in units of several streams, and what it would win with them. */
  const bool scarce = wl_has_parity(fw) && wl_room_is_scarce(fw);
  const bool apart = scarce || (wl_plan(fw)->rest_stream != 0 && wl_superblocks_short(fw));
  if ((apart && wl_superblocks_draining(fw) != 0) || !fw->policy->collect(fw)) {
    wl_superblocks_forget_answer(fw);
    bring_superblocks_back(fw, hal);
    return false;
  }
  if (wl_superblocks_wait_for_classes(fw)) {
    wl_superblocks_forget_answer(fw);
    wl_mover_flush(fw, hal);
    return false;
  }
  const bool gains = wl_superblocks_can_win(fw) || wl_has_small_pages(fw); /* then the policy decides */
  wl_superblock_t superblock = WL_NONE;
  if (scarce)
    superblock = wl_superblock_that_wins_room(fw);
  else if (gains)
    superblock = fw->policy->victim(fw, hal);
  if (wl_has_parity(fw) && superblock != WL_ASKED && !fits(fw, superblock)) {
    if (wl_superblocks_draining(fw) != 0) {
      wl_mover_flush(fw, hal);
      return false;
    }
    superblock = wl_superblock_that_wins_room(fw);
  }
  if (superblock == WL_ASKED) {
    if (wl_small_superblocks_wait(fw))
      bring_superblocks_back(fw, hal); /* what they wait for may wait for a superblock */
    return false;
  }
  if (superblock == WL_NONE) {
    wl_space_starve(fw);
    wl_pace_give_up(fw);
    wl_mover_flush(fw, hal);
    return false;
  }
  return take(fw, hal, superblock, true);
}

__attribute__((noinline)) void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_superblocks_held(fw)) {
    wl_rest(fw, WL_STEP_GC);
    return;
  }
  if (!wl_mover_busy(fw) && !choose(fw, hal)) {
    wl_pace_gc_rests(fw);
    if (!wl_mover_idle(fw, hal)) wl_rest(fw, WL_STEP_GC);
    return;
  }
  if (wl_mover_step(fw, hal) == WL_WAIT) wl_rest(fw, WL_STEP_GC);
}
