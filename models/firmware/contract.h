/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What firmware and hardware agree on: memory map, rings, descriptors. Plain C11, included by the firmware (RISC-V and
 * native) and by the SystemC modules. Every struct has the same layout on both: fixed-width fields, natural alignment.
 *
 * Rings live in tightly coupled memory. One side produces, one consumes; the counters run free and are taken modulo the
 * size (a power of two). A hardware producer writes the entry, then the counter, then raises its interrupt source. A
 * firmware producer writes the entry, then the counter, then writes the counter's value to the doorbell register;
 * hardware reads entries only up to the last doorbell value, at the doorbell's arrival time. Rings are sized so that
 * they cannot overflow (no more entries than commands, jobs or slots that can be outstanding); each side asserts it.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_H
#define WORDLINE_FIRMWARE_CONTRACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bus address map ------------------------------------------------------------------------------------------- */
#define WL_ITCM_BASE 0x00000000u /* code and constants, all cores */
#define WL_ITCM_SIZE 0x00040000u
#define WL_TCM_BASE 0x10000000u /* shared data, rings, stacks: one cycle */
#define WL_TCM_SIZE 0x00800000u
#define WL_MMIO_BASE 0x40000000u /* registers: see models/registers/wordline.rdl */
#define WL_MMIO_SIZE 0x00100000u
#define WL_DRAM_BASE 0x80000000u /* L2P map and large tables; the data buffer's bytes are behind slots, not mapped */
#define WL_DRAM_SIZE 0x80000000u

/* ---- boot information, written by the platform at WL_TCM_BASE before the cores leave reset ------------------------ */
#define WL_BOOT_MAGIC 0x574c4254u /* "WLBT" */
#define WL_TASK_COUNT 3u
#define WL_TASK_HOST 0u  /* commands in, completions out */
#define WL_TASK_FTL 1u   /* map, write buffer, garbage collection */
#define WL_TASK_FLASH 2u /* flash jobs out, flash completions in */

struct wl_boot_info {
  uint32_t magic;
  uint32_t cores;
  uint32_t task_core[WL_TASK_COUNT];
  uint32_t channels;
  uint32_t dies; /* channel of a die = die % channels */
  uint32_t planes;
  uint32_t blocks;            /* per plane */
  uint32_t pages;             /* per block */
  uint32_t sectors_per_page;  /* 4 KiB sectors of one plane's page */
  uint32_t pages_per_program; /* pages of one plane written by one program operation */
  uint32_t user_sectors;      /* exported 4 KiB sectors */
  uint32_t write_slots;       /* data buffer slots for host writes */
  uint32_t read_slots;        /* for reads and their retries */
  uint32_t gc_slots;          /* for garbage collection */
  uint32_t host_tags;         /* commands the NVMe controller keeps in flight */
  uint32_t gc_start_lines;
  uint32_t gc_reserve_lines;
  uint32_t power_safe;        /* 1: data in the buffer survive power loss, FLUSH has nothing to do */
  uint32_t preconditioned;    /* 1: all user sectors hold the sequential fill, see wl_fill_ppa() in fill.h */
  uint32_t dram_bytes;        /* DRAM the firmware may use from WL_DRAM_BASE */
  uint32_t tcm_bytes;         /* TCM the firmware may use from WL_TCM_BASE, boot info included */
  uint32_t engines;           /* hardware engines that are there: wl_engine */
  uint32_t engine_slots;      /* of read_slots, the last ones: they belong to the engines */
  uint32_t layers;            /* h-layer of a page: page / layer_pages % layers */
  uint32_t layer_pages;
};

/* ---- rings ------------------------------------------------------------------------------------------------------ */
struct wl_ring { /* header; entries follow at WL_RING_ENTRIES bytes */
  volatile uint32_t produced;
  uint32_t reserved0[3];
  volatile uint32_t consumed;
  uint32_t reserved1[3];
};
#define WL_RING_ENTRIES 32u

