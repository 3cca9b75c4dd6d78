/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SMART / Health Information Extended (OCP Datacenter NVMe SSD 2.0, log page C0h): what firmware counts. The controller
 * adds what it knows itself: capacitors, namespaces, the page's name.
 *
 * Known gaps, which are 0: reads of the media, soft ECC errors, unaligned commands and faults of protection
 * information, which hardware sees and does not tell; what the drive does not have (parity over dies, refresh,
 * throttling, errors of the link).
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_EXTENDED_HEALTH_H
#define WORDLINE_FIRMWARE_ADMIN_EXTENDED_HEALTH_H

#include "models/firmware/context.h"

/* Fills in WL_LOG_BYTES. */
void wl_extended_smart_log(const struct wl_firmware* fw, const struct wl_hal* hal, uint8_t* page);

#endif
