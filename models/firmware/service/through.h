/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes that complete after their program (ftl.write_back = false): a command waits for the units that hold its data,
 * and for nothing else. Other than a FLUSH it closes no unit that data will fill: the open unit is closed, its rest
 * padded, when all data of the writes that were taken up have arrived, so that none of them will take a slot of it; or
 * when the first write in line can take none. So a writer with one command in flight goes on at once, and of many in
 * flight those that come together share units.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_THROUGH_H
#define WORDLINE_FIRMWARE_SERVICE_THROUGH_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_through_layout(struct wl_firmware* fw, struct wl_arena* tcm);
static inline bool wl_writes_through(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.write_through != 0, 0);
}
/* A write is taken up; a part of its data is in `unit`. */
void wl_through_begins(struct wl_firmware* fw);
void wl_through_awaits(struct wl_firmware* fw, uint32_t tag, wl_unit_t unit);
/* All its data are in the buffer, or it has failed: no more will come. */
void wl_through_arrived(struct wl_firmware* fw);
void wl_through_blocked(struct wl_firmware* fw); /* the first write in line finds no slot */
void wl_through_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
/* What waits will not be programmed: it ends with a write fault. */
void wl_through_stop(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
