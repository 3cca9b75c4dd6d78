/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks that are erased: first those that engines may still read, until a quiescence has passed, then a queue
 * from which the erase step takes a die at a time.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_ERASING_SUPERBLOCKS_H
#define WORDLINE_FIRMWARE_SPACE_ERASING_SUPERBLOCKS_H

#include "models/firmware/context.h"

void wl_erasing_begin(struct wl_firmware* fw, wl_superblock_t superblock);
/* Once more, only the dies with a block that is replaced. */
void wl_erasing_again(struct wl_firmware* fw, wl_superblock_t superblock);
/* The die that is erased next. */
WL_MUST_CHECK uint32_t wl_erasing_die(const struct wl_firmware* fw, wl_superblock_t superblock);
/* The same, and it is taken. The superblock leaves the queue with the last one. */
WL_MUST_CHECK uint32_t wl_erasing_next_die(struct wl_firmware* fw, wl_superblock_t superblock);

/* With ftl.recovery the block with the first page of the closing record is erased before the others: a record
 * that can be read names nothing that is gone. So is the block with the parity: of a row that has it nothing else is
 * gone. True: they are, and the others are queued. */
WL_MUST_CHECK bool wl_erasing_goes_on(struct wl_firmware* fw, wl_superblock_t superblock);

#endif
