/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The off-line scheme that cubeFTL is compared with: page_greedy, and every word line is programmed with Vfinal so much
 * lower as is safe in the worst condition. Source: Hung et al. as Shim, SNU 2020, sections 4.1.2 and 6.1, describes it.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

enum { kSet = 1 };

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_program_set set = {0, 0, (uint16_t)wl_policy_keys(&fw->boot)->vert.cut_mv, 0, {0}};
  const bool known = wl_media_program_set(fw, kSet, &set);
  WL_ASSERT(hal, known);
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (!wl_page_place(fw, stream, at)) return false;
  at->control = kSet;
  return true;
}

const struct wl_policy wl_policy_vert = {
    .space = {.host_streams = 1, .move_streams = 1},
    .media = {.programs = true},
    .refused = WL_ENGINE_COPY,
    .begin = begin,
    .place = place,
    .collect = wl_page_collect,
    .idle = wl_page_idle,
    .victim = wl_superblock_emptiest,
};
