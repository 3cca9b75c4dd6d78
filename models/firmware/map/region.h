/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where there are two page sizes: the map of the region with the smaller pages, whose map unit is the logical page,
 * beside the map of the larger pages (map.h). A bit for each logical page says which of the two has it; logical pages
 * of a unit of larger pages that are in the region leave holes in it. Source: the region bit table of Kim et al., TVLSI
 * 2016, section IV-B.
 *
 * Costs: a bit and 4 bytes for a logical page.
 */
#ifndef WORDLINE_FIRMWARE_MAP_REGION_H
#define WORDLINE_FIRMWARE_MAP_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_map_region_layout(struct wl_firmware* fw, struct wl_arena* dram);

bool wl_map_in_region(const struct wl_firmware* fw, wl_lpn_t lpn);
/* wl_map value of a logical page in the region. */
wl_map_value_t wl_map_region_get(const struct wl_firmware* fw, wl_lpn_t lpn);

/* The region holds the logical page no more; nor `lpages` of a map unit of larger pages. */
void wl_map_region_drop(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn);
void wl_map_region_leave(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, uint32_t lpages);
/* A program unit of the host is programmed in the region: returns how many of its logical pages are valid. */
WL_MUST_CHECK uint32_t wl_map_region_commit(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
/* Logical page whose valid data, or tombstone, lie in the region at `ppa`, or WL_NONE. */
wl_lpn_t wl_map_region_at(const struct wl_firmware* fw, wl_ppa_t ppa);
#endif
