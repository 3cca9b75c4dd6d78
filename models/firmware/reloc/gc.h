/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Garbage collection (GC): when the policy wants free superblocks, and which superblock it names, the mover empties.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_GC_H
#define WORDLINE_FIRMWARE_RELOC_GC_H

#include "models/firmware/context.h"

void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
