/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sanitize by block erase, and its log (NVMe Base Specification 2.0, 5.24, 5.16.1.25). The command ends when the
 * operation has begun; resets of the controller do not end that.
 *
 * Known gaps: the log does not outlive power; no estimates of time.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_SANITIZE_H
#define WORDLINE_FIRMWARE_ADMIN_SANITIZE_H

#include "models/firmware/context.h"

enum wl_sanitize_status { WL_SANITIZE_NEVER = 0, WL_SANITIZE_DONE = 1, WL_SANITIZE_RUNS = 2 };

/* The status of a command that cannot begin. */
WL_MUST_CHECK uint32_t wl_sanitize_begin(struct wl_firmware* fw, uint32_t dw10);
/* The erasure that runs is a Sanitize. */
bool wl_sanitizes(const struct wl_firmware* fw);
void wl_sanitize_ends(struct wl_firmware* fw, const struct wl_hal* hal);
/* Fills in WL_LOG_BYTES. */
void wl_sanitize_log(const struct wl_firmware* fw, const struct wl_hal* hal, uint8_t* page);

#endif
