/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/gc.h"

#include "models/firmware/core/core.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/space/space.h"

static bool choose(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC);
  if (!fw->policy->collect(fw)) {
    wl_lines_forget_answer(fw);
    return false;
  }
  const uint32_t line = fw->policy->victim(fw, hal);
  if (line == WL_ASKED) return false;
  if (line == WL_NONE) {
    wl_space_starve(fw);
    wl_mover_flush(fw, hal);
    return false;
  }
  wl_line_take(fw, line);
  wl_mover_begin(fw, line);
  ++fw->statistics.gc_lines;
  return true;
}

void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_mover_busy(fw) && !choose(fw, hal)) {
    wl_rest(fw, WL_STEP_GC);
    return;
  }
  if (wl_mover_step(fw, hal) == WL_WAIT) wl_rest(fw, WL_STEP_GC);
}
