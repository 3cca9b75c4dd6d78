/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The whole state of the firmware. Everything below "ftl task" is touched by that task only; the other tasks see nothing
 * but the queues. Sectors are 4 KiB.
 *
 * Line, unit, place: see contract/geometry.h.
 */
#ifndef WORDLINE_FIRMWARE_CONTEXT_H
#define WORDLINE_FIRMWARE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/firmware/contract/contract.h"
#include "models/firmware/firmware.h"
#include "models/firmware/hal.h"
#include "models/firmware/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WL_MAX_CORES 8u
#define WL_NO_INDEX 0xffffu
/* With the copies for its first and last sector and the completion, 32 jobs of a command: rings have a power of two. */
#define WL_MAX_SEGMENTS 29u
#define WL_SECTOR_BUDGET 32u /* sectors looked at by one poll for one command */
#define WL_BUCKETS 1024u
#define WL_HAZARDS 1024u
#define WL_SCANNING (1u << WL_GRACES) /* in grace_running: the collector's engine is at work */
#define WL_SEARCHING (2u << WL_GRACES) /* ... the victim engine */
#define WL_STACK_BYTES 8192u /* per core, at the top end of tightly coupled memory */

/* NVMe status: type << 8 | code. */
#define WL_STATUS_OK 0x000u
#define WL_STATUS_INVALID_OPCODE 0x001u
#define WL_STATUS_INVALID_FIELD 0x002u
#define WL_STATUS_INVALID_NAMESPACE 0x00bu
#define WL_STATUS_PRP_OFFSET 0x013u
#define WL_STATUS_LBA_RANGE 0x080u
#define WL_STATUS_WRITE_FAULT 0x280u
#define WL_STATUS_READ_ERROR 0x281u
#define WL_STATUS_DNR 0x4000u /* do not retry */

/* ---- messages ---- */
#define WL_REQUEST_DMA_DONE 0xf0u /* beside the NVMe opcodes */
enum wl_opcode { WL_OP_FLUSH = 0, WL_OP_WRITE = 1, WL_OP_READ = 2, WL_OP_WRITE_ZEROES = 8, WL_OP_DEALLOCATE = 9 };
struct wl_request { /* host task -> ftl task */
  uint8_t op;
  uint8_t flags; /* wl_event_flags */
  uint16_t tag;
  uint32_t lpn;
  uint32_t blocks; /* 512 bytes each */
  uint32_t first;  /* first block within sector lpn */
};

/* ---- ftl task ---- */
enum wl_segment_kind {
  WL_SEGMENT_ZERO,      /* read: zeros */
  WL_SEGMENT_BUFFER,    /* read: from the write buffer */
  WL_SEGMENT_LOST,      /* read: media error */
  WL_SEGMENT_FLASH,     /* read: from flash into read slots */
  WL_SEGMENT_FULL,      /* write: whole sectors */
  WL_SEGMENT_ZERO_REST, /* write: part of a sector that holds nothing */
  WL_SEGMENT_MERGE,     /* write: part of a sector, the old content is read into the slot first */
  WL_SEGMENT_COPY,      /* write: part of a sector, the old content is copied from slot `place` first */
  WL_SEGMENT_IN_PLACE,  /* write: part of a sector that lies in an open unit */
};
enum wl_segment_state { WL_SEGMENT_READY, WL_SEGMENT_UNISSUED, WL_SEGMENT_WAIT, WL_SEGMENT_SENT };
struct wl_segment {
  uint32_t slot;
  uint32_t place;
  uint16_t sector; /* within the command */
  uint16_t count;
  uint16_t room; /* flash: sectors by which the run may still grow */
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
  uint8_t last;       /* blocks of the last sector up to the command's end, 1..8 */
  uint8_t holds;      /* the piece holds slots or buffer units: its last job must notify */
  uint8_t holds_unit; /* ... of the write buffer */
  uint8_t automatic;  /* read: one flash job, `job`, that the completion engine ends */
  uint16_t job;
  uint32_t lpn;
  uint32_t sectors;
  uint32_t sector; /* next one to take up */
  struct wl_segment segment[WL_MAX_SEGMENTS];
};

