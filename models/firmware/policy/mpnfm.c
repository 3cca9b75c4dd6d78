/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two page sizes in a die: small writes go to small pages, the others to large ones, and what is collected goes to
 * large ones. Source: Kim et al., "NAND Flash Memory With Multiple Page Sizes for High-Performance Storage Devices",
 * TVLSI 2016; docs/mpnfm.md has what it leaves open, and what is done here.
 *
 * The request distributor is here, the region bit table in map/region.h, the merges in reloc/merge.h. Superblocks
 * of large pages are collected as by page_greedy, those of small pages by the fewest valid logical pages, too; the
 * former first, since both need room in large pages.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"

#define SMALL (WL_STREAM_HOST + 1u)

static uint32_t small_start_superblocks(const struct wl_boot_info* boot) {
  return wl_policy_keys(boot)->mpnfm.gc_start_superblocks;
}

static bool writes_small(const struct wl_firmware* fw, uint32_t blocks) {
  return blocks <= wl_policy_keys(&fw->boot)->mpnfm.threshold;
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (stream != SMALL) return wl_page_place(fw, stream, at);
  at->superblock = wl_superblock_opened(fw, SMALL);
  if (at->superblock == WL_NONE) at->superblock = wl_superblock_open(fw, SMALL);
  at->unit = WL_NEXT_UNIT;
  at->control = 0;
  return at->superblock != WL_NONE;
}

static bool collect(const struct wl_firmware* fw) { return wl_page_collect(fw) || wl_small_superblocks_wanted(fw); }

static wl_superblock_t victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_page_collect(fw) && wl_superblocks_can_win(fw)) {
    const wl_superblock_t superblock = wl_superblock_emptiest(fw, hal);
    if (superblock != WL_NONE) return superblock;
  }
  if (!wl_small_superblocks_wanted(fw)) return WL_NONE;
  return wl_small_superblocks_wait(fw) ? WL_ASKED : wl_small_superblock_emptiest(fw);
}

static bool idle(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  if (collect(fw)) wl_kick(fw, WL_STEP_GC);
  return false;
}

const struct wl_policy wl_policy_mpnfm = {
    .space = {.host_streams = 2, .move_streams = 1, .small_stream = SMALL},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY | WL_ENGINE_GC | WL_ENGINE_VICTIM,
    .small_start_superblocks = small_start_superblocks,
    .writes_small = writes_small,
    .place = place,
    .collect = collect,
    .victim = victim,
    .idle = idle,
};