/* NVMe controller -> host task. One command arrives as one event, except DSM: one event per range, the last with
 * WL_EVENT_LAST. For reads and writes slba/blocks are in 512-byte LBAs. Limits are checked by the controller.
 * Without WL_ENGINE_PARSE a command arrives as WL_EVENT_SQE, which says only its tag: see wl_sqe.
 * Bound of the ring: a tag has at most one command event and WL_DMA_JOBS_PER_TAG notifying jobs at a time, and the
 * controller hands over one DSM command at a time (at most WL_DSM_RANGES events); the firmware sizes the ring for
 * host_tags * (1 + WL_DMA_JOBS_PER_TAG) + WL_DSM_RANGES. A DMA_DONE event is pushed before the completion entry of
 * WL_JOB_THEN_COMPLETE is posted. */
#define WL_DSM_RANGES 256u
#define WL_DMA_JOBS_PER_TAG 4u
enum wl_event_type {
  WL_EVENT_COMMAND = 1,
  WL_EVENT_DMA_DONE = 2,
  WL_EVENT_SQE = 3,    /* the entry of `tag` lies in the command table */
  WL_EVENT_LIST = 4,   /* answer to WL_JOB_PRP_LIST: the status is in `count` */
  WL_EVENT_RANGES = 5, /* answer to WL_JOB_RANGES: the status is in `count` */
};
enum wl_event_flags { WL_EVENT_FUA = 1, WL_EVENT_LAST = 2, WL_EVENT_LOOKED_UP = 4 /* read: see wl_lookup */ };
struct wl_host_event { /* 32 bytes */
  uint8_t type;
  uint8_t opcode; /* NVMe I/O opcode: 00h flush, 01h write, 02h read, 08h write zeroes, 09h DSM deallocate */
  uint8_t flags;
  uint8_t reserved0;
  uint16_t tag;
  uint16_t count;  /* DMA_DONE: sectors moved by the job */
  uint32_t blocks; /* LBAs, 1-based */
  uint32_t slot;   /* DMA_DONE: first slot of the job */
  uint64_t slba;
  uint32_t sector; /* DMA_DONE: first sector of the job within the command */
  uint32_t reserved1;
};

/* host task -> NVMe controller, doorbell NVME.JOB_DOORBELL. A command covers sectors slba/8 .. (slba+blocks-1)/8; job
 * fields count from the first of them. Only the blocks of the command are moved: the rest of a slot is kept. The jobs of
 * one command are carried out in the order of the ring. */
enum wl_host_job_op {
  WL_JOB_DMA_IN = 1,   /* host memory -> slots */
  WL_JOB_DMA_OUT = 2,  /* slots -> host memory */
  WL_JOB_COMPLETE = 3, /* post the completion entry with `status`, release the tag */
  WL_JOB_ZERO_OUT = 4, /* zeros -> host memory (never written, deallocated) */
  WL_JOB_COPY = 5,     /* slot `sector` -> slot `slot` (count 1, no flags), for a write that changes a part of it */
  WL_JOB_PRP_LIST = 6, /* without WL_ENGINE_PARSE: read the PRP list, then WL_EVENT_LIST; before the command's data jobs */
  WL_JOB_RANGES = 7,   /* without WL_ENGINE_PARSE: `count` DSM ranges -> NVME.RANGE_TABLE, then WL_EVENT_RANGES */
};
enum wl_host_job_flags {
  WL_JOB_THEN_COMPLETE = 1, /* after this job's data, post the completion entry */
  WL_JOB_NOTIFY = 2,        /* push a DMA_DONE event and interrupt when done */
  WL_JOB_NOTIFY_QUIET = 4,  /* push a DMA_DONE event, no interrupt: it is seen at the next wake-up */
  WL_JOB_ZERO_REST = 8,     /* DMA_IN: blocks of the slots that the command does not write become zeros, not kept */
};
struct wl_host_job { /* 16 bytes */
  uint8_t op;
  uint8_t flags;
  uint16_t tag;
  uint16_t status; /* NVMe status field: type << 8 | code, bit 14 do not retry; 0 = success */
  uint16_t count;  /* sectors */
  uint32_t slot;   /* first slot; slots of a job are consecutive */
  uint32_t sector; /* first sector of the command */
};

