/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Units of the buffer that gather moved data.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_GATHER_H
#define WORDLINE_FIRMWARE_RELOC_GATHER_H

#include <stdint.h>

#include "models/firmware/context.h"

/* The open one, with a free slot; WL_NONE: none, one that comes free kicks. */
WL_MUST_CHECK wl_unit_t wl_mover_unit(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t stream);
/* Reads `count` logical pages of one page into slots of the unit, from where their sources say. */
void wl_mover_read(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit, uint32_t id, wl_slot_t slot,
                   uint32_t count);
/* A job of a read goes out, for job->count logical pages from where the source of job->slot says. A function by itself,
 * so that a debugger can stop at a move. */
void wl_mover_read_run(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id);
/* Nothing is left to move: logical pages that wait for company in a unit are sent, and their superblocks become free.
 */
void wl_mover_flush(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
