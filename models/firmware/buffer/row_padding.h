/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With parity over dies: rows that are open when the drive is about to stop (buffer/parity.h).
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_ROW_PADDING_H
#define WORDLINE_FIRMWARE_BUFFER_ROW_PADDING_H

#include <stdbool.h>

#include "models/firmware/context.h"

/* What the buffer holds is on flash, and nothing is moved: open rows are filled with padding, or end with their
 * superblocks where there is no place for it. True: none is open; else the end of one kicks the admin step. */
WL_MUST_CHECK bool wl_rows_rest(struct wl_firmware* fw);

#endif