/* ---- commands that firmware parses: without WL_ENGINE_PARSE ---------------------------------------------------------
 * The controller puts the submission queue entry as it was fetched into the command table, by tag, and pushes WL_EVENT_SQE. It
 * has looked at nothing in it. Firmware checks it and refuses it by WL_JOB_COMPLETE with a status. The controller keeps a copy:
 * PRPs and PRP lists stay its own. What its data movement lacks, firmware writes into the extent table, by tag, before it posts
 * the command's first WL_JOB_PRP_LIST or data job: where the blocks begin within the first sector, and how many there are.
 *
 * A command on more than two host pages has a PRP list. Firmware asks for it by WL_JOB_PRP_LIST and goes on when the answer is
 * success; else it completes the command with the status of the answer. DSM ranges are data: WL_JOB_RANGES brings them to the
 * range table, for one command at a time (others wait); the table is the command's until it is completed. */
struct wl_sqe { /* NVMe Base Specification 1.4, section 4.2: dword 0 opcode 7:0, FUSE 9:8, PSDT 15:14, CID 31:16 */
  uint32_t dword[16];
};
#define WL_EXTENT_FIRST_BITS 3u /* an extent: first block within its sector | blocks << 3 */
struct wl_dsm_range {
  uint32_t attributes;
  uint32_t blocks; /* 1-based */
  uint32_t slba_low;
  uint32_t slba_high;
};

/* flash task -> channel controller, one ring per channel, doorbell CHANNEL[i].JOB_DOORBELL.
 * A multi-plane page holds planes * sectors_per_page sectors, plane 0 first. A program writes pages_per_program
 * multi-plane pages starting at `page` (a multiple of pages_per_program), sectors in page order; `count` is always the
 * whole unit. A read takes `count` sectors of one multi-plane page from `sector` on: one plane, or a multi-plane read
 * when the run crosses planes. Slots are consecutive. */
enum wl_flash_op { WL_FLASH_READ = 1, WL_FLASH_PROGRAM = 2, WL_FLASH_ERASE = 3 /* all planes */ };
enum wl_flash_priority { WL_PRIORITY_HOST = 0, WL_PRIORITY_GC = 1 };
#define WL_NO_TAG 0xffffu
struct wl_flash_job { /* 32 bytes */
  uint8_t op;
  uint8_t priority;
  uint16_t id;   /* comes back in the completion */
  uint16_t die;
  uint16_t tag;  /* host command this job serves, WL_NO_TAG: none. Observation only. */
  uint32_t block;
  uint32_t page;
  uint16_t sector;
  uint16_t count;
  uint32_t slot;
  uint32_t flags; /* wl_flash_job_flags */
  uint32_t retry; /* read: 0, or an attempt that the firmware leads: see WL_RETRY_... */
};
/* A read that succeeds is finished by the completion engine: its data go to the host, the command of `tag` ends with success.
 * WL_FLASH_AUTOMATIC: then the firmware gets a DMA_DONE event instead of the completion; if the read fails, the completion as
 * always. WL_FLASH_ENGINE: built by the engines, the firmware hears nothing of it. */
enum wl_flash_job_flags { WL_FLASH_AUTOMATIC = 1, WL_FLASH_ENGINE = 2, WL_FLASH_COPY = 4 /* a read of the copy engine */ };

