/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Mount of a drive from what power has left on flash, however it was lost (docs/power_loss.md). What a clean shutdown
 * has left is read from its checkpoint (checkpoint.h). Else all spare records are read, over all dies at once; of those
 * of a logical page that with the highest sequence counts. Nothing is changed before all is read. Word lines that take
 * several programs, and have had some of them, are completed with padding. Superblocks without valid data are erased;
 * those with most room, one for each stream, go on to be written, units of theirs that stayed blank are padded first,
 * as dies program in order. With parity over dies: rows.h. A mount that is cut begins again: it has destroyed nothing
 * that counts.
 *
 * Costs: two bytes of DRAM for each block of a die.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_MOUNT_H
#define WORDLINE_FIRMWARE_PERSIST_MOUNT_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_persist_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_mount_boot(struct wl_firmware* fw, const struct wl_hal* hal);
/* Times the drive was switched on, and of these so that it had not been shut down before. */
uint32_t wl_power_cycles(const struct wl_firmware* fw);
uint32_t wl_unsafe_shutdowns(const struct wl_firmware* fw);
/* One piece of work; the last of a mount starts the host. Also of a checkpoint that is written or opened. */
void wl_mount_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* A flash job of the mount has ended, of this superblock and lane; by number, so that the job need not lie in memory.
 */
void wl_mount_job_done(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t lane,
                       bool ok);

#endif