struct wl_list { /* of tags or units, by index */
  uint16_t head;
  uint16_t tail;
};

enum wl_stream { WL_STREAM_HOST = 0, WL_STREAM_GC = 1, WL_STREAMS = 2 };
enum wl_unit_state {
  WL_UNIT_FREE,
  WL_UNIT_OPEN,        /* slots are handed out */
  WL_UNIT_CLOSING,     /* all handed out, data still arriving */
  WL_UNIT_READY,       /* waits for a place */
  WL_UNIT_PROGRAMMING,
  WL_UNIT_DONE,        /* programmed, readers left */
};
struct wl_unit { /* unit_sectors consecutive slots */
  uint8_t state;
  uint8_t stream;
  uint16_t next;
  uint16_t filled;  /* slots handed out */
  uint16_t used;    /* of these, not padding */
  uint16_t pending; /* slots whose data have not arrived */
  uint16_t readers; /* read segments that use its slots */
  uint16_t copied;  /* collector's: the data are in the slots */
  uint32_t slot;    /* first */
  uint32_t place;   /* first, while programming */
  uint32_t sequence;
};

enum wl_line_state {
  WL_LINE_FREE,
  WL_LINE_OPEN,
  WL_LINE_CLOSING, /* no more units are placed, programs are running */
  WL_LINE_CLOSED = WL_LINE_SEARCHED, /* in a bucket, unless the victim engine searches: may be collected */
  WL_LINE_VICTIM,  /* the collector reads it */
  WL_LINE_DRAINING, /* all valid sectors are read, not all are programmed elsewhere */
  WL_LINE_ERASING, /* or about to: engines may still read it */
  WL_LINE_RETIRED,
};
struct wl_line {
  uint32_t valid; /* as wl_line_head, from here ... */
  uint8_t state;
  uint8_t bad;
  uint16_t reserved; /* ... to here */
  uint32_t units;    /* placed so far */
  uint32_t programs; /* running */
  uint32_t reads;    /* running or about to: no erase before they end */
  uint32_t moving;   /* sectors of this line in the collector's units */
  uint32_t prev, next;
  uint32_t erase_next, erases; /* dies: next one to erase, running */
};

#define WL_LINE_AS_HEAD(field) (offsetof(struct wl_line, field) == offsetof(struct wl_line_head, field))
WL_STATIC_ASSERT(WL_LINE_AS_HEAD(valid) && WL_LINE_AS_HEAD(state) && WL_LINE_AS_HEAD(bad), "what the victim engine reads");

enum wl_job_kind { WL_JOB_KIND_READ, WL_JOB_KIND_MERGE, WL_JOB_KIND_GC, WL_JOB_KIND_PROGRAM, WL_JOB_KIND_ERASE };
struct wl_job {
  uint8_t kind;
  uint8_t segment;
  uint16_t index; /* tag or unit, or the next free id */
  uint32_t line;
  uint32_t slot;
  uint16_t count;
  uint16_t rest; /* collector: sectors still to be read one by one */
};

/* Read retry by the firmware; by job id. */
struct wl_retry {
  uint32_t best_weight; /* least mean weight of a step so far: sum and codewords, */
  uint8_t best_weighed; /* 0: none yet */
  uint8_t best_step;    /* and the step */
  uint16_t tried;       /* steps, as bits */
  uint32_t ort;         /* index in the table of optimal references */
  uint32_t flags;       /* of the history so far, in their places */
  uint8_t entry;        /* of that table, when the read began */
  uint8_t step;
  uint8_t level;
  uint8_t taken;        /* steps after the first */
  uint8_t active;
  uint8_t from_ort;     /* the first sensing was at the table's step */
  uint8_t attempts;     /* that failed, first sensing without step apart */
  uint8_t reserved;
};
#define WL_ORT_VALID 0x80u /* entry: this, soft level << 4, step */

