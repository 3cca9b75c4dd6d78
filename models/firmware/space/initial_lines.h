/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines as the initial state of the drive has them (contract/initial_state.h).
 */
#ifndef WORDLINE_FIRMWARE_SPACE_INITIAL_LINES_H
#define WORDLINE_FIRMWARE_SPACE_INITIAL_LINES_H

#include "models/firmware/context.h"

void wl_initial_lines(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
