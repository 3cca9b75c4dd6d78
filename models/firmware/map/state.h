/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the map: both tables lie in DRAM.
 */
#ifndef WORDLINE_FIRMWARE_MAP_STATE_H
#define WORDLINE_FIRMWARE_MAP_STATE_H

#include <stdint.h>

#include "models/firmware/contract/map.h"

#define WL_HAZARDS 1024u

/* By a write of a part; there is one at a time. */
enum wl_hazard_lock { WL_UNLOCKED, WL_LOCKED, WL_LOCKED_IN_PLACE };

/* Where the map unit is the page (boot.ftl.map_page): by page, with first PPAs and first slots. */
struct wl_map {
  uint32_t* l2p;                /* by exported sector: wl_map values */
  uint32_t* p2l;                /* by PPA: wl_owner values */
  struct wl_presence* presence; /* by exported page, where the map unit is the page; not yet for WL_MAP_INITIAL */
  /* Where there are two page sizes (map/small_pages.h): */
  uint32_t* small_l2p; /* by exported sector: wl_map values of those in small pages */
  uint32_t* in_small;  /* by exported sector, a bit: it lies in a small page */
  /* By hashed sector or page (map/hazards.h): */
  uint16_t* writers; /* writes of whole ones in flight */
  uint16_t* locks;   /* wl_hazard_lock */
};

#endif
