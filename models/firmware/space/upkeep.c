/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/upkeep.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/wear.h"

/* Victims of GC between two for this reason, while GC wants victims. Disturbed data cannot wait; each move of wear
 * levelling brings a whole superblock of copies and wins no room. */
static const uint8_t kBetween[WL_MOVE_REASONS] = {0, 0, 1, 4, 0, 0};

void wl_upkeep_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_upkeep* u = &wl_space_state(fw)->wear.upkeep;
  const struct wl_upkeep_rules* rules = &fw->boot.ftl.upkeep;
  if (rules->reads != 0) u->reads = wl_arena_take(tcm, (uint64_t)fw->boot.blocks * sizeof(u->reads[0]));
  if (rules->reads == 0 && rules->errors == 0 && rules->age == 0) return;
  u->opened = wl_arena_take(tcm, (uint64_t)fw->boot.blocks * sizeof(u->opened[0]));
  u->due = wl_arena_take(tcm, fw->boot.blocks);
}

static bool keeps(const struct wl_firmware* fw) { return wl_space_view(fw)->wear.upkeep.opened != NULL; }

static void due(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_move_reason reason) {
  struct wl_upkeep* u = &wl_space_state(fw)->wear.upkeep;
  if (wl_superblock(fw, superblock)->state != WL_SUPERBLOCK_CLOSED || u->due[superblock] != WL_MOVE_GC) return;
  u->due[superblock] = (uint8_t)reason;
  ++u->waiting;
  wl_kick(fw, WL_STEP_GC);
}

void wl_upkeep_found(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (keeps(fw)) wl_space_state(fw)->wear.upkeep.opened[superblock] = 0u - fw->boot.ftl.upkeep.age_at_boot;
}

void wl_upkeep_opened(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_upkeep* u = &wl_space_state(fw)->wear.upkeep;
  if (!keeps(fw)) return;
  u->opened[superblock] = u->tick;
  if (u->reads != NULL) u->reads[superblock] = 0;
}

void wl_upkeep_closed(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_upkeep* u = &wl_space_view(fw)->wear.upkeep;
  if (u->reads != NULL && u->reads[superblock] >= fw->boot.ftl.upkeep.reads) due(fw, superblock, WL_MOVE_RECLAIM);
}

void wl_upkeep_taken(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_upkeep* u = &wl_space_state(fw)->wear.upkeep;
  if (!keeps(fw) || u->due[superblock] == WL_MOVE_GC) return;
  u->due[superblock] = WL_MOVE_GC;
  --u->waiting;
}

__attribute__((noinline, cold)) void wl_upkeep_read(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (++wl_space_state(fw)->wear.upkeep.reads[superblock] >= fw->boot.ftl.upkeep.reads)
    due(fw, superblock, WL_MOVE_RECLAIM);
}

void wl_upkeep_erased(struct wl_firmware* fw) {
  const struct wl_block_statistics* blocks = &fw->statistics.blocks;
  if (blocks->erases_most - blocks->erases_least <= fw->boot.ftl.upkeep.wear_gap) return;
  wl_space_state(fw)->wear.upkeep.uneven = true;
  wl_kick(fw, WL_STEP_GC);
}

bool wl_upkeep_wanted(const struct wl_firmware* fw) {
  return wl_space_view(fw)->wear.upkeep.waiting != 0 || wl_space_view(fw)->wear.upkeep.uneven;
}
bool wl_upkeep_waits(const struct wl_firmware* fw) { return wl_space_view(fw)->wear.upkeep.waiting != 0; }

static wl_superblock_t first_due(const struct wl_firmware* fw) {
  const struct wl_upkeep* u = &wl_space_view(fw)->wear.upkeep;
  wl_superblock_t found = WL_NONE;
  for (wl_superblock_t s = 0; s != wl_superblocks(fw); ++s) {
    if (u->due[s] == WL_MOVE_GC || (found != WL_NONE && u->due[s] >= u->due[found])) continue;
    found = s;
    if (u->due[s] == WL_MOVE_RECLAIM) break;
  }
  return found;
}

/* The closed superblock that was erased least, if it lags behind, and holds data at rest: as many superblocks as there
 * are have been closed since. What lags behind and is young catches up by itself, as the host writes on. */
