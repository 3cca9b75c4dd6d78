/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A normal shutdown (NVMe Base Specification 2.0, 3.6.1): what the buffer holds is programmed, where it would be lost
 * with power. With ftl.recovery a checkpoint follows, when GC has ended with the superblock that it has taken up.
 *
 * Or the host's power has failed, and the drive has what its capacitor holds (power.hold_up): what the buffer holds is
 * programmed, without a checkpoint. Commands that have no place in the buffer yet get none, GC rests.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_SHUTDOWN_H
#define WORDLINE_FIRMWARE_PERSIST_SHUTDOWN_H

#include <stdbool.h>

#include "models/firmware/context.h"

void wl_shutdown_begin(struct wl_firmware* fw);
/* The host's power has failed: what the buffer holds is programmed, whatever else is under way. */
void wl_shutdown_without_power(struct wl_firmware* fw);
bool wl_shutdown_has_no_power(const struct wl_firmware* fw);
bool wl_shutdown_runs(const struct wl_firmware* fw);
/* The host has reset the controller and goes on: there are commands, which it sends none of before a shutdown ends. */
void wl_shutdown_leave(struct wl_firmware* fw);
/* What it waits for kicks the admin step. True: it is over, power may go. */
WL_MUST_CHECK bool wl_shutdown_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
