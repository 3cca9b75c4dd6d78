/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A policy to start from: page mapping, greedy GC, data of small commands apart from those of large ones.
 *
 * The functions run inside the ftl task, on the modelled cores and natively, and cost what their instructions cost;
 * they must be bounded. What is not decided here comes from page_mapping.h; policy.h has every slot of the table,
 * docs/extending.md the way from here to a policy that is shipped.
 */
#include "models/firmware/policy/policy.h"
#include "models/firmware/core/core.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/space.h"

enum { SMALL_LPAGES = 4, CLASS_SMALL = 0, CLASS_LARGE = 1, CLASSES = 2 };

/* Each class fills a superblock of its own. A logical page that is still in the write buffer is asked about again. */
static uint32_t class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags) {
  (void)fw, (void)lpn, (void)flags;
  return lpages <= SMALL_LPAGES ? CLASS_SMALL : CLASS_LARGE;
}

/* The victim of GC; WL_NONE: GC gains nothing. Cost tags make native cores pay for work that
 * grows with the drive. */
static wl_superblock_t victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC_WEIGH);
  const wl_superblock_t emptiest = wl_closed_emptiest(fw);
  if (emptiest == WL_NONE || wl_superblock(fw, emptiest)->valid == fw->geometry.superblock_lpages) return WL_NONE;
  return emptiest;
}

const struct wl_policy wl_policy_start_policy = {
    .space = {.host_streams = CLASSES, .move_streams = 1, .by_age = true},
    .refused = WL_ENGINE_VICTIM, /* engines that it cannot work with: `check` refuses them together */
    .class_of_write = class_of_write,
    WL_PAGE_MAPPING(victim)};
