/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Abort of a command of the host (NVMe Base Specification 2.0, 5.1).
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_ABORT_H
#define WORDLINE_FIRMWARE_SERVICE_ABORT_H

#include "models/firmware/context.h"

/* Ends a read, a write or a FLUSH that has not begun: it waits in a queue, for its logical page or for the FLUSH before
 * it. False: there is none, or some of it is under way, and it ends as it would have. */
WL_MUST_CHECK bool wl_command_abort(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);

#endif
