/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Closed lines in buckets by valid sectors, for whoever collects the emptiest first. With the victim engine there are
 * none.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_CLOSED_LINES_H
#define WORDLINE_FIRMWARE_SPACE_CLOSED_LINES_H

#include "models/firmware/context.h"

void wl_closed_insert(struct wl_firmware* fw, uint32_t line);
void wl_closed_remove(struct wl_firmware* fw, uint32_t line);
/* The line, closed, has one valid sector less. */
void wl_closed_emptier(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t line);
uint32_t wl_closed_emptiest(struct wl_firmware* fw); /* WL_NONE: none */
/* The one that has been longest in the next bucket, with more valid sectors than `line`; WL_NONE: none. */
uint32_t wl_closed_next_emptiest(const struct wl_firmware* fw, uint32_t line);

#endif
