/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/removal.h"

#include "models/firmware/admin/self_test.h"
#include "models/firmware/admin/state.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/map/map.h"

void wl_removal_begin(struct wl_firmware* fw, const uint32_t* dw) {
  struct wl_admin* a = wl_admin_state(fw);
  const uint64_t first = (uint64_t)dw[WL_DW13] << 32u | dw[WL_DW12];
  const uint64_t blocks = (uint64_t)dw[WL_DW15] << 32u | dw[WL_DW14];
  a->removes = true;
  a->removal_next = (wl_lpn_t)(first >> fw->boot.ftl.lpage_shift);
  a->removal_end = (wl_lpn_t)((first + blocks) >> fw->boot.ftl.lpage_shift);
  wl_self_test_remove(fw, a->removal_next, a->removal_end);
  wl_kick(fw, WL_STEP_ADMIN);
}

bool wl_removal_runs(const struct wl_firmware* fw) { return wl_admin_view(fw)->removes; }

void wl_removal_stop(struct wl_firmware* fw) { wl_admin_state(fw)->removes = false; }

bool wl_removal_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_admin* a = wl_admin_state(fw);
  for (uint32_t budget = WL_LPAGE_BUDGET; budget != 0 && a->removal_next != a->removal_end; --budget) {
    FW_TASK(hal, WL_COST_FTL_TRIM_SECTOR);
    wl_map_set_gone(fw, hal, a->removal_next++, WL_MAP_DEALLOCATED);
  }
  wl_kick(fw, WL_STEP_ADMIN);
  a->removes = a->removal_next != a->removal_end;
  return !a->removes;
}
