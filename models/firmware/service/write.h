/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes. A command is taken up in pieces: slots of the write buffer, then DMA, then the map. The map changes when the
 * data have arrived, so reads see the old data until then, and of two writes in flight to one logical page the one
 * whose data arrived last wins; a piece whose data do not all arrive leaves the map as it was. A map unit written in
 * part (modify.h) is exclusive while it is in flight: other writes of it, and deallocation, wait.
 *
 * What is kept of it comes from flash into the new slots, or from the buffer: from a program unit on its way to flash,
 * or that somebody reads, it is copied; in another one, which still gathers data, the map unit is changed in place, and
 * reads of it wait until that is over. So no read ever takes data out of a slot while others come in.
 *
 * Only the first command in the queue takes slots. A piece that cannot go on is sent short: so nothing is held while
 * waiting. A command that waits for a map unit steps aside, and the next one goes on; a later command for the same
 * one (or one that hashes alike) queues behind it, so none is passed for ever.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_WRITE_H
#define WORDLINE_FIRMWARE_SERVICE_WRITE_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/host/request.h"
#include "models/firmware/media/job.h"

void wl_write_take(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* request);
/* A write that has not begun, and that is in no list any more. */
void wl_write_aborted(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);
void wl_write_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_write_merge_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok);
/* `failed`: the host had no memory there for some of the data. */
void wl_write_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, bool failed);

#endif