struct wl_retry_rules { /* from ECC.CONTROL and ECC.ESCALATION, at boot */
  uint8_t max_retries;
  uint8_t last_step;
  uint8_t max_soft;
  uint8_t ort_enable;
  uint8_t ort_first;
  uint8_t ort_update;
};

struct wl_chunk { /* of read slots: one run, or a slab of single slots */
  uint16_t prev, next;
  uint16_t used;
  uint16_t fresh; /* slab: slots from here on were not taken since it became one */
  uint16_t free;  /* slab: first freed slot */
  uint16_t slab;
};

struct wl_trim {
  uint32_t lpn;
  uint32_t sectors;
  uint16_t tag;
  uint8_t last; /* of its command */
  uint8_t zeroes;
  uint8_t edge_first, edge_last; /* write zeroes: sector before, after lpn is covered in part */
};

enum wl_kick { /* steps that may have something to do */
  WL_KICK_READ = 1,
  WL_KICK_WRITE = 2,
  WL_KICK_PLACE = 4,
  WL_KICK_ERASE = 8,
  WL_KICK_GC = 16,
  WL_KICK_TRIM = 32,
  WL_KICK_GRACE = 64,
};

struct wl_policy;

/* Bus address of the context is WL_TCM_BASE + WL_FIRMWARE_CONTEXT_OFFSET, its first member is the statistics. */
struct wl_firmware {
  struct wl_firmware_statistics statistics;
  struct wl_boot_info boot;
  volatile uint32_t started; /* cores beside 0 wait for it */
  volatile uint32_t sleeping[WL_MAX_CORES];
  uint32_t core_tasks[WL_MAX_CORES]; /* bit per task */

  /* hardware rings */
  struct wl_ring* event_ring;
  struct wl_host_event* events;
  uint32_t event_mask;
  struct wl_ring* host_job_ring;
  struct wl_host_job* host_jobs;
  uint32_t host_job_mask;
  struct wl_ring* completion_ring;
  struct wl_flash_completion* completions;
  uint32_t completion_mask;
  struct wl_ring** channel_ring;
  struct wl_flash_job** channel_jobs;
  uint32_t channel_mask;
  struct wl_slot_info* slot_table;
  uint16_t* job_tag; /* flash task: host tag of each job */
  uint8_t* tag_opcode; /* host task: of the command with each tag */

  /* engines; null where there are none */
  struct wl_sector_state* sector_states;
  struct wl_lookup* lookups; /* by tag */
  struct wl_grace_state* grace;
  struct wl_gc_list* gc_list;
  struct wl_ring* copy_ring;
  struct wl_copy_job* copy_jobs;
  uint32_t copy_mask;
  volatile uint32_t* copy_places; /* by the collector's units */
  struct wl_victim* victim_answer;
  struct wl_ring* place_ring;
  struct wl_place_job* place_jobs;
  uint32_t place_mask;

  /* queues */
  struct wl_queue host_to_ftl;  /* wl_request */
  struct wl_queue ftl_to_host;  /* wl_host_job */
  struct wl_queue ftl_to_flash; /* wl_flash_job */
  struct wl_queue flash_to_ftl; /* wl_flash_completion */

  /* ftl task: geometry */
  const struct wl_policy* policy;
  struct wl_geometry geometry;
  uint32_t lines;
  uint32_t gc_slot0;
  uint32_t read_slot0;
  uint32_t reserve_lines;
  uint32_t start_lines;

  uint32_t kick;
  uint32_t job_waiters; /* kicks to give when a job id comes free */
  uint32_t active;      /* commands taken up and not completed */
  bool read_only;       /* too many lines are retired */

  /* map, in DRAM */
  uint32_t* l2p; /* by exported sector: wl_map values */
  uint32_t* p2l; /* by place: sector + 1, 0 = by the fill rule, WL_NONE = padding */

  struct wl_command* commands; /* by tag */
  struct wl_list reads;        /* tags, in order of arrival */
  struct wl_list writes;
  struct wl_job* jobs;
  uint16_t free_job; /* list */
  uint16_t reserved0;
  uint32_t free_jobs;
  uint32_t job_count;

