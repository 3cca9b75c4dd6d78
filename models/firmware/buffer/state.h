/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the data buffer: program units that fill up, slots for reads.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_STATE_H
#define WORDLINE_FIRMWARE_BUFFER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/buffer/unit.h"
#include "models/firmware/contract/engines.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/list.h"
#include "models/firmware/space/plan.h"

struct wl_chunk { /* of read slots: one run, or a slab of single slots */
  uint16_t prev, next;
  uint16_t used;
  uint16_t fresh; /* slab: slots from here on were not taken since it became one */
  uint16_t free;  /* slab: first freed slot */
  uint16_t slab;
};

struct wl_chunk_lists {
  uint32_t free_chunk;
  uint32_t used_chunks;
  uint32_t slab; /* those with free slots */
};

struct wl_sum {               /* of a row, parity.h */
  wl_superblock_t superblock; /* WL_NONE: free */
  uint32_t row;
  uint16_t placed;  /* units of the row, so far */
  uint16_t running; /* of these: their programs have not ended */
  bool programs;    /* its parity is being programmed */
};
struct wl_parity {
  struct wl_sum* sums;
  uint32_t count, free;
  wl_slot_t slot0; /* first slot of the first */
};

struct wl_word_lines { /* buffer/word_line.h */
  union {
    uint16_t* units; /* by die: the first of those that are placed on it, while their word lines are not complete */
    struct wl_parity* parity; /* with parity over dies, where programs are not waited for */
  };
  uint32_t placed; /* of the host's dirty units */
  bool wanted[2];  /* no unit was free for padding: of the host, of moved data */
};

struct wl_unit_numbers {   /* units of the host and of GC, in the order in which they were opened */
  uint32_t next;           /* of the one that is opened next */
  uint32_t awaited_before; /* a FLUSH waits for all before it, if it is */
  uint32_t awaits;         /* ... under way */
};

struct wl_buffer {
  struct wl_slot_info* slot_table;
  struct wl_unit* units; /* the host's, then those of GC */
  uint32_t host_units;   /* the last `small_units` for small pages */
  uint32_t small_units;
  uint32_t small_slot0; /* first slot of these; WL_NONE: there are none */
  uint32_t gc_units;
  uint32_t open_unit[WL_STREAMS];
  struct wl_list ready[WL_STREAMS];
  uint32_t ready_streams;       /* bits: streams with a unit in `ready` */
  struct wl_list free_units[3]; /* the host's, those of GC, the host's for small pages */
  struct wl_list quiescing[2];  /* wait for the quiescence that runs, for the next */
  struct wl_unit_numbers numbers;
  uint32_t dirty_units;                   /* of the host, with data that are not programmed */
  uint32_t gc_programs, gc_programs_most; /* of moved data: under way, at most */
  uint32_t gc_slot0;
  struct wl_gc_source* sources; /* by slot of GC: what it is a copy of */
  /* read slots */
  struct wl_chunk* chunks;
  uint16_t* slot_next;
  uint32_t read_slot0;
  uint32_t chunk_lpages;
  uint32_t chunk_count;
  struct wl_chunk_lists lists;
  struct wl_part* parts; /* by unit of the host; null where the controller modifies */
  struct wl_word_lines word_lines;
};

#endif