/* channel controllers -> flash task, one ring for all channels. */
enum wl_flash_status {
  WL_FLASH_OK = 0,
  WL_FLASH_UNCORRECTABLE = 1,
  WL_FLASH_PROGRAM_FAIL = 2,
  WL_FLASH_ERASE_FAIL = 3,
  WL_FLASH_ATTEMPT_FAIL = 4, /* read, without WL_ENGINE_RETRY: codewords failed, the firmware decides */
};
struct wl_flash_completion { /* 8 bytes */
  uint16_t id;
  uint8_t status;
  uint8_t retries;  /* read: reference steps taken; ATTEMPT_FAIL: codewords without data */
  uint32_t history; /* read without all its data: as ECC.LAST_STATUS; ATTEMPT_FAIL: WL_REPORT_...; else 0 */
};

/* ---- read retry by the firmware (without WL_ENGINE_RETRY; docs/ecc.md, docs/partitioning.md) ------------------------
 * A read senses and decodes once. When codewords fail, its sectors that are complete lie in their slots, hardware remembers
 * which codewords the other slots lack, and the completion is WL_FLASH_ATTEMPT_FAIL. The firmware sends the same job again with
 * `retry` set: the channel sets the references, senses and decodes what the slots lack, and completes. The references stay
 * after an attempt that failed and is not the last; a read without WL_RETRY_SET that comes next sets them back first. */
#define WL_RETRY_STEP_SHIFT 0u  /* 4 bits: of the retry table, or the centre of the soft reads */
#define WL_RETRY_LEVEL_SHIFT 4u /* 2 bits, soft level: 0 hard, 1 three reads, 2 seven reads */
#define WL_RETRY_TAKEN_SHIFT 8u /* 5 bits: reference steps taken after the first, with this one */
#define WL_RETRY_SET 0x10000u   /* sense at this step and level; always set when `retry` is not 0 */
#define WL_RETRY_REST 0x20000u  /* only what the slots lack since the attempt before */
#define WL_RETRY_LAST 0x40000u  /* nothing follows: restore the references, count what is lost */
#define WL_RETRY_CRC 0x80000u   /* an attempt before met a wrong CRC (for ECC.INJECT) */
/* What hardware knows of an attempt that failed. Weights are those of read retry (ECC): of codewords that tier 1 left. */
#define WL_REPORT_WEIGHT 0x7ffffu        /* their sum */
#define WL_REPORT_WEIGHED_SHIFT 19u      /* 8 bits: codewords in it */
#define WL_REPORT_TIERS_SHIFT 27u        /* 3 bits: as in ECC.LAST_STATUS */
#define WL_REPORT_MISCORRECTED 0x40000000u
#define WL_REPORT_INJECTED 0x80000000u

/* Slot table: one entry per data buffer slot, in TCM, base address in FLASH.SLOT_TABLE. The hardware writes the owner
 * of every slot of a program into the page's spare area and fills it in from there on reads. */
#define WL_LPN_NONE 0xffffffffu
struct wl_slot_info {
  uint32_t lpn;
};

/* ---- hardware engines (registers: ENGINES) ------------------------------------------------------------------------
 * What each does is told in docs/partitioning.md. The map in DRAM is the only truth: firmware alone writes it, engines read it.
 *
 * Reads that never come to a core ("chained": looked up, then served from the write buffer or from flash by engines) must not
 * be older than what the host has been told. A write's completion entry leaves before the firmware has changed the map, so
 * writes are counted by hashed sector: hardware counts `opened` before the command's event, firmware `closed` after the map; while
 * they differ, reads of the sector go to the firmware, whose rings keep the order.
 *
 * A chained read may have many sectors, each from another source. It is chained as a whole: all of its sectors are settled when it
 * begins, and it holds on to what it found from then to its end. A run of it that fails makes it the firmware's, as a whole and once
 * nothing of it is under way: to the firmware it is a new command without WL_EVENT_LOOKED_UP.
 *
 * A chained read holds no lock on the places or the slots that it found. Before firmware erases a line that nothing points to, or
 * uses a slot again, it asks for a grace period (ENGINES.GRACE): it ends when all chained reads that had begun before have let go
 * of their places, or slots. Then hardware counts up grace.done and raises WL_IRQ_ENGINE. One at a time of each kind. */
