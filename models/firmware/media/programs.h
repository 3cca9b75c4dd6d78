/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables of program parameter sets and of program reports: memory and registers. media.h has what others call.
 */
#ifndef WORDLINE_FIRMWARE_MEDIA_PROGRAMS_H
#define WORDLINE_FIRMWARE_MEDIA_PROGRAMS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_programs_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_programs_boot(const struct wl_firmware* fw, const struct wl_hal* hal);

#endif
