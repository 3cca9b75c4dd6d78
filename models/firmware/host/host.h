/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The host task: between the NVMe controller and the ftl task, connected to it by two queues. It does not
 * depend on what lies behind them, nor does the ftl task on NVMe but for opcodes and status values.
 */
#ifndef WORDLINE_FIRMWARE_HOST_HOST_H
#define WORDLINE_FIRMWARE_HOST_HOST_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"

void wl_host_layout(struct wl_firmware* fw, struct wl_arena* tcm, uint32_t jobs_per_command);
void wl_host_boot(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_host_start(struct wl_firmware* fw, const struct wl_hal* hal); /* from here on the controller takes commands */
void wl_host_poll(struct wl_firmware* fw, const struct wl_hal* hal);  /* one piece of work */

static inline bool wl_host_ready(const struct wl_firmware* fw) { /* the host task has work */
  return fw->host.event_ring->produced != fw->host.event_ring->consumed || !wl_queue_empty(&fw->host.replies);
}
bool wl_host_idle(const struct wl_firmware* fw);

/* ---- for the ftl task ---- */
static inline bool wl_host_requested(const struct wl_firmware* fw) { return !wl_queue_empty(&fw->host.requests); }
static inline const struct wl_request* wl_host_request(
    const struct wl_firmware* fw) { /* the first; then wl_host_request_taken */
  return WL_QUEUE_OUT(&fw->host.requests, struct wl_request);
}
static inline void wl_host_request_taken(struct wl_firmware* fw) { wl_queue_pop(&fw->host.requests); }
/* A job for the controller. */
static inline void wl_host_reply(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job) {
  *WL_QUEUE_IN(&fw->host.replies, struct wl_host_job) = *job;
  wl_queue_push(&fw->host.replies, hal);
  wl_notify(fw, hal, WL_TASK_HOST);
}

#endif
