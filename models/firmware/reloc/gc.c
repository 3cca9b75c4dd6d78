/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/gc.h"

#include "models/firmware/core/core.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

static bool take(struct wl_firmware* fw, uint32_t line) {
  if (wl_host_silent(fw)) wl_lines_spend_silence(fw);
  wl_line_take(fw, line);
  wl_mover_begin(fw, line);
  ++fw->statistics.gc_lines;
  return true;
}

/* The host waits for lines: they must not wait for company in a unit. */
static void bring_lines_back(struct wl_firmware* fw, const struct wl_hal* hal) {
  const bool waits = wl_lines_short(fw) && wl_lines_erasing(fw) == 0;
  if (waits || wl_small_lines_short(fw)) wl_mover_flush(fw, hal);
}

static bool choose(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC);
  const uint32_t urgent = wl_line_urgent(fw);
  if (urgent != WL_NONE) return take(fw, urgent);
  if (!fw->policy->collect(fw)) {
    wl_lines_forget_answer(fw);
    bring_lines_back(fw, hal);
    return false;
  }
  if (wl_lines_wait_for_classes(fw)) {
    wl_lines_forget_answer(fw);
    wl_mover_flush(fw, hal);
    return false;
  }
  const bool gains = wl_lines_can_win(fw) || wl_has_small_pages(fw); /* then the policy looks */
  const uint32_t line = gains ? fw->policy->victim(fw, hal) : WL_NONE;
  if (line == WL_ASKED) {
    if (wl_small_lines_wait(fw)) bring_lines_back(fw, hal); /* what they wait for may wait for a line */
    return false;
  }
  if (line == WL_NONE) {
    wl_space_starve(fw);
    wl_pace_give_up(fw);
    wl_mover_flush(fw, hal);
    return false;
  }
  return take(fw, line);
}

__attribute__((noinline)) void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_mover_busy(fw) && !choose(fw, hal)) {
    if (!wl_mover_idle(fw, hal)) wl_rest(fw, WL_STEP_GC);
    return;
  }
  if (wl_mover_step(fw, hal) == WL_WAIT) wl_rest(fw, WL_STEP_GC);
}
