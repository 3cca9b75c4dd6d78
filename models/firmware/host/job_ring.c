/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/host/job_ring.h"

#include "models/firmware/core/core.h"

void wl_host_post(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job) {
  const uint32_t produced = fw->host.job_ring->produced;
  WL_ASSERT(hal, produced - fw->host.job_ring->consumed <= fw->host.job_mask);
  fw->host.jobs[produced & fw->host.job_mask] = *job;
  WL_FENCE();
  fw->host.job_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(NVME.JOB_DOORBELL), produced + 1);
}
