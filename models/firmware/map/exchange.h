/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where there are two page sizes: data that change from the map of the larger pages (map.h) to the region of the
 * smaller ones (region.h), and back.
 */
#ifndef WORDLINE_FIRMWARE_MAP_EXCHANGE_H
#define WORDLINE_FIRMWARE_MAP_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

/* Its data have arrived in a slot of a program unit of the region. */
void wl_map_region_put(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_slot_t slot);
struct wl_merge {
  wl_map_unit_t unit;
  wl_ppa_t from;     /* the larger page that was read; WL_NONE: none was */
  wl_slot_t slot;    /* its first, with the records */
  uint32_t sequence; /* of its records, with ftl.recovery */
};
/* A larger page is programmed at `to` that holds copies, by logical page in `source`: of the larger page, and of what
 * lay in the region. False: the host has begun to write the map unit meanwhile, all stays as it is. */
WL_MUST_CHECK bool wl_map_region_merge(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_merge* merge,
                                       const struct wl_gc_source* source, wl_ppa_t to);

#endif
