/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/host_buffer.h"

#include "models/firmware/admin/state.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/map/cache.h"

#if WL_HAS_LARGE_MAPS

#define ENABLE (1u << 0)   /* of dword 11 */
#define HOST_PAGE_SHIFT 3u /* LBAs of 512 bytes in 4 KiB */

void wl_host_buffer_begin(struct wl_firmware* fw, const uint32_t* dw) {
  struct wl_admin* a = wl_admin_state(fw);
  a->lends = true;
  a->lent = (dw[WL_DW11] & ENABLE) == 0 ? 0 : dw[WL_DW12] << (HOST_PAGE_SHIFT - fw->boot.ftl.lpage_shift);
  wl_map_host_buffer(fw, 0);
  wl_kick(fw, WL_STEP_ADMIN);
}

void wl_host_buffer_reset(struct wl_firmware* fw) {
  if (fw->boot.ftl.host_pages != 0) wl_map_host_buffer(fw, 0);
}

bool wl_host_buffer_runs(const struct wl_firmware* fw) { return wl_admin_view(fw)->lends; }

bool wl_host_buffer_step(struct wl_firmware* fw) {
  struct wl_admin* a = wl_admin_state(fw);
  if (!wl_map_host_buffer_rests(fw)) return false; /* the last move kicks */
  a->lends = false;
  wl_map_host_buffer(fw, a->lent);
  return true;
}

#endif
