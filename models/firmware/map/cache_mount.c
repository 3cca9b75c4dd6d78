/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Map pages after a mount. Spare records have said where all data are, so no map page has to be read; those whose copy
 * on flash may lack a change are made anew, in frames that count as changed, before the host is let in.
 *
 * Known gap: what GC could not read is lost, and map pages say so. Where a mount finds an older copy of it, its map
 * page is not made anew for that, so after the next shutdown it is lost again.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/cache_state.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/state.h"
#include "models/firmware/space/space.h"

#if WL_HAS_LARGE_MAPS

#define BUDGET 4u /* map pages of a step */

static struct wl_map_cache* cache_of(const struct wl_firmware* fw) { return wl_map_view(fw)->cache; }

/* Of its entries that with the copy in the superblock that was closed last may have changed behind the map page, whose
 * sequence was the next one when it was written: a closing record has the sequences given until then. */
static bool may_lack_a_change(const struct wl_firmware* fw, uint32_t page) {
  const struct wl_map_cache* c = cache_of(fw);
  const wl_lpn_t lpn = fw->boot.user_lpages + page;
  const bool there = wl_map_view(fw)->l2p[lpn] != WL_MAP_INITIAL;
  const uint32_t written = there ? wl_map_view(fw)->durable[lpn].sequence : 0;
  wl_lpn_t entry = page << c->page_shift;
  const uint32_t left = fw->boot.user_lpages - entry, all = 1u << c->page_shift;
  for (const wl_lpn_t end = entry + (left < all ? left : all); entry != end; ++entry) {
    const wl_map_value_t place = wl_durable_at(fw, entry);
    if (place == WL_MAP_INITIAL) continue;
    if (c->mount.closed[wl_superblock_of(fw, place - WL_MAP_PPA0)] >= written) return true;
  }
  return false;
}

void wl_map_superblock_closed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t sequence) {
  cache_of(fw)->mount.closed[superblock] = sequence;
}

void wl_map_cache_mounts(struct wl_firmware* fw) {
  cache_of(fw)->mount.next = 0;
  wl_kick(fw, WL_STEP_MAP);
}

__attribute__((noinline, cold)) bool wl_map_cache_mount_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_map_cache* c = cache_of(fw);
  if (c->mount.next == WL_NONE) return false;
  uint32_t budget = BUDGET;
  for (; c->mount.next != wl_boot_map_pages(&fw->boot); ++c->mount.next) {
    if (budget-- == 0) {
      wl_kick(fw, WL_STEP_MAP);
      return false;
    }
    FW_TASK(hal, WL_COST_FTL_GC_RUN);
    if (!may_lack_a_change(fw, c->mount.next)) continue;
    if (!wl_map_page_remake(fw, hal, c->mount.next)) return false; /* a frame that comes back kicks */
  }
  c->mount.next = WL_NONE;
  return true;
}

#endif
