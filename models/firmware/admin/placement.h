/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flexible Data Placement, as far as the host asks the firmware for it.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_PLACEMENT_H
#define WORDLINE_FIRMWARE_ADMIN_PLACEMENT_H

#include "models/firmware/context.h"

/* Log page 22h. */
void wl_placement_log(const struct wl_firmware* fw, uint8_t* page);
/* I/O Management Receive: a word for each handle. Returns its bytes. */
WL_MUST_CHECK uint32_t wl_placement_status(const struct wl_firmware* fw, uint8_t* page);
/* I/O Management Send: new reclaim units for these handles, bits. */
void wl_placement_update(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t handles);

#endif
