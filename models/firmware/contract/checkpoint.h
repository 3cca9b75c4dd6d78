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

/* Bytes of the map, the copies on flash with their sequences, and the inverse of the map; the state and what fills
 * logical pages up take some more. */
static inline uint64_t wl_checkpoint_bytes(const struct wl_boot_info* boot, uint64_t raw_lpages) {
  return (uint64_t)boot->user_lpages * 12u + raw_lpages * 4u;
}

#endif
