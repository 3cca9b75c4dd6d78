/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/admission.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/list.h"
#include "models/firmware/core/timers.h"
#include "models/firmware/host/host.h"
#include "models/firmware/service/state.h"

#define TICK_US 100u
#define ONE 256             /* of a logical page, in tokens */
#define RATE_SHIFT 20u      /* of logical pages a microsecond */
#define RATE_MOST (1 << 27) /* 128 logical pages a microsecond */
#define FIRST_SHIFT 3u      /* the mean is over 2^shift ticks: more as it gets older */
#define LAST_SHIFT 13u
#define FILL_SHIFT 10u /* ticks in which the buffer comes back to its level */

void wl_admission_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (wl_admission_wanted(fw)) wl_service_state(fw)->admission = wl_arena_take(tcm, sizeof(struct wl_admission));
}

void wl_admission_boot(struct wl_firmware* fw) {
  static const struct wl_admission kFirst = {.shift = FIRST_SHIFT};
  if (wl_admission_wanted(fw)) *wl_service_state(fw)->admission = kFirst;
}

static bool is_limited(const struct wl_firmware* fw) { return wl_buffer_dirty(fw) > wl_units_host(fw) / 2; }

/* What was taken up since the last tick and is not in the buffer any more has gone to flash. */
static void measure(struct wl_firmware* fw, uint32_t us) {
  struct wl_admission* a = wl_service_state(fw)->admission;
  const uint32_t dirty = wl_buffer_dirty(fw);
  const int64_t drained = (int64_t)a->taken - (int64_t)((int32_t)(dirty - a->dirty)) * fw->geometry.unit_lpages;
  a->taken = 0;
  a->dirty = dirty;
  int64_t sample = drained * (1 << RATE_SHIFT) / us;
  if (sample > RATE_MOST) sample = RATE_MOST;
  if (sample < -RATE_MOST) sample = -RATE_MOST;
  a->rate += ((int32_t)sample - a->rate) / (1 << a->shift);
  if (++a->ticks >> (a->shift + 1) != 0 && a->shift != LAST_SHIFT) ++a->shift;
}

static void grant(struct wl_firmware* fw, uint32_t us) {
  struct wl_admission* a = wl_service_state(fw)->admission;
  const int32_t level = (int32_t)(wl_units_host(fw) * 3 / 4);
  const int64_t missing = (int64_t)(level - (int32_t)wl_buffer_dirty(fw)) * (int32_t)fw->geometry.unit_lpages;
  const int64_t mean = ((int64_t)a->rate * us) >> (RATE_SHIFT - 8);
  int64_t tokens = a->tokens + mean + missing * ONE * us / (TICK_US << FILL_SHIFT);
  const int64_t most = ONE + 2 * (mean > 0 ? mean : 0); /* what nobody took is not kept */
  if (tokens > most) tokens = most;
  if (tokens < -(int64_t)ONE * WL_LPAGE_BUDGET) tokens = -(int64_t)ONE * WL_LPAGE_BUDGET;
  a->tokens = (int32_t)tokens;
}

__attribute__((noinline, cold)) static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_admission* a = wl_service_state(fw)->admission;
  a->taken = 0;
  a->dirty = wl_buffer_dirty(fw);
  a->at = wl_read32(hal, WL_REGISTER(TIMER.NOW));
  wl_timer_start(fw, hal, WL_TIMER_ADMISSION, TICK_US);
}

__attribute__((noinline)) bool wl_admission_allows(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_admission* a = wl_service_view(fw)->admission;
  if (!is_limited(fw) || a->tokens > 0) return true;
  if (!wl_timer_runs(fw, WL_TIMER_ADMISSION)) begin(fw, hal);
  return false;
}

__attribute__((noinline)) void wl_admission_taken(struct wl_firmware* fw, uint32_t lpages) {
  struct wl_admission* a = wl_service_state(fw)->admission;
  a->taken += lpages;
  if (a->tokens > 0) a->tokens -= (int32_t)lpages * ONE;
}

__attribute__((noinline, cold)) void wl_admission_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_OP_WRITE);
  wl_rest(fw, WL_STEP_ADMISSION);
  struct wl_admission* a = wl_service_state(fw)->admission;
  const uint32_t now = wl_read32(hal, WL_REGISTER(TIMER.NOW));
  const uint32_t us = now - a->at;
  a->at = now;
  if (us != 0) {
    measure(fw, us);
    grant(fw, us);
  }
  if (wl_list_empty(&wl_service_view(fw)->writes)) return;
  wl_kick(fw, WL_STEP_WRITE);
  wl_timer_start(fw, hal, WL_TIMER_ADMISSION, TICK_US);
}
