/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pages that a mount reads one by one: of each superblock without a closing record, all dies at once, from the
 * first page of a block up to the first that is blank. What their spare records say goes into the map.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_MOUNT_READ_H
#define WORDLINE_FIRMWARE_PERSIST_MOUNT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

/* Some of them; the last leaves the phase. */
void wl_mount_read_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_mount_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane, bool ok);
/* With parity: all have been read, and what dies have failed is known. */
void wl_mount_rows_are_read(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