enum wl_engine {
  WL_ENGINE_L2P = 1,        /* looks up the map */
  WL_ENGINE_BUFFER = 2,     /* serves hits in the write buffer */
  WL_ENGINE_JOB = 4,        /* builds flash jobs from places */
  WL_ENGINE_COMPLETION = 8, /* finishes reads */
  WL_ENGINE_GC = 16,        /* finds the valid sectors of a line */
  WL_ENGINE_COPY = 32,      /* copies the collector's units */
  WL_ENGINE_VICTIM = 64,    /* searches the line to collect */
  WL_ENGINE_PARSE = 256,    /* checks and splits submission entries: a part of the NVMe controller; L2P needs it */
  WL_ENGINE_RETRY = 512,    /* leads read retry: a part of the flash channels */
};
#define WL_ENGINES_BLOCK 0xffu /* those behind the registers ENGINES */
/* The valid sectors of a line go from the scan to the copy without a core. */
#define WL_ENGINES_COLLECT (WL_ENGINE_GC | WL_ENGINE_COPY)
/* Reads are served without a core: from flash, from the write buffer. */
#define WL_ENGINES_FLASH (WL_ENGINE_L2P | WL_ENGINE_JOB | WL_ENGINE_COMPLETION)
#define WL_ENGINES_BUFFER (WL_ENGINE_L2P | WL_ENGINE_BUFFER | WL_ENGINE_COMPLETION)

/* By hashed sector, in TCM. */
#define WL_SECTOR_STATES 1024u
struct wl_sector_state { /* 16 bytes */
  volatile uint32_t opened;  /* hardware: sectors of write commands given to the firmware */
  volatile uint32_t closed;  /* firmware: of these, the map is as they want it */
  volatile uint32_t changes; /* firmware: map entries changed, counted after the change */
  uint32_t reserved;
};
/* Answer of the lookup engine, by tag, in TCM: map values of the first sectors of a read with WL_EVENT_LOOKED_UP (the initial
 * value resolved). Each is good as long as the sector's `changes` still has the value it had before the look. Reads of more
 * sectors are never chained; this many are 128 KiB. */
#define WL_LOOKUP_SECTORS 32u
struct wl_lookup {
  uint32_t value[WL_LOOKUP_SECTORS];
  uint32_t changes[WL_LOOKUP_SECTORS];
};
enum wl_grace { WL_GRACE_SLOTS = 0, WL_GRACE_PLACES = 1, WL_GRACES = 2 };
struct wl_grace_state { /* in TCM */
  volatile uint32_t done[WL_GRACES]; /* grace periods that have ended */
};
/* Answer of the collector's engine, in TCM: valid sectors of the places from ENGINES.SCAN on, in order. They were valid when the
 * scan began; firmware looks again before it changes the map. At the end hardware writes count and next, counts up done and
 * raises WL_IRQ_ENGINE. */
#define WL_GC_FOUND 256u
#define WL_GC_SCAN 512u /* places looked at by one scan, at most */
struct wl_gc_found {
  uint32_t place;
  uint32_t lpn;
};
struct wl_gc_list {
  volatile uint32_t done;
  volatile uint32_t count;
  volatile uint32_t next; /* place at which the scan stopped */
  uint32_t reserved;
  struct wl_gc_found found[WL_GC_FOUND];
};

