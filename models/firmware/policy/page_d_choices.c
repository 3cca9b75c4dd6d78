/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page mapping, GC by random choices: of D closed superblocks drawn at random, the one with the fewest valid
 * logical pages. It keeps no order of superblocks, and comes close to the greedy choice. Source: Van Houdt, "A Mean
 * Field Model for a Class of Garbage Collection Algorithms in Flash-based Solid State Drives", SIGMETRICS 2013: d = 10
 * is nearly greedy.
 *
 * Draws are keyed by the number of victims so far: the same history draws the same superblocks.
 */
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

#define D 10u
#define MAX_DRAWS 80u /* most superblocks of a drive are closed when GC is needed */

/* A bijection that mixes well. Source: C. Wellons, "lowbias32". */
static uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

static wl_superblock_t victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t key = mix(wl_superblocks_taken(fw));
  uint32_t best = WL_NONE;
  for (uint32_t draw = 0, closed = 0; draw != MAX_DRAWS && closed != D; ++draw) {
    FW_TASK(hal, WL_COST_FTL_GC_WEIGH);
    const wl_superblock_t superblock = (uint32_t)((uint64_t)mix(key + draw) * wl_superblocks(fw) >> 32);
    if (wl_superblock(fw, superblock)->state != WL_SUPERBLOCK_CLOSED) continue;
    ++closed;
    if (best == WL_NONE || wl_superblock(fw, superblock)->valid < wl_superblock(fw, best)->valid) best = superblock;
  }
  /* Never a superblock that is full of valid logical pages while another is not. */
  if (best == WL_NONE || wl_superblock(fw, best)->valid >= fw->kind[0].superblock_lpages)
    return wl_superblock_emptiest(fw, hal);
  return best;
}

const struct wl_policy wl_policy_page_d_choices = {
    .space = {.host_streams = 1, .move_streams = 1}, .refused = WL_ENGINE_VICTIM, WL_PAGE_MAPPING(victim)};
