/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The patrol visits the closed superblocks one after the other, at times of its own: are their data old, and, with
 * ftl.patrol, does a page of each still have few errors? One page is read at a time, with the priority of GC; in each
 * round another one, and of those that hold valid data the first from there on. Without a free slot or job it is left
 * out until the next round.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_PATROL_H
#define WORDLINE_FIRMWARE_SERVICE_PATROL_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

bool wl_patrol_wanted(const struct wl_firmware* fw);
void wl_patrol_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_patrol_boot(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_patrol_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* `errors`: bits corrected in the worst codeword of the page. */
void wl_patrol_read_done(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, bool ok,
                         uint32_t errors);

#endif
