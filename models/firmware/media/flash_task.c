/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The flash task: jobs of the ftl task go to the ring of their die's channel, completions come back.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/media/state.h"

bool wl_flash_ready(const struct wl_firmware* fw) {
  return wl_media_view(fw)->completion_ring->produced != wl_media_view(fw)->completion_ring->consumed ||
         !wl_queue_empty(&wl_media_view(fw)->to_flash);
}

bool wl_media_completed(const struct wl_firmware* fw) {
  return wl_media_view(fw)->from_flash.produced != wl_media_view(fw)->seen;
}

static void submit(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_media* m = wl_media_state(fw);
  FW_TASK(hal, WL_COST_FLASH_SUBMIT);
  const struct wl_flash_job* job = WL_QUEUE_OUT(&m->to_flash, struct wl_flash_job);
  FW_FOR(hal, m->jobs[job->id].command, job->tag);
  const uint32_t channel = job->die % fw->boot.channels;
  struct wl_ring* ring = m->channel_ring[channel];
  const uint32_t produced = ring->produced;
  WL_ASSERT(hal, produced - ring->consumed <= m->channel_mask);
  m->channel_jobs[channel][produced & m->channel_mask] = *job;
  m->job_tag[job->id] = job->tag;
  wl_queue_pop(&m->to_flash);
  ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER_AT(CHANNEL, channel, JOB_DOORBELL), produced + 1);
}

static void complete(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_media* m = wl_media_state(fw);
  FW_TASK(hal, WL_COST_FLASH_DONE);
  const uint32_t consumed = m->completion_ring->consumed;
  const struct wl_flash_completion* done = &m->completions[consumed & m->completion_mask];
  WL_ASSERT(hal, done->id < m->job_count);
  const uint32_t tag = m->job_tag[done->id];
  FW_FOR(hal, m->jobs[done->id].command, tag);
  *WL_QUEUE_IN(&m->from_flash, struct wl_flash_completion) = *done;
  wl_queue_push(&m->from_flash, hal);
  m->completion_ring->consumed = consumed + 1;
  wl_notify(fw, hal, WL_TASK_FTL);
}

void wl_flash_poll(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_media_state(fw)->completion_ring->produced != wl_media_state(fw)->completion_ring->consumed) complete(fw, hal);
  if (!wl_queue_empty(&wl_media_state(fw)->to_flash)) submit(fw, hal);
}
