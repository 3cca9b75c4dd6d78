/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read retry by the firmware, where hardware does not control it: decisions, and what media does with them.
 */
#ifndef WORDLINE_FIRMWARE_MEDIA_RETRY_H
#define WORDLINE_FIRMWARE_MEDIA_RETRY_H

#include "models/firmware/context.h"
#include "models/firmware/media/state.h"

void wl_retry_boot(struct wl_firmware* fw, const struct wl_hal* hal);
uint64_t wl_retry_table_bytes(const struct wl_firmware* fw);                /* of the table of optimal references */
void wl_retry_erased(struct wl_firmware* fw, uint32_t die, uint32_t block); /* is about to be */
/* Where the table has a fresh read of `ppa` begin: WL_RETRY_SET, step and senses; 0: at the default references. */
uint32_t wl_retry_table_start(const struct wl_firmware* fw, wl_ppa_t ppa);
/* Read `id` of `ppa` is about to be sent and begins at `start`. Returns `control` of its job. */
WL_MUST_CHECK uint32_t wl_retry_started(struct wl_firmware* fw, uint32_t id, wl_ppa_t ppa, uint32_t start);
/* An attempt of a read failed. Returns `control` of the next one; 0: given up, and *done is what hardware would say
 * after the last. */
WL_MUST_CHECK uint32_t wl_retry_failed(struct wl_firmware* fw, const struct wl_hal* hal,
                                       struct wl_flash_completion* done);
void wl_retry_succeeded(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id); /* though not at once */

/* Decisions alone: `control` of the next attempt, 0: give up. */
void wl_retry_begin(const struct wl_firmware* fw, struct wl_retry* r, uint32_t ort);
uint32_t wl_retry_next(const struct wl_retry_rules* rules, struct wl_retry* r, uint32_t report);
uint32_t wl_retry_history(const struct wl_retry* r, uint32_t failed);

#endif