/* The collector's slots, in TCM, by slot from ENGINES.COPY_SLOT_FIRST on: what each is a copy of. */
#define WL_COPY_FAILED 0x80000000u /* in place: the copy engine could not read it */
struct wl_gc_source {
  uint32_t place; /* where it lies so far, WL_LPN_NONE: padding */
  uint32_t lpn;
};
/* ftl task -> copy engine, doorbell ENGINES.COPY_DOORBELL: a unit of the collector. The engine reads what its slots' sources name,
 * writes the owners into the slot table, and programs the unit. Then the completion `id` comes as that of a program. Units are
 * programmed as they become ready, each at the first `place` that is left of those posted; hardware writes it into the table
 * ENGINES.COPY_PLACES, by unit. So blocks are written in order, if the firmware posts places in order, whichever unit is first.
 *
 * If something could not be read, the sources say what, and the completion is WL_FLASH_UNCORRECTABLE: firmware does for these what it
 * can, and posts the unit again with WL_COPY_READY, which means that the slots have their data; a unit that was held for that
 * brings no new place, one whose program has failed does.
 *
 * WL_COPY_FILL (with WL_ENGINES_COLLECT): the sources are not known yet. Such units are filled in their order with the valid
 * sectors of the line whose scan ENGINES.SCAN begins, a unit in part by the end of one line and the beginning of the next. At the
 * end of a scan wl_gc_list has its count, its list is not used. WL_COPY_CLOSE is no unit: those that are not full get padding. */
enum wl_copy_flags { WL_COPY_READY = 1, WL_COPY_FILL = 2, WL_COPY_CLOSE = 4 };
struct wl_copy_job { /* 12 bytes */
  uint16_t id;
  uint16_t flags;
  uint32_t slot; /* first */
  uint32_t place;
};

/* Line table in TCM, ENGINES.LINE_TABLE, entries ENGINES.LINE_STRIDE bytes apart: what the victim engine reads of an entry, at its
 * beginning. ENGINES.SEARCH begins a search at a line: the one with WL_LINE_SEARCHED that has the fewest valid sectors, of equal
 * ones the first from there on, round the table. At the end hardware writes line, counts up done and raises WL_IRQ_ENGINE. The table
 * may have changed since; firmware looks at the line again. */
#define WL_LINE_SEARCHED 3u
struct wl_line_head {
  uint32_t valid; /* sectors that the map points to */
  uint8_t state;
  uint8_t bad; /* a program or erase failed: retire instead of reuse */
  uint16_t reserved;
};
struct wl_victim {
  volatile uint32_t done;
  volatile uint32_t line; /* WL_LPN_NONE: there is none */
};
/* ftl task -> job engine, doorbell ENGINES.JOB_DOORBELL: a flash job by place. */
struct wl_place_job { /* 20 bytes */
  uint8_t op;
  uint8_t priority;
  uint16_t id;
  uint16_t tag;
  uint16_t count;
  uint32_t place;
  uint32_t slot;
  uint32_t flags;
};

/* ---- interrupt sources (IRQ.CORE[i].PENDING bits) --------------------------------------------------------------- */
#define WL_IRQ_HOST 0u  /* host event ring */
#define WL_IRQ_FLASH 1u /* flash completion ring */
#define WL_IRQ_IPI 2u   /* another core */
#define WL_IRQ_TIMER 3u
#define WL_IRQ_ENGINE 4u /* the end of a grace period, of a scan, of a search */

