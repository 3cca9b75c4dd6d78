/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The flash task: jobs of the ftl task go to the ring of their die's channel, completions come back.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"

static void submit(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_media* m = &fw->media;
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
  struct wl_media* m = &fw->media;
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
  if (fw->media.completion_ring->produced != fw->media.completion_ring->consumed) complete(fw, hal);
  if (!wl_queue_empty(&fw->media.to_flash)) submit(fw, hal);
}
