/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The SMART / Health Information log (NVMe Base Specification 2.0, 5.16.1.3), from what the drive has really done.
 *
 * Known gaps: the composite temperature is that of the cells, which the configuration gives and nothing changes; busy
 * time and time at power are 0; a drive has been switched on once, or, found by a mount, a second time after power was
 * lost. Counts of commands wrap at 2^32.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_HEALTH_H
#define WORDLINE_FIRMWARE_ADMIN_HEALTH_H

#include "models/firmware/context.h"

#define WL_SPARE_THRESHOLD 10u /* percent */

enum wl_critical_warning {
  WL_WARNING_SPARE = 1,       /* the available spare is below its threshold */
  WL_WARNING_TEMPERATURE = 2, /* at or beyond a threshold */
  WL_WARNING_RELIABILITY = 4, /* what waits to be programmed has no place */
  WL_WARNING_READ_ONLY = 8,
};
/* Of the blocks that may fail until the drive is read-only, those that have not. */
uint32_t wl_spare_percent(const struct wl_firmware* fw);
uint32_t wl_critical_warnings(const struct wl_firmware* fw, uint32_t over, uint32_t under);

/* Fills in WL_LOG_BYTES. */
void wl_smart_log(const struct wl_firmware* fw, const struct wl_hal* hal, uint32_t warnings, uint8_t* page);

#endif
