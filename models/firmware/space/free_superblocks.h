/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of free superblocks, and those that leave it for good.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_FREE_SUPERBLOCKS_H
#define WORDLINE_FIRMWARE_SPACE_FREE_SUPERBLOCKS_H

#include "models/firmware/context.h"

void wl_superblock_free(struct wl_firmware* fw, uint32_t superblock);
void wl_superblock_retire(struct wl_firmware* fw, uint32_t superblock);

#endif
