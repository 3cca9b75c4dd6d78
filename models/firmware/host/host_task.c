/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The host task: events of the NVMe controller become requests to the ftl task, its replies become jobs of the
 * controller. With a power-safe buffer FLUSH has nothing to wait for and is completed here. Without WL_ENGINE_PARSE the
 * commands come as the host wrote them: see parse.c.
 */
#include "models/firmware/core/rings.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/host/host.h"
#include "models/firmware/host/job_ring.h"
#include "models/firmware/host/parse.h"
#include "models/firmware/host/state.h"

#define ADMIN_JOBS 8u /* answers and events before the controller has taken the first: more than there can be */

bool wl_host_ready(const struct wl_firmware* fw) {
  return wl_host_view(fw)->event_ring->produced != wl_host_view(fw)->event_ring->consumed ||
         !wl_queue_empty(&wl_host_view(fw)->replies);
}

bool wl_host_requested(const struct wl_firmware* fw) { return !wl_queue_empty(&wl_host_view(fw)->requests); }
const struct wl_request* wl_host_request(const struct wl_firmware* fw) {
  return WL_QUEUE_OUT(&wl_host_view(fw)->requests, struct wl_request);
}

void wl_host_request_taken(struct wl_firmware* fw) { wl_queue_pop(&wl_host_state(fw)->requests); }
void wl_host_reply(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job) {
  *WL_QUEUE_IN(&wl_host_state(fw)->replies, struct wl_host_job) = *job;
  wl_queue_push(&wl_host_state(fw)->replies, hal);
  wl_notify(fw, hal, WL_TASK_HOST);
}

void wl_host_placement_event(struct wl_firmware* fw, const struct wl_hal* hal, enum wl_placement_event event,
                             uint32_t handle, uint32_t lpages) {
  struct wl_host_job job = {0};
  job.op = WL_JOB_PLACEMENT_EVENT;
  job.flags = (uint8_t)event;
  job.tag = WL_NO_TAG;
  job.status = (uint16_t)handle;
  job.lpage = lpages << fw->boot.ftl.lpage_shift;
  wl_host_reply(fw, hal, &job);
}

void wl_host_layout(struct wl_firmware* fw, struct wl_arena* tcm, uint32_t jobs_per_command) {
  struct wl_host* h = wl_host_state(fw);
  const struct wl_boot_info* b = &fw->boot;
  const uint32_t moves = WL_HAS_LARGE_MAPS && b->ftl.host_pages != 0 ? WL_HOST_BUFFER_MOVES : 0;
  const uint32_t events =
      wl_power_of_two(b->host_tags * (1 + WL_DMA_JOBS_PER_TAG) + WL_DSM_RANGES + WL_ADMIN_EVENTS + moves);
  const uint32_t jobs = wl_power_of_two(b->host_tags * jobs_per_command + ADMIN_JOBS + moves);
  h->event_mask = events - 1;
  h->event_ring = wl_ring_take(tcm, events, sizeof(struct wl_host_event));
  h->events = wl_ring_entries(h->event_ring);
  h->job_mask = jobs - 1;
  h->job_ring = wl_ring_take(tcm, jobs, sizeof(struct wl_host_job));
  h->jobs = wl_ring_entries(h->job_ring);
  wl_queue_take(&h->requests, tcm, events, sizeof(struct wl_request));
  wl_queue_take(&h->replies, tcm, jobs, sizeof(struct wl_host_job));
  h->tag_opcode = wl_arena_take(tcm, b->host_tags);
  if (wl_has_engines(fw, WL_ENGINE_PARSE)) return;
  h->entries = wl_arena_take(tcm, (uint64_t)b->host_tags * sizeof(h->entries[0]));
  h->extents = wl_arena_take(tcm, (uint64_t)b->host_tags * sizeof(h->extents[0]));
  h->ranges = wl_arena_take(tcm, WL_DSM_RANGES * sizeof(h->ranges[0]));
  h->namespaces = wl_arena_take(tcm, sizeof(*h->namespaces));
}

void wl_host_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_host* h = wl_host_state(fw);
  wl_write32(hal, WL_REGISTER(NVME.EVENT_RING_BASE), wl_bus_address(hal, h->event_ring));
  wl_write32(hal, WL_REGISTER(NVME.EVENT_RING_SIZE), h->event_mask + 1);
  wl_write32(hal, WL_REGISTER(NVME.JOB_RING_BASE), wl_bus_address(hal, h->job_ring));
  wl_write32(hal, WL_REGISTER(NVME.JOB_RING_SIZE), h->job_mask + 1);
  if (wl_has_engines(fw, WL_ENGINE_PARSE)) return;
  h->range_tag = WL_NONE;
  h->max_blocks = wl_read32(hal, WL_REGISTER(NVME.MAX_TRANSFER));
  wl_write32(hal, WL_REGISTER(NVME.COMMAND_TABLE), wl_bus_address(hal, h->entries));
  wl_write32(hal, WL_REGISTER(NVME.EXTENT_TABLE), wl_bus_address(hal, h->extents));
  wl_write32(hal, WL_REGISTER(NVME.RANGE_TABLE), wl_bus_address(hal, h->ranges));
  wl_write32(hal, WL_REGISTER(NVME.NAMESPACE_TABLE), wl_bus_address(hal, h->namespaces));
}

