/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the mover empties next: the superblock that the policy of garbage collection (GC) names, when it wants free
 * ones; or one that is due for another reason (space/upkeep.h). These go first, but for a number of victims of GC
 * between two while GC wants victims, and never without a free superblock.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_GC_H
#define WORDLINE_FIRMWARE_RELOC_GC_H

#include "models/firmware/context.h"

void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
