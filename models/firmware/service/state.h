/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the commands that the ftl task has taken up.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_STATE_H
#define WORDLINE_FIRMWARE_SERVICE_STATE_H

#include <stdint.h>

#include "models/firmware/core/list.h"

/* With the copies for its first and last sector and the completion, 32 jobs of a command: rings have a power of two. */
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
/* Of a part. The sector at the edge is written in part and held nothing: its other blocks become zeros. */
enum wl_segment_edges { WL_ZERO_FIRST = 1, WL_ZERO_LAST = 2 };
#define WL_OF_SECTOR 4u /* beside those: of the region of small pages, whose map unit is the sector */
enum wl_segment_state { WL_SEGMENT_READY, WL_SEGMENT_UNISSUED, WL_SEGMENT_WAIT, WL_SEGMENT_SENT };
struct wl_segment { /* a run of sectors from one source */
  uint32_t slot;
  uint32_t from;   /* PPA, or of the write buffer the slot or the unit: where the data of the map unit are so far */
  uint16_t sector; /* within the command */
  uint16_t count;
  uint16_t room; /* flash: sectors by which the run may still grow; of a write: wl_segment_edges, WL_OF_SECTOR */
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
  uint8_t first;      /* first block in the first sector */
  uint8_t last;       /* blocks of the last sector up to the command's end, from 1 */
  uint8_t holds;      /* the piece holds slots or buffer units: its last job must notify */
  uint8_t holds_unit; /* ... of the write buffer */
  uint8_t automatic;  /* read: one flash job, `job`, that the completion engine ends */
  uint8_t small;      /* write: to small pages */
  uint16_t job;
  uint32_t lpn;
  uint32_t sectors;
  uint32_t sector;   /* next one to take up */
  uint32_t programs; /* where a write completes after its program: units with data of it that are not programmed */
  struct wl_segment segment[WL_MAX_SEGMENTS];
};

struct wl_trim {
  uint32_t lpn;
  uint32_t sectors;
  uint16_t tag;
  uint8_t last; /* of its command */
  uint8_t zeroes;
  uint8_t edge_first, edge_last; /* write zeroes: sector before, after lpn is covered in part */
};

/* ftl.write_back = false: which commands wait for which unit of the host. */
struct wl_through {
  uint32_t* waiting; /* by unit: a bit for each tag */
  uint32_t words;    /* of a unit */
  uint32_t arriving; /* writes taken up whose data are not all there */
};

struct wl_service {
  struct wl_command* commands; /* by tag */
  uint32_t active;             /* commands taken up and not completed */
  struct wl_list reads;        /* tags, in order of arrival */
  struct wl_list writes;
  uint32_t read_segments;  /* of one piece, so that it never needs more runs of slots than become free by themselves */
  struct wl_list* waiters; /* by hazard (map/hazards.h): write commands that wait for it, in order */
  /* FLUSH: one group waits for its programs, the next one gathers */
  struct wl_list flushing;
  struct wl_list flush_next;
  uint32_t flush_sequence;
  uint32_t flush_remaining;
  /* deallocation */
  struct wl_trim* trims;
  uint32_t trim_mask;
  uint32_t trim_in, trim_out;
  struct wl_through through;
  uint16_t filler[WL_CLASSES]; /* ftl.packing = false: by stream, tag of the write that has filled the last slot */
};

#endif
