/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Access characteristic guided cost regulation: data that are only read are programmed in fine steps, which takes long
 * and makes reads cheap; data that are only written in coarse ones; the others as the device does. Source: Li et al.,
 * "Access Characteristic Guided Read and Write Cost Regulation for Performance Improvement on Flash Memory", FAST 2016
 * (slides); docs/agcr.md has what they leave open, and what is done here.
 *
 * The class of a page is judged by a window of accesses, of which the upcoming one is the last: so a page that the host
 * writes is never read-only. Data that GC moves have no upcoming access; they are judged by the rest of the
 * window. Data of a class fill units and superblocks of their own, as a unit is programmed in one way.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/agcr_classes.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_agcr_begin(fw, hal, wl_policies_state(fw)->arena);
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (!wl_page_place(fw, stream, at)) return false;
  at->control = wl_stream_class(stream); /* also in a superblock of another class */
  if (at->control == WL_AGCR_COARSE && wl_policy_keys(&fw->boot)->agcr.busy_only != 0 &&
      !wl_agcr_is_busy(fw, at->superblock))
    at->control = WL_AGCR_DEFAULT;
  return true;
}

static bool asks_die_jobs(const struct wl_boot_info* boot) { return wl_policy_keys(boot)->agcr.busy_only != 0; }

const struct wl_policy wl_policy_agcr = {
    .space = {.host_streams = WL_AGCR_STEPS, .move_streams = WL_AGCR_STEPS},
    .media = {.programs = true, .die_jobs = asks_die_jobs, .read_start = wl_agcr_read_start},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = wl_agcr_bytes,
    .arena_bytes = sizeof(struct wl_agcr),
    .begin = begin,
    .class_of_write = wl_agcr_class_of_write,
    .class_of_move = wl_agcr_class_of_move,
    .on_write = wl_agcr_on_write,
    .on_read = wl_agcr_on_read,
    .place = place,
    .programmed = wl_agcr_programmed,
    .collect = wl_page_collect_classes,
    .idle = wl_agcr_idle,
    .move = wl_agcr_move,
    .victim = wl_superblock_emptiest,
};
