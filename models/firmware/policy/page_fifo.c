/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page mapping, GC first in, first out: the superblock that was closed first, unless all of it is valid.
 * Source: the write amplification of this rule has a closed form, Desnoyers, "Analytic Modeling of SSD Write
 * Performance", SYSTOR 2012.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/space/closed_superblocks.h"

static wl_superblock_t victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC_WEIGH);
  return wl_closed_oldest(fw);
}

const struct wl_policy wl_policy_page_fifo = {.space = {.host_streams = 1, .move_streams = 1, .by_age = true},
                                              .refused = WL_ENGINE_VICTIM,
                                              WL_PAGE_MAPPING(victim)};
