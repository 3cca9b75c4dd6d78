/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * ftl.admission = mean_rate: while the write buffer is more than half full, writes are taken up at the mean rate at
 * which flash takes their data, and what is in the buffer evens out the pauses of flash: each write waits as long as
 * the one before it, its latency is the host's queue over the rate. Below half, and without the key, a write is taken
 * up as soon as there is room.
 *
 * The mean is over some 0.8 s of time in which writes wait. It is not exact, and the rate of flash changes: the buffer
 * is held at three quarters, by as much more or less as fills the difference in a tenth of a second.
 *
 * Costs a timer every 100 us while writes wait, and nothing of a write when it is off. On a core that never rests
 * timers are late (timers.h); what is let in then is that of the time that has passed.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_ADMISSION_H
#define WORDLINE_FIRMWARE_SERVICE_ADMISSION_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

static inline bool wl_admission_wanted(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.admission != 0, 0);
}
void wl_admission_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_admission_boot(struct wl_firmware* fw);
/* Whether a write, or the next piece of one, may be taken up. False: the timer kicks it. */
WL_MUST_CHECK bool wl_admission_allows(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_admission_taken(struct wl_firmware* fw, uint32_t lpages);
/* The timer has expired. */
void wl_admission_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
