/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ring of jobs for the NVMe controller.
 */
#ifndef WORDLINE_FIRMWARE_HOST_JOB_RING_H
#define WORDLINE_FIRMWARE_HOST_JOB_RING_H

#include "models/firmware/context.h"

void wl_host_post(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job);

#endif