  /* read slots */
  struct wl_chunk* chunks;
  uint16_t* slot_next;
  uint32_t chunk_sectors;
  uint32_t chunk_count;
  uint32_t free_chunk; /* list */
  uint32_t used_chunks;
  uint32_t slab; /* list of slabs with free slots */
  uint32_t read_segments; /* of one piece, so that it never needs more chunks than there are */

  /* read retry; null where hardware leads it */
  struct wl_retry* retry; /* by job id */
  uint8_t* ort;           /* by die and h-layer */
  struct wl_retry_rules retry_rules;

  /* write buffer and the collector's buffer */
  struct wl_unit* units; /* host units, then the collector's */
  uint32_t host_units;
  uint32_t gc_units;
  struct wl_list free_units[WL_STREAMS];
  struct wl_list ready[WL_STREAMS];
  uint32_t open_unit[WL_STREAMS];
  uint32_t sequence;
  uint32_t dirty_units; /* of the host, with data that are not programmed */
  uint16_t* writers;    /* by hashed sector: writes of whole sectors in flight */
  uint16_t* locks;      /* by hashed sector: writes of a part in flight, exclusive */
  struct wl_list* waiters; /* by hashed sector: write commands that wait for the two above, in order */

  /* flush: one group waits for its programs, the next one gathers */
  struct wl_list flushing;
  struct wl_list flush_next;
  uint32_t flush_sequence;
  uint32_t flush_remaining;

  /* lines */
  struct wl_line* line;
  uint32_t free_head, free_tail;
  uint32_t open_line[WL_STREAMS];
  uint32_t retired_lines;
  uint32_t needed_lines; /* fewer usable ones cannot hold the exported sectors and work */
  uint32_t bucket_head[WL_BUCKETS + 1];
  uint32_t bucket_tail[WL_BUCKETS + 1];
  uint32_t bucket_shift;
  uint32_t bucket_min; /* no line lies in a lower one */
  uint32_t erase_head, erase_tail;
  uint32_t erasing_lines; /* will be free without further work */

  /* collector */
  uint32_t victim;
  uint32_t scan; /* next sector of the victim */
  struct wl_gc_source* gc_from; /* by collector slot */
  uint32_t scans;        /* asked of the collector's engine */
  uint32_t searches;     /* asked of the victim engine */
  uint32_t searched_from; /* line from which the next one begins */
  bool answered;         /* the last one's answer is not used yet */
  uint32_t filling;      /* slots of the units that the copy engine fills, or has filled */
  uint32_t draining;     /* of these, taken by lines that are scanned */
  bool fill_open;        /* units may be left that are not full */
  uint32_t found, found_used; /* entries of its list */
  bool gc_starved; /* no line is worth collecting until something becomes invalid */

  /* grace periods: what waits for the one that runs, and for the next */
  uint32_t grace_running; /* bit by kind, and WL_SCANNING */
  uint32_t grace_begun[WL_GRACES];
  struct wl_list grace_units[2];
  uint32_t grace_lines[2]; /* lists by wl_line.next */

  /* deallocation */
  struct wl_trim* trims;
  uint32_t trim_mask;
  uint32_t trim_in, trim_out;

  /* host task, without WL_ENGINE_PARSE */
  struct wl_sqe* entries; /* by tag */
  uint32_t* extents;      /* by tag */
  struct wl_dsm_range* ranges;
  uint32_t max_blocks; /* of a transfer */
  uint32_t fetches;    /* lists and ranges asked for and not there */
  uint32_t range_tag;  /* command whose ranges are being taken up, WL_NONE: none */
  uint32_t range_next;
  uint32_t range_last; /* the last one that is not empty */
  bool ranges_checked;
};

/* ---- lists of indices ---- */
static inline void wl_list_clear(struct wl_list* l) { l->head = l->tail = WL_NO_INDEX; }
static inline bool wl_list_empty(const struct wl_list* l) { return l->head == WL_NO_INDEX; }

/* Sectors of the write buffer that are not programmed yet; for tests. */
uint32_t wl_firmware_buffered(const struct wl_firmware* fw);

#ifdef __cplusplus
}
#endif
#endif
