/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lists of units.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_UNIT_LIST_H
#define WORDLINE_FIRMWARE_BUFFER_UNIT_LIST_H

#include "models/firmware/context.h"
#include "models/firmware/core/list.h"

void wl_unit_push(struct wl_firmware* fw, struct wl_list* l, wl_unit_t unit);
/* It is in a list `ready` now. */
void wl_unit_ready(struct wl_firmware* fw, wl_unit_t unit);
void wl_unit_push_front(struct wl_firmware* fw, struct wl_list* l, wl_unit_t unit);

#endif
