/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The end of a namespace (Namespace Management, NVMe Base Specification 2.0, 5.23): the map forgets its logical pages,
 * so that the next one that lies there reads zeros. The controller has none of its commands under way meanwhile; those
 * of other namespaces go on.
 *
 * Known gap: the flash holds the data until GC erases it; a Format or a Sanitize erases at once.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_REMOVAL_H
#define WORDLINE_FIRMWARE_ADMIN_REMOVAL_H

#include "models/firmware/context.h"

/* Dwords 15:12 name the blocks. */
void wl_removal_begin(struct wl_firmware* fw, const uint32_t* dw);
bool wl_removal_runs(const struct wl_firmware* fw);
/* True: it is over. */
WL_MUST_CHECK bool wl_removal_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_removal_stop(struct wl_firmware* fw);

#endif
