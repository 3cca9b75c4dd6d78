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
#include "models/firmware/host/request.h"

void wl_host_layout(struct wl_firmware* fw, struct wl_arena* tcm, uint32_t jobs_per_command);
void wl_host_boot(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_host_start(struct wl_firmware* fw, const struct wl_hal* hal); /* from here on the controller takes commands */
void wl_host_poll(struct wl_firmware* fw, const struct wl_hal* hal);  /* one piece of work */

bool wl_host_ready(const struct wl_firmware* fw); /* the host task has work */
bool wl_host_idle(const struct wl_firmware* fw);

/* ---- for the ftl task ---- */
bool wl_host_requested(const struct wl_firmware* fw);
const struct wl_request* wl_host_request(const struct wl_firmware* fw); /* the first; then wl_host_request_taken */
void wl_host_request_taken(struct wl_firmware* fw);
/* A job for the controller. */
void wl_host_reply(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job);
/* Tells the controller of an FDP event that concerns so many logical pages of a handle. */
void wl_host_placement_event(struct wl_firmware* fw, const struct wl_hal* hal, enum wl_placement_event event,
                             uint32_t handle, uint32_t lpages);

#endif
