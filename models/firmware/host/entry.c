/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/host/entry.h"

#include "models/firmware/host/host.h"
#include "models/firmware/host/job_ring.h"
#include "models/firmware/host/state.h"

#define DIRECTIVE_SHIFT 20u /* DTYPE, in the dword of the length */
#define DIRECTIVE_MASK 15u
#define DATA_PLACEMENT 2u
#define SPECIFIC_SHIFT 16u /* DSPEC: a placement identifier is the number of the handle */

void wl_entry_post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t tag, uint32_t status,
                   uint32_t count) {
  struct wl_host_job job = {0};
  job.op = (uint8_t)op;
  job.tag = (uint16_t)tag;
  job.status = (uint16_t)(status == WL_STATUS_OK ? status : status | WL_STATUS_DNR);
  job.count = (uint16_t)count;
  wl_host_post(fw, hal, &job);
}

uint32_t wl_entry_check_directive(const struct wl_firmware* fw, const uint32_t* dw) {
  const uint32_t directive = dw[WL_DW_LENGTH] >> DIRECTIVE_SHIFT & DIRECTIVE_MASK;
  return wl_has_handles(fw) && directive != 0 && directive != DATA_PLACEMENT ? WL_STATUS_INVALID_FIELD : WL_STATUS_OK;
}

uint8_t wl_entry_handle(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw) {
  if ((dw[WL_DW_LENGTH] >> DIRECTIVE_SHIFT & DIRECTIVE_MASK) != DATA_PLACEMENT) return 0;
  const uint32_t handle = dw[WL_DW_PLACEMENT] >> SPECIFIC_SHIFT;
  if (handle < fw->boot.ftl.placement.handles) return (uint8_t)handle;
  struct wl_host_job job = {0};
  job.op = WL_JOB_PLACEMENT_EVENT;
  job.flags = WL_PLACEMENT_INVALID;
  job.tag = WL_NO_TAG;
  job.status = (uint16_t)handle;
  wl_host_post(fw, hal, &job);
  return 0;
}
