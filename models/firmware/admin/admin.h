/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Admin commands that concern what the firmware knows: health, asynchronous events, commands to abort. The controller
 * hands them over one at a time (contract/host_ring.h); they are carried out on the core of the ftl task, between its
 * rounds. Source: NVMe Base Specification 2.0, 5.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_ADMIN_H
#define WORDLINE_FIRMWARE_ADMIN_ADMIN_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_admin_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_admin_boot(struct wl_firmware* fw, const struct wl_hal* hal);
/* WL_STEP_ADMIN: a command has come, or the health of the drive may have changed. */
void wl_admin_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
