/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Idle work: when no command has come and none was under way for ftl.idle_after, the policy may use the drive, piece by
 * piece, until it has nothing left or a command comes. A timer of that length alone measures time, not each
 * command: so work begins after between one and two of them. While commands are in flight it does not run on.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_IDLE_H
#define WORDLINE_FIRMWARE_SERVICE_IDLE_H

#include <stdbool.h>

#include "models/firmware/context.h"

bool wl_idle_wanted(const struct wl_firmware* fw);
void wl_idle_boot(struct wl_firmware* fw);
/* A command has come, and no other since the timer began, or no timer runs. */
void wl_idle_ends(struct wl_firmware* fw, const struct wl_hal* hal);
/* The last command in flight has ended, and copies of GC or the timer wait for that. */
void wl_last_command_ends(struct wl_firmware* fw);
void wl_idle_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
