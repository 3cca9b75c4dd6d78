/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first boot of a drive with spare blocks: reads the factory mark of every block, all dies at once, the spares
 * first, and puts a spare into the place of each bad block. A superblock with a bad block that gets none is retired. No
 * superblock is free, and the host is not let in, before this has ended.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_MARKS_H
#define WORDLINE_FIRMWARE_SPACE_MARKS_H

#include "models/firmware/context.h"

/* Whether a drive like this one begins so: none that an earlier boot has left a table for. */
static inline bool wl_marks_wanted(const struct wl_boot_info* boot) {
  return boot->replacement.spares != 0 && boot->preconditioned == 0;
}
void wl_marks_begin(struct wl_firmware* fw); /* then WL_STEP_ERASE sends them: there is nothing else to erase */
bool wl_marks_are_read(const struct wl_firmware* fw);
void wl_marks_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* Of physical block `block` in all planes of `die`; `marked`: the planes where it is bad, as bits. True: that was the
 * last one, the superblocks are free. */
WL_MUST_CHECK bool wl_marks_done(struct wl_firmware* fw, uint32_t block, uint32_t die, uint32_t marked);

#endif
