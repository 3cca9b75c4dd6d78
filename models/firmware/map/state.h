/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the map: both tables lie in DRAM.
 */
#ifndef WORDLINE_FIRMWARE_MAP_STATE_H
#define WORDLINE_FIRMWARE_MAP_STATE_H

#include <stdint.h>

#include "models/firmware/contract/map.h"

/* Where the map unit is the page (boot.ftl.map_page): by page, with first places and first slots. */
struct wl_map {
  uint32_t* l2p;                /* by exported sector: wl_map values */
  uint32_t* p2l;                /* by place: wl_owner values */
  struct wl_presence* presence; /* by exported page, where the map unit is the page; not yet for WL_MAP_INITIAL */
};

#endif