void wl_host_start(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)fw;
  wl_write32(hal, WL_REGISTER(NVME.CONTROL), 1);
}

bool wl_host_idle(const struct wl_firmware* fw) {
  const struct wl_host* h = wl_host_view(fw);
  if (!wl_queue_empty(&h->requests) || !wl_queue_empty(&h->replies) || h->fetches != 0) return false;
  /* Quiet notifications of completed reads may be left: no command waits for them. */
  for (uint32_t i = h->event_ring->consumed; i != h->event_ring->produced; ++i)
    if (h->events[i & h->event_mask].type != WL_EVENT_DMA_DONE) return false;
  return true;
}

static void take_reply(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_HOST_REPLY);
  const struct wl_host_job* job = WL_QUEUE_OUT(&wl_host_state(fw)->replies, struct wl_host_job);
  if (__builtin_expect(job->tag == WL_NO_TAG, 0))
    FW_COMMAND(hal, WL_COMMAND_ADMIN);
  else
    FW_FOR(hal, wl_host_state(fw)->tag_opcode[job->tag], job->tag);
  wl_host_post(fw, hal, job);
  wl_queue_pop(&wl_host_state(fw)->replies);
}

static void take_event(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t consumed = wl_host_state(fw)->event_ring->consumed;
  const struct wl_host_event* e = &wl_host_state(fw)->events[consumed & wl_host_state(fw)->event_mask];
  struct wl_request* r = WL_QUEUE_IN(&wl_host_state(fw)->requests, struct wl_request);
  if (e->type == WL_EVENT_DMA_DONE) {
    FW_TASK(hal, WL_COST_HOST_DMA_DONE);
    FW_COMMAND(hal, wl_host_state(fw)->tag_opcode[e->tag]); /* the command itself may be completed */
    r->op = WL_REQUEST_DMA_DONE;
    r->flags = e->flags;
    r->tag = e->tag;
  } else if (e->type == WL_EVENT_ADMIN) {
    FW_TASK(hal, WL_COST_HOST_OTHER);
    FW_COMMAND(hal, WL_COMMAND_ADMIN);
    r->op = WL_REQUEST_ADMIN;
    r->flags = e->flags;
    r->tag = e->tag;
    r->first = e->count;
#if WL_HAS_LARGE_MAPS
  } else if (e->type == WL_EVENT_COPY) {
    FW_TASK(hal, WL_COST_HOST_DMA_DONE);
    FW_COMMAND(hal, WL_COMMAND_GC);
    r->op = WL_REQUEST_COPY;
    r->flags = e->flags;
    r->first = e->slot;
#endif
  } else if (e->type != WL_EVENT_COMMAND) {
    if (wl_parse_event(fw, hal, e)) wl_host_state(fw)->event_ring->consumed = consumed + 1;
    return;
  } else {
    WL_ASSERT(hal, e->tag < fw->boot.host_tags);
    FW_TASK(hal, e->opcode == WL_OP_READ    ? WL_COST_HOST_READ
                 : e->opcode == WL_OP_WRITE ? WL_COST_HOST_WRITE
                                            : WL_COST_HOST_OTHER);
    FW_FOR(hal, e->opcode, e->tag);
    wl_host_state(fw)->tag_opcode[e->tag] = e->opcode;
    if (e->opcode == WL_OP_FLUSH && fw->boot.power_safe) {
      struct wl_host_job job = {0};
      job.op = WL_JOB_COMPLETE;
      job.tag = e->tag;
      WL_FENCE();
      wl_host_state(fw)->event_ring->consumed = consumed + 1;
      wl_host_post(fw, hal, &job);
      return;
    }
    r->op = e->opcode;
    r->flags = e->flags;
    r->tag = e->tag;
    r->lpn = wl_lpage_of_lba(fw, (uint32_t)e->slba, (uint32_t)(e->slba >> 32));
    r->first = wl_lba_in_lpage(fw, (uint32_t)e->slba);
    r->blocks = e->blocks;
  }
  wl_queue_push(&wl_host_state(fw)->requests, hal);
  wl_host_state(fw)->event_ring->consumed = consumed + 1;
  wl_notify(fw, hal, WL_TASK_FTL);
}

void wl_host_poll(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_queue_empty(&wl_host_state(fw)->replies)) take_reply(fw, hal);
  if (wl_host_state(fw)->event_ring->produced != wl_host_state(fw)->event_ring->consumed) take_event(fw, hal);
}
