/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parity over dies, while it is gathered: the sum of each row (space/stripes.h) whose units are on their way to flash.
 * The XOR unit of the channel adds a unit when its program has succeeded; when all programs of the row have ended, its
 * parity is programmed from the sum. A row that its superblock leaves half filled gets the parity of what it has.
 *
 * While a row is open its sum is all that protects it: it lies in the buffer, and who wants to rebuild a unit of the
 * row has the row end first (service/rebuild.h).
 *
 * Costs: the slots of wl_parity_sums() units, behind those of the data buffer.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_PARITY_H
#define WORDLINE_FIRMWARE_BUFFER_PARITY_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/media/job.h"

void wl_parity_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_parity_boot(struct wl_firmware* fw, wl_slot_t slot0); /* the first slot of the sums */

/* A unit may be placed: a row that it begins gets a sum. False: the end of a program of parity kicks. */
bool wl_parity_accepts(const struct wl_firmware* fw);
/* A unit is placed at `ppa`. Returns `sum` of its job. */
WL_MUST_CHECK uint32_t wl_parity_joins(struct wl_firmware* fw, wl_ppa_t ppa);
/* Its program has ended. */
void wl_parity_member_done(struct wl_firmware* fw, wl_ppa_t ppa, bool ok);
/* Programs the parity of rows that are complete; a part of the step that places units. */
void wl_parity_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* Such a program has ended; `failed`: its planes in which it did, as bits. */
void wl_parity_programmed(struct wl_firmware* fw, const struct wl_job* job, uint32_t failed);

/* For a mount, before any row is open: how many sums there are, and the first slot of one. */
uint32_t wl_parity_sums_of(const struct wl_firmware* fw);
wl_slot_t wl_parity_slot(const struct wl_firmware* fw, uint32_t sum);

/* No row is open. */
bool wl_parity_ended(const struct wl_firmware* fw);
/* The parity of the row is not on flash yet. */
bool wl_parity_open(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row);

#endif
