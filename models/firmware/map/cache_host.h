/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Map pages between the cache and host memory. The controller moves them (contract/host_ring.h): it checks what comes
 * back, since the host may have written there.
 */
#ifndef WORDLINE_FIRMWARE_MAP_CACHE_HOST_H
#define WORDLINE_FIRMWARE_MAP_CACHE_HOST_H

#include "models/firmware/map/cache.h"
#include "models/firmware/map/cache_state.h"

/* A copy of the map page is in host memory, and as many moves are under way as there may be: not now. */
WL_MUST_CHECK bool wl_map_fetch_waits(struct wl_firmware* fw, uint32_t page);
/* Fetches the copy of the map page, if there is one, into its frame. False: there is none. */
WL_MUST_CHECK bool wl_map_fetch(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page);
/* The frame is as flash has it: puts a copy into host memory, if there is room. */
void wl_map_store(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_frame* frame);

#endif
