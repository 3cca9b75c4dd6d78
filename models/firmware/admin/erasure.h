/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Format NVM and Sanitize by block erase (NVMe Base Specification 2.0, 5.14, 5.24): the map is emptied, what is being
 * programmed ends, and all blocks that hold anything are erased, those of all dies side by side. The controller refuses
 * the host's commands meanwhile, and has none under way when it begins.
 *
 * Known gaps: not with ftl.recovery, where a cut would need to know of it; blocks that have failed keep what they hold.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_ERASURE_H
#define WORDLINE_FIRMWARE_ADMIN_ERASURE_H

#include "models/firmware/context.h"

enum wl_erasure_phase { WL_ERASURE_NONE, WL_ERASURE_MAP, WL_ERASURE_PROGRAMS, WL_ERASURE_ERASES };

/* The status of a command that cannot begin; else wl_erasure_step() goes on with it. */
WL_MUST_CHECK uint32_t wl_erasure_begin(struct wl_firmware* fw);
bool wl_erasure_runs(const struct wl_firmware* fw);
/* True: it is over. */
WL_MUST_CHECK bool wl_erasure_step(struct wl_firmware* fw, const struct wl_hal* hal);
#define WL_PROGRESS_END 0x10000u
/* How much of it is done, of WL_PROGRESS_END: a quarter is the map's. */
uint32_t wl_erasure_progress(const struct wl_firmware* fw);

#endif
