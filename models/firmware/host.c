/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The host task: events of the NVMe controller become requests to the ftl task, its replies become jobs of the controller.
 * With a power-safe buffer FLUSH has nothing to wait for and is completed here. Without WL_ENGINE_PARSE the commands come as the
 * host wrote them: see parse.c.
 */
#include "models/firmware/tasks.h"

void wl_post_host_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job) {
  const uint32_t produced = fw->host_job_ring->produced;
  WL_ASSERT(hal, produced - fw->host_job_ring->consumed <= fw->host_job_mask);
  fw->host_jobs[produced & fw->host_job_mask] = *job;
  WL_FENCE();
  fw->host_job_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(NVME.JOB_DOORBELL), produced + 1);
}

static void take_reply(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_HOST_REPLY);
  const struct wl_host_job* job = WL_QUEUE_OUT(&fw->ftl_to_host, struct wl_host_job);
  FW_COMMAND(hal, fw->tag_opcode[job->tag]);
  wl_post_host_job(fw, hal, job);
  wl_queue_pop(&fw->ftl_to_host);
}

static void take_event(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t consumed = fw->event_ring->consumed;
  const struct wl_host_event* e = &fw->events[consumed & fw->event_mask];
  struct wl_request* r = WL_QUEUE_IN(&fw->host_to_ftl, struct wl_request);
  if (e->type == WL_EVENT_DMA_DONE) {
    FW_TASK(hal, WL_COST_HOST_DMA_DONE);
    FW_COMMAND(hal, fw->tag_opcode[e->tag]);
    r->op = WL_REQUEST_DMA_DONE;
    r->tag = e->tag;
  } else if (e->type != WL_EVENT_COMMAND) {
    if (wl_parse_event(fw, hal, e)) fw->event_ring->consumed = consumed + 1;
    return;
  } else {
    WL_ASSERT(hal, e->tag < fw->boot.host_tags);
    FW_TASK(hal, e->opcode == WL_OP_READ    ? WL_COST_HOST_READ
                 : e->opcode == WL_OP_WRITE ? WL_COST_HOST_WRITE
                                            : WL_COST_HOST_OTHER);
    FW_COMMAND(hal, e->opcode);
    fw->tag_opcode[e->tag] = e->opcode;
    wl_mark(hal, e->tag, WL_MARK_FW_START);
    if (e->opcode == WL_OP_FLUSH && fw->boot.power_safe) {
      struct wl_host_job job = {0};
      job.op = WL_JOB_COMPLETE;
      job.tag = e->tag;
      WL_FENCE();
      fw->event_ring->consumed = consumed + 1;
      wl_post_host_job(fw, hal, &job);
      return;
    }
    r->op = e->opcode;
    r->flags = e->flags;
    r->tag = e->tag;
    r->lpn = (uint32_t)(e->slba >> 3);
    r->first = (uint32_t)e->slba & 7;
    r->blocks = e->blocks;
  }
  wl_queue_push(&fw->host_to_ftl, hal);
  fw->event_ring->consumed = consumed + 1;
  wl_notify(fw, hal, WL_TASK_FTL);
}

void wl_host_poll(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_queue_empty(&fw->ftl_to_host)) take_reply(fw, hal);
  if (fw->event_ring->produced != fw->event_ring->consumed) take_event(fw, hal);
}
