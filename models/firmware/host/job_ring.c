/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/host/job_ring.h"

#include "models/firmware/core/core.h"
#include "models/firmware/host/state.h"

void wl_host_post(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job) {
  const uint32_t produced = wl_host_state(fw)->job_ring->produced;
  WL_ASSERT(hal, produced - wl_host_state(fw)->job_ring->consumed <= wl_host_state(fw)->job_mask);
  wl_host_state(fw)->jobs[produced & wl_host_state(fw)->job_mask] = *job;
  WL_FENCE();
  wl_host_state(fw)->job_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(NVME.JOB_DOORBELL), produced + 1);
}
