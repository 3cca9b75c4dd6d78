/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/idle.h"

#include "models/firmware/core/core.h"
#include "models/firmware/core/timers.h"
#include "models/firmware/persist/shutdown.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/slc_cache.h"
#include "models/firmware/space/space.h"

bool wl_idle_wanted(const struct wl_firmware* fw) {
  return fw->boot.ftl.idle_after_us != 0 && fw->policy->idle != NULL;
}

void wl_idle_boot(struct wl_firmware* fw) {
  wl_superblocks_silence_boot(fw);
  wl_host_silence(fw, wl_idle_wanted(fw) ? WL_SILENT : WL_SPOKE);
}

__attribute__((noinline)) void wl_idle_ends(struct wl_firmware* fw, const struct wl_hal* hal) {
  const bool runs = !wl_host_silent(fw);
  if (!runs) {
    wl_superblocks_silence_ends(fw);
    wl_kick(fw, WL_STEP_GC); /* what silence left undone may be urgent now */
  }
  wl_host_silence(fw, WL_SPOKE);
  wl_rest(fw, WL_STEP_IDLE);
  if (!runs) wl_timer_start(fw, hal, WL_TIMER_IDLE, fw->boot.ftl.idle_after_us);
}

__attribute__((noinline)) void wl_last_command_ends(struct wl_firmware* fw) {
  wl_pace_host_idle(fw);
  if (wl_silence(fw) == WL_BUSY) wl_kick(fw, WL_STEP_IDLE);
}

__attribute__((noinline)) void wl_idle_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_GC);
  if (wl_host_silent(fw)) {
    if (wl_has_slc_cache(fw)) wl_kick(fw, WL_STEP_GC); /* to fold it */
    if (!fw->policy->idle(fw, hal)) wl_rest(fw, WL_STEP_IDLE);
    return;
  }
  wl_rest(fw, WL_STEP_IDLE); /* the timer has expired, or the last command has ended */
  if (wl_service_state(fw)->active != 0 || wl_shutdown_runs(fw)) {
    wl_host_silence(fw, WL_BUSY);
    return;
  }
  if (wl_silence(fw) == WL_QUIET) {
    wl_superblocks_fall_silent(fw);
    wl_host_silence(fw, WL_SILENT);
    wl_kick(fw, WL_STEP_IDLE);
    return;
  }
  wl_host_silence(fw, WL_QUIET);
  wl_timer_start(fw, hal, WL_TIMER_IDLE, fw->boot.ftl.idle_after_us);
}
