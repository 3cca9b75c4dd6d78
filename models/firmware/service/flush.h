/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FLUSH, and the end of writes with force unit access, where the buffer is not power-safe.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_FLUSH_H
#define WORDLINE_FIRMWARE_SERVICE_FLUSH_H

#include "models/firmware/context.h"

/* Everything that was completed before now is programmed before `tag` completes. Requests that come while one is under
 * way wait together for the next round. */
void wl_flush(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);
void wl_flush_behind(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag); /* the same, behind a trim */
/* What waits will not be programmed: it ends with a write fault. */
void wl_flush_stop(struct wl_firmware* fw, const struct wl_hal* hal);
/* A unit of the host waits for the rest of its word line: that is padded, if a FLUSH waits for anything. */
void wl_flush_waits(struct wl_firmware* fw);
/* A unit of the host, opened as number `sequence`, is on flash. */
void wl_flush_programmed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t sequence);

#endif
