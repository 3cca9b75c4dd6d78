/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the map: both tables lie in DRAM.
 */
#ifndef WORDLINE_FIRMWARE_MAP_STATE_H
#define WORDLINE_FIRMWARE_MAP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/contract/map.h"

struct wl_durable {  /* durable.h */
  uint32_t place;    /* wl_map value where the map does not point to flash; WL_MAP_INITIAL: flash has nothing */
  uint32_t sequence; /* of the copy */
};

struct wl_durable_page { /* durable_pages.h */
  uint32_t place;        /* as above */
  uint32_t sequence;     /* of the copy */
  uint32_t arrived;      /* with two page sizes: that of the data for large pages that have arrived last */
};

struct wl_map_pages {  /* map_pages.h */
  uint32_t* entries;   /* by exported logical page, whole map pages */
  uint32_t address;    /* bus address of these */
  uint32_t* addresses; /* FLASH.METADATA_TABLE, */
  wl_slot_t first;     /* ... whose first entry is of this slot */
};

/* Of map units, with their first PPAs and first slots. */
struct wl_map {
  uint32_t* l2p;                /* by exported map unit: wl_map values */
  uint32_t* p2l;                /* by PPAs of a map unit: wl_owner values */
  struct wl_presence* presence; /* by exported map unit of several logical pages; not yet for WL_MAP_INITIAL */
  uint32_t sequence;            /* of the data that arrived last: of a spare record */
  bool found_yields;            /* wl_map_found_yields */
  struct wl_durable* durable;   /* by exported logical page; null without ftl.recovery */
  uint8_t* tombstones;          /* by chunk of that table (tables.h): there may be tombstones in it */
  /* ... where the map is by pages (map/durable_pages.h), and with two page sizes `durable` is of small pages: */
  struct wl_durable_page* pages; /* by exported map unit */
  uint32_t* in_page; /* two page sizes, by exported logical page: sequence of its record in the large page; 0: none */
  /* Where there are two page sizes (map/region.h): */
  union {
    uint32_t* region_l2p; /* by exported logical page: wl_map values of those in the region of small pages */
    uint8_t* seen; /* with ftl.recovery, by exported logical page: a record says it, not a checkpoint alone; null:
                      all are from records */
    struct {       /* behind the MAP port (map/port.h), which has neither: the first words, in their banks, of ... */
      uint32_t owners;
      uint32_t copies;
    } port;
  };
  uint32_t* in_region; /* by exported logical page, a bit: it lies there */
  /* By hashed map unit (map/hazards.h): */
  uint16_t* writers; /* writes of whole ones in flight */
  uint16_t* locks;   /* wl_hazard_lock */
#if WL_HAS_LARGE_MAPS
  struct wl_map_cache* cache; /* map/cache.h; null: the whole map is in DRAM */
  struct wl_map_pages map_pages;
  struct {           /* of the MAP port */
    bool used;       /* it has more than 2^32 words */
    uint32_t owners; /* of the first word of ... */
    uint32_t copies;
  } bank;
#endif
#ifdef WL_NATIVE
  const struct wl_hal*
      hal; /* of the core that runs the ftl task: the MAP port is read far from where a hal is passed */
#endif
};

static inline bool wl_lies_in_region(const struct wl_map* m, wl_lpn_t lpn) {
  return m->in_region != NULL && (m->in_region[lpn / 32] >> lpn % 32 & 1) != 0;
}

#endif
