/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page mapping, greedy GC: the superblock with the fewest valid logical pages.
 */
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

const struct wl_policy wl_policy_page_greedy = {.space = {.host_streams = 1, .move_streams = 1},
                                                WL_PAGE_MAPPING(wl_superblock_emptiest)};
