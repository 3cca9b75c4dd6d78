/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What checkpoints of a drive at work need (ftl.checkpoint_after): room in a superblock, and superblocks.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_CHECKPOINT_H
#define WORDLINE_FIRMWARE_CONTRACT_CHECKPOINT_H

#include <stdint.h>

#include "models/firmware/contract/boot_info.h"

/* That of the last one, and one that is written. */
#define WL_CHECKPOINT_SUPERBLOCKS 2u

#define WL_CHECKPOINT_SUPERBLOCK_BYTES 16u /* of its state, for each superblock */
#define WL_CHECKPOINT_CURSOR_BYTES 128u    /* ..., for each die: cursors of all streams, at most */
#define WL_CHECKPOINT_PARTS 8u             /* that end with a logical page of their own, at most */

/* Logical pages of a superblock that one takes at most, with its mark: the map, the copies on flash with their
 * sequences, the inverse of the map, and the state. The end completes a word line, and the mark is the first unit of
 * the next row of them that lies in the block of the root. */
static inline uint64_t wl_checkpoint_lpages(const struct wl_boot_info* boot, uint64_t raw_lpages,
                                            uint32_t unit_lpages) {
  const uint64_t bytes = (uint64_t)boot->user_lpages * 12u + raw_lpages * 4u +
                         (uint64_t)boot->blocks * WL_CHECKPOINT_SUPERBLOCK_BYTES +
                         (uint64_t)boot->dies * WL_CHECKPOINT_CURSOR_BYTES;
  const uint32_t programs = boot->ftl.word_line_programs > 1u ? boot->ftl.word_line_programs : 1u;
  return (bytes >> (9u + boot->ftl.lpage_shift)) + WL_CHECKPOINT_PARTS +
         ((uint64_t)programs * (boot->dies + 1u) + 1u) * unit_lpages;
}

#endif
