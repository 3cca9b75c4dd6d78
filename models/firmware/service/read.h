/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads. A command is taken up in pieces of at most WL_MAX_SEGMENTS segments; a segment is a run of logical pages from
 * one source: one page of flash, the write buffer, or nothing (zeros). Segments go to the host as they become ready;
 * the last job of a piece notifies, and then everything the piece holds is released: the controller carries out jobs in
 * order.
 *
 * Only the first command in the queue takes slots, and a piece never needs more than there are: so waiting ends.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_READ_H
#define WORDLINE_FIRMWARE_SERVICE_READ_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/host/request.h"
#include "models/firmware/media/job.h"

void wl_read_take(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* request);
void wl_read_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_read_flash_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok);
void wl_read_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);

#endif
