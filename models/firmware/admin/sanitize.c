/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/sanitize.h"

#include "models/firmware/admin/erasure.h"
#include "models/firmware/admin/page.h"
#include "models/firmware/admin/state.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"

enum { PROGRESS = 0, STATUS = 2, COMMAND = 4, ESTIMATES = 8, ESTIMATES_END = 32 }; /* bytes of the page */
#define NOT_RUNNING 0xffffu
#define NO_ESTIMATE 0xffffffffu
#define NOTHING_WRITTEN_SINCE (1u << 8)

static uint32_t writes(const struct wl_hal* hal) { return wl_read32(hal, WL_REGISTER(NVME.WRITE_COMMANDS)); }

uint32_t wl_sanitize_begin(struct wl_firmware* fw, uint32_t dw10) {
  const uint32_t status = wl_erasure_begin(fw);
  if (status != WL_STATUS_OK) return status;
  wl_admin_state(fw)->sanitized = WL_SANITIZE_RUNS;
  wl_admin_state(fw)->sanitize_dw10 = dw10;
  return WL_STATUS_OK;
}

bool wl_sanitizes(const struct wl_firmware* fw) { return wl_admin_view(fw)->sanitized == WL_SANITIZE_RUNS; }

void wl_sanitize_ends(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_admin_state(fw)->sanitized = WL_SANITIZE_DONE;
  wl_admin_state(fw)->sanitize_writes = writes(hal);
}

void wl_sanitize_log(const struct wl_firmware* fw, const struct wl_hal* hal, uint8_t* page) {
  const struct wl_admin* a = wl_admin_view(fw);
  wl_page_clear(page, WL_LOG_BYTES);
  uint32_t status = a->sanitized;
  if (status == WL_SANITIZE_DONE && writes(hal) == a->sanitize_writes) status |= NOTHING_WRITTEN_SINCE;
  const uint32_t progress = wl_erasure_progress(fw);
  wl_page_put(page, PROGRESS, 2, !wl_sanitizes(fw) ? NOT_RUNNING : progress < NOT_RUNNING ? progress : NOT_RUNNING - 1);
  wl_page_put(page, STATUS, 2, status);
  wl_page_put(page, COMMAND, 4, a->sanitize_dw10);
  for (uint32_t at = ESTIMATES; at != ESTIMATES_END; at += 4) wl_page_put(page, at, 4, NO_ESTIMATE);
}
