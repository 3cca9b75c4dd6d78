/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/life.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/erasing_superblocks.h"
#include "models/firmware/space/free_superblocks.h"
#include "models/firmware/space/p2l.h"
#include "models/firmware/space/slc_cache.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/upkeep.h"
#include "models/firmware/space/wear.h"

/* The only place where the state of a superblock changes. */
static struct wl_superblock* enter(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_superblock_state state) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  sb->state = (uint8_t)state;
  return sb;
}

/* What becomes invalid, or is closed, may be worth collecting. */
static void end_starvation(struct wl_firmware* fw) {
  wl_space_state(fw)->pace.no_gain = false;
  if (!wl_space_state(fw)->starved) return;
  wl_space_state(fw)->starved = false;
  wl_kick(fw, WL_STEP_GC);
}

static void closed(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = enter(fw, superblock, WL_SUPERBLOCK_CLOSED);
  if (!sb->bad)
    wl_region_of(fw, superblock)->stale_lpages +=
        (int64_t)wl_kind_of_superblock(fw, superblock)->superblock_lpages - sb->valid;
  wl_closed_insert(fw, superblock);
  if (wl_has_upkeep(fw)) wl_upkeep_closed(fw, superblock);
  end_starvation(fw);
}

void wl_superblock_free(struct wl_firmware* fw, wl_superblock_t superblock) {
  enter(fw, superblock, WL_SUPERBLOCK_FREE);
  if (wl_has_slc_cache(fw)) wl_slc_cache_left(fw, superblock);
  wl_free_insert(fw, superblock);
}

void wl_superblock_retire(struct wl_firmware* fw, wl_superblock_t superblock) {
  enter(fw, superblock, WL_SUPERBLOCK_RETIRED);
  if (wl_has_slc_cache(fw)) wl_slc_cache_left(fw, superblock);
  wl_spares_give_back(fw, superblock);
  wl_wear_retired(fw, superblock);
  ++fw->statistics.blocks.retired_superblocks;
  struct wl_region* r = wl_region_of(fw, superblock);
  if (wl_kind_of_superblock(fw, superblock)->superblocks - ++r->retired_superblocks < r->needed_superblocks)
    wl_space_state(fw)->read_only = wl_space_state(fw)->held.refuses = true;
  wl_kick(fw, WL_STEP_WRITE | WL_STEP_GC | WL_STEP_PLACE | WL_STEP_ADMIN);
}

wl_superblock_t wl_superblock_use(struct wl_firmware* fw, struct wl_region* region, bool most_worn) {
  const wl_superblock_t superblock = most_worn ? wl_free_take_last(fw, region) : wl_free_take(fw, region);
  if (superblock == WL_NONE) return WL_NONE;
  struct wl_superblock* sb = enter(fw, superblock, WL_SUPERBLOCK_OPEN);
  sb->units = 0;
  sb->valid = 0;
  sb->programs = 0;
  if (wl_has_upkeep(fw)) wl_upkeep_opened(fw, superblock);
  if (wl_has_parity(fw)) wl_stripes_opened(fw, superblock);
  return superblock;
}

void wl_superblock_found_open(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid, uint32_t units) {
  struct wl_superblock* sb = enter(fw, superblock, WL_SUPERBLOCK_OPEN);
  sb->valid = valid;
  sb->units = units;
  sb->next = WL_NONE;
  wl_upkeep_found(fw, superblock);
}

void wl_superblock_found_closed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid, bool bad) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  sb->valid = valid;
  sb->bad = bad;
  sb->units = fw->geometry.superblock_units;
  wl_upkeep_found(fw, superblock);
  closed(fw, superblock);
}

void wl_superblock_found_stale(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_superblock* sb = enter(fw, superblock, WL_SUPERBLOCK_ERASING);
  sb->units = fw->geometry.superblock_units;
  ++wl_region_of(fw, superblock)->erasing_superblocks;
  wl_erasing_begin(fw, superblock);
}

static void closes(struct wl_firmware* fw, wl_superblock_t superblock) {
  closed(fw, superblock);
  if (!wl_spares_promised(fw, superblock)) return;
  ++wl_space_state(fw)->spares.urgent;
  wl_kick(fw, WL_STEP_GC);
}

static void close_if_done(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (sb->state != WL_SUPERBLOCK_CLOSING || sb->programs != 0) return;
  if (fw->boot.ftl.recovery != 0 && wl_p2l_closes(fw, superblock)) return; /* its closing record comes first */
  closes(fw, superblock);
}

