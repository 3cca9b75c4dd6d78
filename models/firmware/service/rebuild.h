/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With parity over dies: a read of flash that could not be corrected, or whose die has failed, is rebuilt from the rest
 * of its row, before its owner hears of it: the first other unit of the row is read into the slots of the read, the
 * others are XORed into them (WL_FLASH_SUM). The owner gets its data and spare records, or, where one of these cannot
 * be read either, the failure.
 *
 * A row whose parity is not on flash yet is ended first: its superblock is closed, as soon as others are free.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_REBUILD_H
#define WORDLINE_FIRMWARE_SERVICE_REBUILD_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_rebuild_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_rebuild_boot(struct wl_firmware* fw);

/* A job has ended, `ok` or not: the die is judged by it. True: it is a read that will be rebuilt; it keeps its id. */
WL_MUST_CHECK bool wl_rebuild_takes(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok);

struct wl_rebuilt {
  uint32_t id; /* of the read, for its owner */
  bool ok;
};
/* Goes on with all of them. True: one has ended; to be called again. */
WL_MUST_CHECK bool wl_rebuild_step(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_rebuilt* ended);
/* A read of another unit of the row has ended, job `id`. */
void wl_rebuild_read_done(struct wl_firmware* fw, uint32_t id, bool ok);

#endif
