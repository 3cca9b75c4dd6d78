/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints of a drive at work (ftl.checkpoint_after, docs/power_loss.md): after so many superblocks closed the drive
 * comes to rest as for a clean shutdown, leaves a checkpoint, and opens it at once. It stays on flash as the base of a
 * mount until the next one is opened. While it is written the host's reads go on, its writes wait.
 *
 * Costs: the superblock of the base and one more, a byte of DRAM for each logical page. Known gap: writes stop for the
 * whole of it.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_TURN_H
#define WORDLINE_FIRMWARE_PERSIST_TURN_H

#include <stdbool.h>

#include "models/firmware/context.h"

/* A superblock has been closed. */
void wl_turn_superblock_closed(struct wl_firmware* fw);
bool wl_turn_runs(const struct wl_firmware* fw);
/* What it waits for kicks the admin step. */
void wl_turn_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* The host shuts the drive down, or power has failed: what has not begun to be written is left. */
void wl_turn_cancel(struct wl_firmware* fw);

/* What is buffered is programmed, or cannot be; else it is sent. */
WL_MUST_CHECK bool wl_persist_flushed(struct wl_firmware* fw);

#endif
