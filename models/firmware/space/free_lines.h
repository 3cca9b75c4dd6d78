/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of free lines, and those that leave it for good.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_FREE_LINES_H
#define WORDLINE_FIRMWARE_SPACE_FREE_LINES_H

#include "models/firmware/context.h"

void wl_line_free(struct wl_firmware* fw, uint32_t line);
void wl_line_retire(struct wl_firmware* fw, uint32_t line);

#endif
