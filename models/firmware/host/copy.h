/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Copy commands that firmware parses: their fields and source ranges. The controller moves the data.
 */
#ifndef WORDLINE_FIRMWARE_HOST_COPY_H
#define WORDLINE_FIRMWARE_HOST_COPY_H

#include "models/firmware/context.h"
#include "models/firmware/core/core.h"

/* Of the entry `dw`; asks for the ranges. Not WL_STATUS_OK: it is refused. */
WL_MUST_CHECK uint32_t wl_copy_parse(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw,
                                     uint32_t tag);
/* Some of its ranges, which have come. True: all have been looked at, or one is no good. */
WL_MUST_CHECK bool wl_copy_take_ranges(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw,
                                       uint32_t tag);

#endif
