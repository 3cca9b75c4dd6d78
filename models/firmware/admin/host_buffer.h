/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Host Memory Buffer (NVMe Base Specification 2.0, 5.27.1.10, 8.9): the host lends memory, which the cached map uses,
 * and takes it back. It has it when the answer has come: then no copy is on its way any more.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_HOST_BUFFER_H
#define WORDLINE_FIRMWARE_ADMIN_HOST_BUFFER_H

#include "models/firmware/context.h"

/* Set Features 0Dh: dword 11 is whether there is memory, dword 12 how many pages of 4 KiB. */
void wl_host_buffer_begin(struct wl_firmware* fw, const uint32_t* dw);
/* The controller has been reset: the memory is not the drive's any more. */
void wl_host_buffer_reset(struct wl_firmware* fw);
bool wl_host_buffer_runs(const struct wl_firmware* fw);
/* True: it is to be answered. */
WL_MUST_CHECK bool wl_host_buffer_step(struct wl_firmware* fw);

#endif
