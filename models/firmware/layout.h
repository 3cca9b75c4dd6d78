/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which room gets how much memory.
 */
#ifndef WORDLINE_FIRMWARE_LAYOUT_H
#define WORDLINE_FIRMWARE_LAYOUT_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

/* Everything but the context itself. Sets pointers and sizes, touches nothing behind them: so it can be done without
 * memory. */
void wl_lay_out(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);

#endif
