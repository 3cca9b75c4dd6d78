/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Moves by the copy engine (contract/engines.h): hands it units, and reads what it could not read.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_COPY_ENGINE_H
#define WORDLINE_FIRMWARE_RELOC_COPY_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/reloc/mover.h"

/* Units for what the scan engine finds; with WL_ENGINES_COLLECT. */
WL_MUST_CHECK enum wl_progress wl_copy_fill(struct wl_firmware* fw, const struct wl_hal* hal);
/* Units that are not full get padding: superblocks wait for them, and nothing is left to move. */
void wl_copy_fill_close(struct wl_firmware* fw, const struct wl_hal* hal);
/* Its program `id` did not begin because reads have failed. */
void wl_copy_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id);
void wl_copy_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok);

#endif
