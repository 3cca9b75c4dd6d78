/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The end of a move: of one logical page, of a unit.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_MOVED_H
#define WORDLINE_FIRMWARE_RELOC_MOVED_H

#include <stdint.h>

#include "models/firmware/context.h"

void wl_moved(struct wl_firmware* fw,
              wl_superblock_t superblock); /* one logical page of `superblock` less is in the units */
/* The logical page for `slot` cannot be read: lost, its slot becomes padding. */
void wl_move_lost(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot);

#endif
