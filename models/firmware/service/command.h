/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A command of the host while the ftl task works on it.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_COMMAND_H
#define WORDLINE_FIRMWARE_SERVICE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/address.h"
#include "models/firmware/host/nvme.h"

/* With the copies for its first and last logical page and the completion, 32 jobs of a command: rings have a power of
 * two. */
#define WL_MAX_SEGMENTS 29u

enum wl_segment_kind {
  WL_SEGMENT_ZERO,     /* read: zeros */
  WL_SEGMENT_BUFFER,   /* read: from the write buffer */
  WL_SEGMENT_LOST,     /* read: media error */
  WL_SEGMENT_FLASH,    /* read: from flash into read slots */
  WL_SEGMENT_FULL,     /* write: whole map units. Those that follow are of a part of one: */
  WL_SEGMENT_PART,     /* nothing else is kept */
  WL_SEGMENT_MERGE,    /* what is kept is read into the slots first */
  WL_SEGMENT_COPY,     /* what is kept is copied from the slots from `from` on first */
  WL_SEGMENT_IN_PLACE, /* it lies in an open program unit */
  WL_SEGMENT_MODIFY,   /* what is kept stays in the die */
};
/* Of a part. The logical page at the edge is written in part and held nothing: its other blocks become zeros. */
enum wl_segment_edges { WL_ZERO_FIRST = 1, WL_ZERO_LAST = 2 };
#define WL_OF_LPAGE 4u /* beside those: of the region of small pages, whose map unit is the logical page */
enum wl_segment_state { WL_SEGMENT_READY, WL_SEGMENT_UNISSUED, WL_SEGMENT_WAIT, WL_SEGMENT_SENT };
struct wl_segment { /* a run of logical pages from one source */
  wl_slot_t slot;
  uint32_t from;  /* PPA, or of the write buffer the slot or the unit: where the data of the map unit are so far */
  uint16_t lpage; /* within the command */
  uint16_t count;
  uint16_t room; /* flash: logical pages by which the run may still grow; of a write: wl_segment_edges, WL_OF_SECTOR */
  uint8_t kind;
  uint8_t state;
};

struct wl_command {
  uint8_t op;
  uint8_t flags;
  uint8_t segments;
  uint8_t formed;   /* the piece is complete, its segments are on their way */
  uint16_t waiting; /* segments whose flash read is not back */
  uint16_t next;
  uint16_t status;
  uint8_t first;      /* first block in the first logical page */
  uint8_t last;       /* blocks of the last logical page up to the command's end, from 1 */
  uint8_t holds;      /* the piece holds slots or buffer units: its last job must notify */
  uint8_t holds_unit; /* ... of the write buffer */
  uint8_t automatic;  /* read: one flash job, `job`, that the completion engine ends */
  uint8_t small;      /* write: to small pages */
  uint16_t job;
  uint8_t granted; /* with a cached map: the map page of its next logical page is pinned for it */
  wl_lpn_t lpn;
  uint32_t lpages;
  uint32_t lpage;    /* next one to take up */
  uint32_t programs; /* where a write completes after its program: units with data of it that are not programmed */
  struct wl_segment segment[WL_MAX_SEGMENTS];
};

/* A change of which the host sends no data: a part of a Write Zeroes, or of a map unit that is deallocated (trim.h). */
static inline bool wl_command_lacks_data(const struct wl_command* c) {
  return c->op == WL_OP_WRITE_ZEROES || c->op == WL_OP_DEALLOCATE;
}

#endif