/* ---- observation: what the core is doing (custom CSRs on the ISS, a call in native mode) ------------------------- */
#define WL_CSR_TASK 0x7c0 /* write: cost tag from now on */
#define WL_CSR_MARK 0x7c1 /* write: host tag | mark << 16 */
#define WL_CSR_COMMAND 0x7c2 /* write: on whose behalf from now on: an NVMe opcode or a wl_command_type */
enum wl_command_type { WL_COMMAND_COLLECTION = 30 /* and erasing */, WL_COMMAND_NONE = 31 /* nothing found, sleep */ };
enum wl_mark { WL_MARK_FW_START = 1 /* the command is taken up */, WL_MARK_FW_RESUME = 2 /* its flash job is back */ };
/* Cost tags: each marks a stretch of code between two marks. Native mode charges the calibrated mean of each. */
enum wl_cost_tag {
  WL_COST_IDLE = 0,        /* the scheduling loop found nothing */
  WL_COST_LOOP,            /* the scheduling loop, per round that found work */
  WL_COST_WAKE,            /* leaving WFI: claim the interrupt */
  WL_COST_HOST_READ,       /* host task, per read command */
  WL_COST_HOST_WRITE,      /* host task, per write command */
  WL_COST_HOST_OTHER,      /* host task, per flush, deallocate, write zeroes event */
  WL_COST_HOST_DMA_DONE,   /* host task, per DMA_DONE event */
  WL_COST_HOST_REPLY,      /* host task, per message from the ftl task */
  WL_COST_FTL_READ,        /* ftl task, per read command */
  WL_COST_FTL_READ_SECTOR, /* ftl task, per sector looked up */
  WL_COST_FTL_WRITE,       /* ftl task, per write command */
  WL_COST_FTL_WRITE_SECTOR,
  WL_COST_FTL_WRITE_PART, /* per sector written in part, beside WL_COST_FTL_WRITE_SECTOR */
  WL_COST_FTL_TRIM,        /* per deallocate range */
  WL_COST_FTL_TRIM_SECTOR,
  WL_COST_FTL_UNIT,        /* a program unit is sealed and sent */
  WL_COST_FTL_PROGRAM_DONE,
  WL_COST_FTL_PROGRAM_SECTOR,
  WL_COST_FTL_READ_DONE,
  WL_COST_FTL_GC,          /* victim choice, line open and close */
  WL_COST_FTL_GC_SECTOR,   /* per sector looked at */
  WL_COST_FTL_OTHER,
  WL_COST_FLASH_SUBMIT,    /* flash task, per job sent */
  WL_COST_FLASH_DONE,      /* flash task, per completion */
  WL_COST_FTL_READ_KNOWN,  /* ftl task, per sector that the lookup engine has looked up */
  WL_COST_FTL_JOB,         /* ftl task, per flash job built by place: division, descriptor */
  WL_COST_FTL_JOB_POST,    /* ... handed to the job engine instead */
  WL_COST_FTL_GRACE,       /* ftl task, begin and end of grace periods */
  WL_COST_FTL_GC_FOUND,    /* per sector of the victim that the collector's engine found */
  WL_COST_BOOT,
  WL_COST_FTL_READ_SEGMENT,  /* a run of consecutive sectors begins, beside WL_COST_FTL_READ_SECTOR */
  WL_COST_FTL_WRITE_SEND,    /* the sectors of a write are taken: their transfer is asked for */
  WL_COST_FTL_COMMIT,        /* the data of a write are in the buffer, per piece */
  WL_COST_FTL_COMMIT_SECTOR, /* the same, per sector */
  WL_COST_HOST_PARSE,        /* host task, per submission entry that firmware parses; instead of WL_COST_HOST_READ, ... */
  WL_COST_HOST_LIST,         /* host task, PRP list or ranges asked for, and there */
  WL_COST_HOST_RANGE,        /* host task, per range: checked; handed over */
  WL_COST_FTL_LINE_MOVE,     /* a closed line goes from one bucket to another */
  WL_COST_FTL_GC_COPY,       /* a unit is handed to the copy engine */
  WL_COST_FTL_GC_VICTIM,     /* the victim engine is asked, its answer taken */
  WL_COST_FTL_GC_MOVED,      /* the collector's WL_COST_FTL_PROGRAM_SECTOR: two maps, and one sector less in the old line */
  WL_COST_FTL_RETRY,         /* read retry by the firmware: an attempt failed, what next */
  WL_COST_FTL_RETRY_DONE,    /* the end of one that succeeded: table of optimal references */
  WL_COST_COUNT
};
#ifdef __cplusplus
static_assert(WL_COST_COUNT <= 64, "tags that a core counts");
#else
_Static_assert(WL_COST_COUNT <= 64, "tags that a core counts");
#endif

#ifdef __cplusplus
}
#endif
#endif
