/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page mapping, cost-benefit GC: the superblock with the greatest age * (1 - u) / 2u, where u is its share of
 * valid logical pages and its age the superblocks closed after it. So a superblock that was filled long ago is
 * collected at a higher u than a young one, whose logical pages may yet become invalid by themselves. Source:
 * Kawaguchi, Nishioka, Motoda, "A Flash-Memory Based File System", USENIX 1995, section 4.
 *
 * Of superblocks with the same number of valid logical pages, to the grain of the buckets, the one that has had it
 * longest is weighed.
 */
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/space.h"

#define MAX_AGE 0x3ffffu /* keeps the products within 64 bits */

static uint64_t benefit(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t age = wl_superblock_age(fw, superblock);
  return (uint64_t)(age < MAX_AGE ? age : MAX_AGE) * wl_superblock_stale(fw, superblock);
}

wl_superblock_t wl_cost_benefit_victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  uint32_t best = wl_closed_emptiest(fw);
  if (best == WL_NONE || wl_superblock(fw, best)->valid >= fw->kind[0].superblock_lpages) return WL_NONE;
  for (wl_superblock_t superblock = best; superblock != WL_NONE; superblock = wl_closed_next_emptiest(fw, superblock)) {
    FW_TASK(hal, WL_COST_FTL_GC_WEIGH);
    if (benefit(fw, superblock) * wl_superblock(fw, best)->valid >
        benefit(fw, best) * wl_superblock(fw, superblock)->valid)
      best = superblock;
  }
  return best;
}

const struct wl_policy wl_policy_page_cost_benefit = {.space = {.host_streams = 1, .move_streams = 1},
                                                      .refused = WL_ENGINE_VICTIM,
                                                      WL_PAGE_MAPPING(wl_cost_benefit_victim)};
