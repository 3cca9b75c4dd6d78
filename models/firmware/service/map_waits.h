/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With a cached map (map/cache.h): commands, deallocations and ends of programs that wait for a map page.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_MAP_WAITS_H
#define WORDLINE_FIRMWARE_SERVICE_MAP_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/service/command.h"

/* The map page of the command's next logical page has been looked at: nothing is kept for the command any more. */
void wl_command_ungrant(struct wl_firmware* fw, struct wl_command* c);
/* ... and has been used: without a wait, if nothing was. */
void wl_command_uses_map(struct wl_firmware* fw, struct wl_command* c);

/* A program unit is programmed, and what it holds is known to the map: what else its end means (ftl_task.c). */
typedef void (*wl_unit_end)(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
/* Those whose map page has come go on. */
void wl_map_waits_step(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_end end);

#endif