__attribute__((noinline, cold)) void wl_superblock_recorded(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_p2l_recorded(fw, superblock);
  closes(fw, superblock);
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC | WL_STEP_ADMIN);
}

void wl_superblock_is_full(struct wl_firmware* fw, wl_superblock_t superblock) {
  enter(fw, superblock, WL_SUPERBLOCK_CLOSING);
  if (wl_has_parity(fw)) wl_kick(fw, WL_STEP_PLACE); /* its last row may not be full */
  close_if_done(fw, superblock);
}

void wl_superblock_program_done(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid) {
  wl_space_state(fw)->superblock[superblock].valid += valid;
  --wl_space_state(fw)->superblock[superblock].programs;
  wl_small_superblocks_go_on(fw);
  if (--wl_space_state(fw)->programs == 0)
    wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC | WL_STEP_ADMIN); /* for wl_superblock_take_over */
  close_if_done(fw, superblock);
}

void wl_superblock_program_waits(struct wl_firmware* fw) {
  if (--wl_space_state(fw)->programs == 0) wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC | WL_STEP_ADMIN);
}

void wl_superblock_program_goes_on(struct wl_firmware* fw) { ++wl_space_state(fw)->programs; }

inline void wl_superblock_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  --sb->valid;
  end_starvation(fw);
  if (sb->state == WL_SUPERBLOCK_CLOSED) {
    if (!sb->bad) ++wl_region_of(fw, superblock)->stale_lpages;
    wl_closed_emptier(fw, hal, superblock);
  } else if (sb->state == WL_SUPERBLOCK_VICTIM || sb->state == WL_SUPERBLOCK_DRAINING) {
    --wl_region_of(fw, superblock)->leaving.valid;
  }
}

void wl_superblock_take(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (wl_spares_promised(fw, superblock)) --wl_space_state(fw)->spares.urgent;
  wl_closed_remove(fw, superblock);
  if (wl_has_upkeep(fw)) wl_upkeep_taken(fw, superblock);
  ++wl_space_state(fw)->taken;
  struct wl_region* region = wl_region_of(fw, superblock);
  if (wl_superblock_is_small(fw, superblock)) ++fw->statistics.small.victims;
  if (wl_has_handles(fw)) {
    ++wl_handle_statistics(fw, sb->handle)->victims;
    wl_handle_statistics(fw, sb->handle)->victim_lpages += sb->valid;
  }
  ++region->leaving.superblocks;
  region->leaving.valid += sb->valid;
  if (!sb->bad) region->stale_lpages -= (int64_t)wl_kind_of_superblock(fw, superblock)->superblock_lpages - sb->valid;
  enter(fw, superblock, WL_SUPERBLOCK_VICTIM); /* some of its logical pages may be moving already: wl_mover_idle */
}

void wl_superblock_moving(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count) {
  wl_space_state(fw)->superblock[superblock].moving += count;
}

void wl_superblock_read_begins(struct wl_firmware* fw, wl_superblock_t superblock) {
  ++wl_space_state(fw)->superblock[superblock].reads;
  if (__builtin_expect(fw->boot.ftl.upkeep.reads != 0, 0)) wl_upkeep_read(fw, superblock);
}

void wl_superblock_drain(struct wl_firmware* fw, wl_superblock_t superblock) {
  enter(fw, superblock, WL_SUPERBLOCK_DRAINING);
  wl_space_state(fw)->pace.emptied = 0; /* it counts as a whole from here on */
  ++wl_region_of(fw, superblock)->leaving.draining;
}

void wl_superblock_try_erase(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (sb->state != WL_SUPERBLOCK_DRAINING || sb->reads != 0 || sb->moving != 0) return;
  struct wl_region* region = wl_region_of(fw, superblock);
  --region->leaving.draining;
  --region->leaving.superblocks;
  if (sb->valid != 0) { /* what could not be merged stays */
    region->leaving.valid -= sb->valid;
    ++fw->statistics.small.returned;
    closed(fw, superblock);
    wl_kick(fw, WL_STEP_GC);
    return;
  }
  if (sb->bad) {
    wl_superblock_retire(fw, superblock);
    return;
  }
  enter(fw, superblock, WL_SUPERBLOCK_ERASING);
  ++region->erasing_superblocks;
  wl_erasing_begin(fw, superblock);
}

void wl_superblock_moved(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (--wl_space_state(fw)->superblock[superblock].moving == 0) wl_superblock_try_erase(fw, superblock);
}

inline void wl_superblock_read_done(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (--wl_space_state(fw)->superblock[superblock].reads == 0) wl_superblock_try_erase(fw, superblock);
}