static wl_superblock_t least_worn(struct wl_firmware* fw) {
  wl_superblock_t found = WL_NONE;
  uint32_t least = fw->statistics.blocks.erases_most - fw->boot.ftl.upkeep.wear_gap;
  for (wl_superblock_t s = 0; s != wl_superblocks(fw); ++s) {
    const struct wl_superblock* sb = wl_superblock(fw, s);
    if (sb->state != WL_SUPERBLOCK_CLOSED || sb->bad || wl_wear_of(fw, s) >= least) continue;
    if (wl_superblock_age(fw, s) < wl_superblocks(fw)) continue;
    least = wl_wear_of(fw, s);
    found = s;
  }
  wl_space_state(fw)->wear.upkeep.uneven = found != WL_NONE; /* else the next erase asks again */
  return found;
}

__attribute__((noinline)) wl_superblock_t wl_upkeep_victim(struct wl_firmware* fw, const struct wl_hal* hal,
                                                           bool collecting, enum wl_move_reason* reason) {
  const struct wl_upkeep* u = &wl_space_view(fw)->wear.upkeep;
  /* Its copies need no more room than its erase wins, but before it: a superblock beside the open one. A drive at work
   * has seldom more than its reserve. */
  if (wl_space_read_only(fw) || wl_superblocks_free(fw) == 0) return WL_NONE;
  FW_TASK(hal, WL_COST_FTL_GC_VICTIM);
  if (u->waiting != 0) {
    const wl_superblock_t superblock = first_due(fw);
    *reason = (enum wl_move_reason)u->due[superblock];
    if (!collecting || u->victims >= kBetween[*reason]) return superblock;
  }
  *reason = WL_MOVE_WEAR;
  if (!u->uneven || (collecting && u->victims < kBetween[WL_MOVE_WEAR])) return WL_NONE;
  return least_worn(fw);
}

void wl_upkeep_counts(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_move_reason reason) {
  struct wl_upkeep_statistics* s = &fw->statistics.upkeep;
  const uint32_t valid = wl_superblock(fw, superblock)->valid;
  struct wl_upkeep* u = &wl_space_state(fw)->wear.upkeep;
  u->victims = reason == WL_MOVE_GC ? u->victims + 1 : 0;
  switch (reason) {
    case WL_MOVE_RECLAIM:
      ++s->reclaim_superblocks;
      s->reclaim_lpages += valid;
      break;
    case WL_MOVE_REFRESH:
      ++s->refresh_superblocks;
      s->refresh_lpages += valid;
      break;
    case WL_MOVE_WEAR:
      ++s->wear_superblocks;
      s->wear_lpages += valid;
      break;
    case WL_MOVE_REBUILD:
      ++wl_parity_statistics(fw)->moved_superblocks;
      wl_parity_statistics(fw)->moved_lpages += valid;
      break;
    case WL_MOVE_FOLD:
      if (valid == 0) {
        ++wl_slc_cache_statistics(fw)->emptied_superblocks;
        break;
      }
      ++wl_slc_cache_statistics(fw)->folded_superblocks;
      wl_slc_cache_statistics(fw)->folded_lpages += valid;
      break;
    default:
      ++fw->statistics.gc_superblocks;
  }
}

void wl_upkeep_measured(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t bits, enum wl_move_reason reason) {
  if (bits > fw->statistics.upkeep.most_errors) fw->statistics.upkeep.most_errors = bits;
  if (bits >= fw->boot.ftl.upkeep.errors) due(fw, superblock, reason);
}

void wl_upkeep_failed(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_move_reason reason) {
  due(fw, superblock, reason);
}

void wl_upkeep_tick(struct wl_firmware* fw) { ++wl_space_state(fw)->wear.upkeep.tick; }

wl_superblock_t wl_upkeep_visit(struct wl_firmware* fw, uint32_t* round) {
  struct wl_upkeep* u = &wl_space_state(fw)->wear.upkeep;
  const wl_superblock_t superblock = u->next;
  *round = u->rounds;
  if (++u->next == wl_superblocks(fw)) {
    u->next = 0;
    ++u->rounds;
  }
  if (wl_superblock(fw, superblock)->state != WL_SUPERBLOCK_CLOSED) return WL_NONE;
  const uint32_t age = fw->boot.ftl.upkeep.age;
  if (age == 0 || u->tick - u->opened[superblock] < age) return superblock;
  due(fw, superblock, WL_MOVE_REFRESH);
  return WL_NONE;
}
