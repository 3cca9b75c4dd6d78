/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cost regulation against access conflicts, the rival of agcr: a program is coarse, and short, when its die has other
 * jobs, which it would delay; else it is fine, which makes later reads cheap. Source: Li et al., DATE 2015, as the
 * slides of agcr name it; docs/agcr.md has what of it is inferred. Data have no classes, and none are written again.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/agcr_steps.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  WL_ASSERT(hal, wl_policy_keys(&fw->boot)->agcr.queue != 0);
  wl_agcr_steps_begin(fw, hal);
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (!wl_page_place(fw, stream, at)) return false;
  at->control = wl_agcr_is_busy(fw, at->superblock) ? WL_AGCR_COARSE : WL_AGCR_FINE;
  return true;
}

static void on_read(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from) {
  (void)lpn;
  wl_agcr_read(fw, count, from);
}

static bool asks_die_jobs(const struct wl_boot_info* boot) {
  (void)boot;
  return true;
}

const struct wl_policy wl_policy_agcr_li = {
    .space = {.host_streams = 1, .move_streams = 1},
    .media = {.programs = true, .die_jobs = asks_die_jobs, .read_start = wl_agcr_read_start},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = wl_agcr_steps_bytes,
    .begin = begin,
    .on_read = on_read,
    .place = place,
    .programmed = wl_agcr_programmed,
    .collect = wl_page_collect,
    .idle = wl_page_idle,
    .victim = wl_superblock_emptiest,
};
