/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ftl task: takes up requests of the host task, completions of flash jobs and answers of engines, and runs the
 * steps that may go on.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_FTL_TASK_H
#define WORDLINE_FIRMWARE_SERVICE_FTL_TASK_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/host/host.h"
#include "models/firmware/media/media.h"

void wl_ftl_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_ftl_boot(struct wl_firmware* fw);
static inline bool wl_ftl_ready(const struct wl_firmware* fw) { /* it has work */
  return wl_kicked(fw) != 0 || wl_host_requested(fw) || wl_media_completed(fw) || wl_engines_answered(fw);
}
/* One round. WL_STEP_ADMIN is left to the room above. */
void wl_ftl_poll(struct wl_firmware* fw, const struct wl_hal* hal);
/* The admin command that has come, once. False: none. */
WL_MUST_CHECK bool wl_ftl_admin_request(struct wl_firmware* fw, struct wl_request* request);
bool wl_ftl_idle(const struct wl_firmware* fw);

#endif
