/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Dataset Management (deallocate) and Write Zeroes: the map forgets the logical pages. Deallocate ignores logical pages
 * that a range covers in part. Write Zeroes may not ignore them, and nothing can put zeros into part of a slot: it ends
 * with Invalid Field, before anything is changed, unless such a logical page reads as zeros anyway.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_TRIM_H
#define WORDLINE_FIRMWARE_SERVICE_TRIM_H

#include "models/firmware/context.h"
#include "models/firmware/host/request.h"

void wl_trim_add(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* request);
void wl_trim_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
