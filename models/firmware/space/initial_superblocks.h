/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks as the initial state of the drive has them (contract/initial_state.h).
 */
#ifndef WORDLINE_FIRMWARE_SPACE_INITIAL_SUPERBLOCKS_H
#define WORDLINE_FIRMWARE_SPACE_INITIAL_SUPERBLOCKS_H

#include "models/firmware/context.h"

void wl_initial_superblocks(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
