/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Data that change from larger pages (pages.h) to smaller ones (small_pages.h), and back.
 */
#ifndef WORDLINE_FIRMWARE_MAP_TWO_SIZES_H
#define WORDLINE_FIRMWARE_MAP_TWO_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

/* Its data have arrived in a slot of a unit of small pages. */
void wl_map_small_put(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot);
/* A page is programmed at `to` that holds copies, by sector in `source`: what lay in the larger page at `from`
 * (WL_NONE: nothing did), and what lay in small pages. False: the host has begun to write the page meanwhile, all stays
 * as it is.
 */
bool wl_map_page_merge(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t from,
                       const struct wl_gc_source* source, uint32_t to);

#endif
