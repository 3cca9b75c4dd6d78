/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The flash task: jobs of the ftl task go to the ring of their die's channel, completions come back.
 */
#include "models/firmware/tasks.h"

/* Jobs without a host tag are programs of host data, or the collector's. */
static void mark_command(const struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t id) {
  if (tag != WL_NO_TAG)
    FW_COMMAND(hal, fw->tag_opcode[tag]);
  else
    FW_COMMAND(hal, wl_job_command(fw, &fw->jobs[id]));
}

static void submit(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FLASH_SUBMIT);
  const struct wl_flash_job* job = WL_QUEUE_OUT(&fw->ftl_to_flash, struct wl_flash_job);
  mark_command(fw, hal, job->tag, job->id);
  const uint32_t channel = job->die % fw->boot.channels;
  struct wl_ring* ring = fw->channel_ring[channel];
  const uint32_t produced = ring->produced;
  WL_ASSERT(hal, produced - ring->consumed <= fw->channel_mask);
  fw->channel_jobs[channel][produced & fw->channel_mask] = *job;
  fw->job_tag[job->id] = job->tag;
  wl_queue_pop(&fw->ftl_to_flash);
  ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER_AT(CHANNEL, channel, JOB_DOORBELL), produced + 1);
}

static void complete(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FLASH_DONE);
  const uint32_t consumed = fw->completion_ring->consumed;
  const struct wl_flash_completion* done = &fw->completions[consumed & fw->completion_mask];
  WL_ASSERT(hal, done->id < fw->job_count);
  const uint32_t tag = fw->job_tag[done->id];
  mark_command(fw, hal, tag, done->id);
  if (tag != WL_NO_TAG) wl_mark(hal, tag, WL_MARK_FW_RESUME);
  *WL_QUEUE_IN(&fw->flash_to_ftl, struct wl_flash_completion) = *done;
  wl_queue_push(&fw->flash_to_ftl, hal);
  fw->completion_ring->consumed = consumed + 1;
  wl_notify(fw, hal, WL_TASK_FTL);
}

void wl_flash_poll(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (fw->completion_ring->produced != fw->completion_ring->consumed) complete(fw, hal);
  if (!wl_queue_empty(&fw->ftl_to_flash)) submit(fw, hal);
}
