/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Software timers of the ftl task, over the one TIMER block, in microseconds. A timer that expires kicks its step. Its
 * interrupt is seen when the core goes to sleep and wakes: on a core that never rests, timers are late.
 */
#ifndef WORDLINE_FIRMWARE_CORE_TIMERS_H
#define WORDLINE_FIRMWARE_CORE_TIMERS_H

#include <stdbool.h>

#include "models/firmware/context.h"

enum wl_timer { WL_TIMER_IDLE, WL_TIMER_PATROL, WL_TIMER_ADMISSION, WL_TIMER_COUNT };

/* Once, `us` from now (below 2^31); again: from now. */
void wl_timer_start(struct wl_firmware* fw, const struct wl_hal* hal, enum wl_timer timer, uint32_t us);
bool wl_timer_runs(const struct wl_firmware* fw, enum wl_timer timer);
/* The interrupt of the TIMER block has come. */
void wl_timers_expired(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
