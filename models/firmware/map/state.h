/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the map: both tables lie in DRAM.
 */
#ifndef WORDLINE_FIRMWARE_MAP_STATE_H
#define WORDLINE_FIRMWARE_MAP_STATE_H

#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/contract/map.h"

struct wl_durable {  /* durable.h */
  uint32_t place;    /* wl_map value where the map does not point to flash; WL_MAP_INITIAL: flash has nothing */
  uint32_t sequence; /* of the copy */
};

/* Of map units, with their first PPAs and first slots. */
struct wl_map {
  uint32_t* l2p;                /* by exported map unit: wl_map values */
  uint32_t* p2l;                /* by PPAs of a map unit: wl_owner values */
  struct wl_presence* presence; /* by exported map unit of several logical pages; not yet for WL_MAP_INITIAL */
  uint32_t sequence;            /* of the data that arrived last: of a spare record */
  struct wl_durable* durable;   /* by exported logical page; null without ftl.recovery */
  uint8_t* tombstones;          /* by chunk of that table (tables.h): there may be tombstones in it */
  /* Where there are two page sizes (map/region.h): */
  union {
    uint32_t* region_l2p; /* by exported logical page: wl_map values of those in the region of small pages */
    uint8_t* seen; /* with ftl.recovery, by exported logical page: a record says it, not a checkpoint alone; null:
                      all are from records */
  };
  uint32_t* in_region; /* by exported logical page, a bit: it lies there */
  /* By hashed map unit (map/hazards.h): */
  uint16_t* writers; /* writes of whole ones in flight */
  uint16_t* locks;   /* wl_hazard_lock */
};

#endif
