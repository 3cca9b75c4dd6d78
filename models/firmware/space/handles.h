/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reclaim units of placement handles: the open superblocks of the host's streams.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_HANDLES_H
#define WORDLINE_FIRMWARE_SPACE_HANDLES_H

#include "models/firmware/context.h"

/* Logical pages that fit into the reclaim unit of a handle; of one that has none yet, all that fit into an empty one.
 */
uint32_t wl_handle_room(const struct wl_firmware* fw, uint32_t handle);
/* Its next data go to a new reclaim unit. Returns the logical pages that the last one is left without: 0: it had none,
 * or nothing was in it. */
WL_MUST_CHECK uint32_t wl_handle_update(struct wl_firmware* fw, uint32_t handle);

#endif
