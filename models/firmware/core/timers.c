/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/core/timers.h"

#include "models/firmware/core/core.h"
#include "models/firmware/core/state.h"

static const uint32_t kStep[WL_TIMER_COUNT] = {WL_STEP_IDLE, WL_STEP_PATROL, WL_STEP_ADMISSION};

/* The TIMER block waits for the first deadline. Zero stops it: a deadline of zero is a microsecond late. */
static void set(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t now) {
  const struct wl_timers* t = &wl_core_state(fw)->timers;
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < WL_TIMER_COUNT; ++i)
    if ((t->running & 1u << i) != 0 && t->deadline[i] - now < least) least = t->deadline[i] - now;
  uint32_t compare = now + least;
  if (compare == 0) compare = 1;
  wl_write32(hal, WL_REGISTER(TIMER.COMPARE), t->running == 0 ? 0 : compare);
}

__attribute__((noinline)) void wl_timer_start(struct wl_firmware* fw, const struct wl_hal* hal, enum wl_timer timer,
                                              uint32_t us) {
  const uint32_t now = wl_read32(hal, WL_REGISTER(TIMER.NOW));
  wl_core_state(fw)->timers.running |= 1u << timer;
  wl_core_state(fw)->timers.deadline[timer] = now + us;
  set(fw, hal, now);
}

bool wl_timer_runs(const struct wl_firmware* fw, enum wl_timer timer) {
  return (wl_core_view(fw)->timers.running & 1u << timer) != 0;
}

__attribute__((noinline)) void wl_timers_expired(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_timers* t = &wl_core_state(fw)->timers;
  const uint32_t now = wl_read32(hal, WL_REGISTER(TIMER.NOW));
  for (uint32_t i = 0; i < WL_TIMER_COUNT; ++i) {
    if ((t->running & 1u << i) == 0 || (int32_t)(t->deadline[i] - now) > 0) continue;
    t->running &= ~(1u << i);
    wl_kick(fw, kStep[i]);
  }
  set(fw, hal, now);
}
