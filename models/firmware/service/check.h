/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads of logical pages whose data nobody wants: whether the map is consistent about them, and flash can be read.
 * Eight reads at a time while the host has no command here, else one; for a Device Self-test (admin/).
 *
 * Known gap: with ftl.map = page the map is not checked.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_CHECK_H
#define WORDLINE_FIRMWARE_SERVICE_CHECK_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/media/job.h"

#define WL_CHECK_READS 8u
enum wl_check_fault { WL_CHECK_GOOD, WL_CHECK_MAP, WL_CHECK_MEDIA };
struct wl_check_result {
  uint32_t looked_at, pages;
  uint32_t fault; /* wl_check_fault: the first of those of the lowest number */
  wl_lpn_t lpn;   /* where */
};

void wl_check_layout(struct wl_firmware* fw, struct wl_arena* tcm);
/* `pages` logical pages from `first` on, `stride` apart; all of them exist. WL_STEP_ADMIN is kicked while there is
 * something to do. */
void wl_check_begin(struct wl_firmware* fw, wl_lpn_t first, uint32_t stride, uint32_t pages);
/* What is under way is of no account. */
void wl_check_stop(struct wl_firmware* fw);
/* True: all have been looked at. */
WL_MUST_CHECK bool wl_check_step(struct wl_firmware* fw, const struct wl_hal* hal);
struct wl_check_result wl_check_result(const struct wl_firmware* fw);
void wl_check_read_done(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t index,
                        bool ok);

#endif
