/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the commands that the ftl task has taken up.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_STATE_H
#define WORDLINE_FIRMWARE_SERVICE_STATE_H

#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/core/list.h"
#include "models/firmware/host/request.h"
#include "models/firmware/service/check.h"
#include "models/firmware/service/command.h"
#include "models/firmware/space/plan.h"

enum wl_trim_flags {
  WL_TRIM_LAST = 1, /* of its command */
  WL_TRIM_EDGE_FIRST =
      2,                 /* Write Zeroes: the logical page before `lpn`, or the only one, is covered in part, and ... */
  WL_TRIM_EDGE_LAST = 4, /* ... the one behind the whole ones; as long as they are not written */
  WL_TRIM_QUEUED = 8,    /* the first of these waits in the queue of writes, or ... */
  WL_TRIM_TAKEN = 16,    /* ... has a slot */
  WL_TRIM_FLUSHES = 32,  /* ends as a FLUSH does */
  WL_TRIM_AWAITS_MAP = 64, /* with a cached map: the map page of `lpn` */
  WL_TRIM_SHRINKS = 128,   /* the rest of the map unit of `lpn` is being written anew */
};
#define WL_TRIM_EDGES (WL_TRIM_EDGE_FIRST | WL_TRIM_EDGE_LAST)
struct wl_trim {
  wl_lpn_t lpn; /* whole logical pages */
  uint32_t lpages;
  uint16_t tag;
  uint16_t status;
  uint8_t first, end; /* Write Zeroes: its first block, and the end of its last one, in their logical pages */
  uint8_t flags;
};

/* ftl.write_back = false: which commands wait for which unit of the host. */
struct wl_through {
  uint32_t* waiting; /* by unit: a bit for each tag */
  uint32_t words;    /* of a unit */
  uint32_t arriving; /* writes taken up whose data are not all there */
};

struct wl_rebuild { /* rebuild.h */
  uint16_t id;      /* of the read; WL_NO_INDEX: none */
  uint16_t next;    /* die of its row, to be read */
  uint16_t running; /* reads of others */
  bool begun;       /* one of them is in its slots */
  bool failed;      /* one of them could not be read */
};

struct wl_check_read { /* by index of its job */
  wl_lpn_t lpn;
  wl_slot_t slot;
  bool under_way;
  bool counts; /* its check has not been stopped */
};
struct wl_check {
  wl_lpn_t next;
  uint32_t stride, left; /* to be looked up */
  uint32_t reads;        /* under way, those that do not count included */
  struct wl_check_result result;
  struct wl_check_read read[WL_CHECK_READS];
};

struct wl_patrol {
  uint32_t left; /* superblocks that are still to be visited since the last tick */
  wl_slot_t slot;
  bool reads; /* a page is under way, to this slot */
};

struct wl_admission { /* admission.h */
  int32_t tokens;     /* logical pages that may be taken up, in 256ths */
  int32_t rate;       /* mean, at which flash takes the host's data: logical pages a microsecond, in 2^-20 */
  uint32_t taken;     /* logical pages, since the last tick */
  uint32_t dirty;     /* units, at the last tick */
  uint32_t at;        /* of the last tick, us */
  uint32_t ticks;
  uint32_t shift; /* the mean is over 2^shift ticks */
};

struct wl_service {
  struct wl_command* commands; /* by tag */
  uint32_t active;             /* commands taken up and not completed */
  uint32_t several_streams;    /* 1: the host's data are of classes, or go to the SLC cache first */
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
  struct wl_request admin;        /* WL_REQUEST_ADMIN, or nothing */
  uint16_t filler[WL_CLASSES];    /* ftl.packing = false: by stream, tag of the write that has filled the last slot */
  struct wl_check* check;         /* apart: the cores reach the first 2 KiB of all rooms with one instruction less */
  struct wl_patrol* patrol;       /* null: there is none */
  struct wl_admission* admission; /* likewise */
  struct wl_rebuild* rebuilds;    /* null: there is no parity */
};

#endif
