/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read slots. The slots of a job are consecutive, so they are handed out from chunks of chunk_lpages: a run of several
 * logical pages takes a chunk of its own, single logical pages share one (a slab). Both directions O(1).
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_READ_SLOTS_H
#define WORDLINE_FIRMWARE_BUFFER_READ_SLOTS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_read_slots_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_read_slots_boot(struct wl_firmware* fw, const struct wl_hal* hal);

WL_MUST_CHECK uint32_t wl_read_slots_take(struct wl_firmware* fw,
                                          uint32_t count);          /* 1 to wl_read_run; WL_NONE when there are none */
void wl_read_slots_release(struct wl_firmware* fw, wl_slot_t slot); /* the first of those taken together */
uint32_t wl_read_run(const struct wl_firmware* fw);                 /* logical pages, at most */
uint32_t wl_read_runs(const struct wl_firmware* fw);
bool wl_read_slots_scarce(const struct wl_firmware* fw); /* more than half are taken */

#endif
