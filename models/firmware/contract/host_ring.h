/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between the NVMe controller and the host task: events in, jobs out.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_HOST_RING_H
#define WORDLINE_FIRMWARE_CONTRACT_HOST_RING_H

#include <stdint.h>

#include "models/firmware/contract/address.h"
#include "models/firmware/contract/layout.h"

/* NVMe controller -> host task. One command arrives as one event, except DSM: one event per range, the last with
 * WL_EVENT_LAST. For reads and writes slba/blocks are in 512-byte LBAs. Limits are checked by the controller.
 * Without WL_ENGINE_PARSE a command arrives as WL_EVENT_SQE, which says only its tag: see wl_sqe.
 * Bound of the ring: a tag has at most one command event and WL_DMA_JOBS_PER_TAG notifying jobs at a time, and the
 * controller passes one DSM command at a time (at most WL_DSM_RANGES events); the firmware sizes the ring for
 * host_tags * (1 + WL_DMA_JOBS_PER_TAG) + WL_DSM_RANGES + WL_ADMIN_EVENTS, and WL_HOST_BUFFER_MOVES where
 * wl_boot_info.ftl.host_pages is not 0. A DMA_DONE event is pushed before the
 * completion entry of WL_JOB_THEN_COMPLETE is posted. */
#define WL_DSM_RANGES 256u
#define WL_DMA_JOBS_PER_TAG 4u
#define WL_ADMIN_EVENTS 1u
enum wl_event_type {
  WL_EVENT_COMMAND = 1,
  WL_EVENT_DMA_DONE = 2,
  WL_EVENT_SQE = 3,    /* the entry of `tag` lies in the command table */
  WL_EVENT_LIST = 4,   /* answer to WL_JOB_PRP_LIST: the status is in `count` */
  WL_EVENT_RANGES = 5, /* answer to WL_JOB_RANGES: the status is in `count` */
  WL_EVENT_ADMIN = 6,  /* see wl_admin_flags */
  WL_EVENT_COPY = 7,   /* answer to WL_JOB_STORE_COPY or WL_JOB_FETCH_COPY: `slot`, and flags */
};
enum wl_event_flags {
  WL_EVENT_FUA = 1,
  WL_EVENT_LAST = 2,
  WL_EVENT_LOOKED_UP = 4, /* read: see wl_lookup */
  WL_EVENT_FAILED = 8,    /* DMA_DONE: of this job or one before, data have not come, or not reached the host */
  WL_EVENT_DIFFERS = 16,  /* COPY: it is what was stored, and not what is in DRAM now */
};
#define WL_EVENT_HANDLE_SHIFT 4u /* the upper four bits, of a write: its placement handle */
struct wl_host_event {           /* 32 bytes */
  uint8_t type;
  uint8_t opcode; /* NVMe I/O opcode: 00h flush, 01h write, 02h read, 08h write zeroes, 09h DSM deallocate */
  uint8_t flags;
  uint8_t reserved0;
  uint16_t tag;
  uint16_t count;  /* DMA_DONE: logical pages moved by the job */
  uint32_t blocks; /* LBAs, 1-based */
  wl_slot_t slot;  /* DMA_DONE: first slot of the job */
  uint64_t slba;
  uint32_t lpage; /* DMA_DONE: first logical page of the job within the command */
  uint32_t reserved1;
};
WL_SIZE_IS(struct wl_host_event, 32);

/* host task -> NVMe controller, doorbell NVME.JOB_DOORBELL. A command covers logical pages slba/8 .. (slba+blocks-1)/8;
 * job fields count from the first of them. Only the blocks of the command are moved: the rest of a slot is kept. The
 * jobs of one command are carried out in the order of the ring. */
enum wl_host_job_op {
  WL_JOB_DMA_IN = 1,   /* host memory -> slots */
  WL_JOB_DMA_OUT = 2,  /* slots -> host memory */
  WL_JOB_COMPLETE = 3, /* post the completion entry with `status`, release the tag */
  WL_JOB_ZERO_OUT = 4, /* zeros -> host memory (never written, deallocated) */
  WL_JOB_COPY = 5,     /* slots from `lpage` on -> slots from `slot` on (no flags), for a write that changes a part */
  WL_JOB_PRP_LIST =
      6, /* without WL_ENGINE_PARSE: read the PRP list, then WL_EVENT_LIST; before the command's data jobs */
  WL_JOB_RANGES = 7, /* without WL_ENGINE_PARSE: `count` DSM ranges -> NVME.RANGE_TABLE, then WL_EVENT_RANGES */
  WL_JOB_ADMIN = 8,  /* ends the admin command */
  WL_JOB_ASYNC_EVENT = 9,
  WL_JOB_SANITIZED = 10,
  WL_JOB_POWER_SAFE = 11,      /* after WL_ADMIN_POWER_FAILS: all that was buffered is on flash */
  WL_JOB_PLACEMENT_EVENT = 12, /* an FDP event: see below */
  WL_JOB_STORE_COPY = 14,      /* DRAM -> host memory: see below */
  WL_JOB_FETCH_COPY = 15,      /* host memory -> DRAM */
  WL_JOB_BEGIN_COPY = 13, /* without WL_ENGINE_PARSE: a Copy is good; `flags`: the placement handle of its writes */
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
  uint16_t count;  /* logical pages */
  wl_slot_t slot;  /* first slot; slots of a job are consecutive */
  uint32_t lpage;  /* first logical page of the command */
};
WL_SIZE_IS(struct wl_host_job, 16);

/* ---- admin commands that firmware carries out
 * ------------------------------------------------------------------------ One at a time: the controller puts the
 * submission entry to NVME.ADMIN_ENTRY and pushes WL_EVENT_ADMIN; the next event comes when firmware has answered by
 * WL_JOB_ADMIN: `status`, dword 0 of the completion in `lpage`, and in `slot` the bytes at NVME.ADMIN_PAGE that are the
 * beginning of the data; the rest of what the host asks for is zeros. Queue management, Identify, the other log
 * pages and the features of queues, interrupts and cache are the controller's own. Format NVM and
 * Sanitize come when no command of the host is with the firmware, and none comes before the answer; of Sanitize, before
 * WL_JOB_SANITIZED, if it has begun (WL_ADMIN_BEGUN).
 *
 * WL_JOB_ASYNC_EVENT completes an Asynchronous Event Request of the host with dword 0 in `lpage`, at once or when one
 * comes. All these jobs have WL_NO_TAG as tag, and in `count` the number of resets of the event: after another reset of
 * the controller the host waits for no answer, and gets none. */
enum wl_admin_flags {
  WL_ADMIN_FIRST = 1,       /* the first since a reset of the controller: what the host had set is forgotten */
  WL_ADMIN_SHUTDOWN = 2,    /* no command: the host shuts the drive down, all its commands have ended (CC.SHN = 01b) */
  WL_ADMIN_POWER_FAILS = 4, /* no command: the host's power has failed, the drive runs on what its capacitor holds */
  WL_ADMIN_RESET = 8, /* no command: the host has reset the controller after it began a self-test; to be answered */
};
enum wl_admin_job_flags {
  WL_ADMIN_BEGUN = 1, /* of WL_JOB_ADMIN: the Sanitize goes on behind its answer */
};
#define WL_ADMIN_PAGE_BYTES 576u
#define WL_LOG_BYTES 512u /* of log pages but that of the Device Self-test */
#define WL_SELF_TEST_LOG_BYTES 564u
/* Of log page C0h (OCP) firmware fills in what it counts, the controller the rest. */
/* Device Self-test: dwords 13:12 and 15:14 are the first block to be tested and how many there are, of 512 bytes in the
 * drive; none: the controller alone. Blocks that its log names are these, too: the controller puts namespace and LBA in
 * their place. It goes on behind its answer. */
/* Namespace Management comes to delete, when no command of what is deleted is with the firmware, and none comes before
 * the answer: dwords 13:12 and 15:14 as for a self-test are the blocks that are deallocated. It goes on when the
 * controller is reset; not when power fails, with whose end all is lost (it is refused where a cut is outlived). */
/* With placement handles, the I/O Management commands come in the same way, as the host wrote them but for dword 11 of
 * a Send: the handles that it names, as bits. The answer to a Receive is for each handle a word of 32 bits: how many
 * more blocks of 512 bytes its reclaim unit takes.
 *
 * WL_JOB_PLACEMENT_EVENT, without an answer: `flags` is its type (nvme.h), `status` the handle, `lpage` how many
 * blocks of 512 bytes it concerns. The controller keeps those that the host has enabled. */
/* Set Features 0Dh, Host Memory Buffer, comes when the controller has read the list of what the host gives: dword 12 is
 * how many pages of 4 KiB. The answer to one that takes it back (EHM is 0) is when no copy is on its way any more.
 * Pages of host memory have the size of a logical page. WL_JOB_STORE_COPY puts `count` map entries from the bus address
 * in `lpage`, in DRAM, into that page (`slot`) of the buffer; the controller keeps its checksum. WL_JOB_FETCH_COPY
 * brings it back, and compares. Each is answered by one WL_EVENT_COPY; WL_EVENT_FAILED: the host has no such page any
 * more, or has written there. At most WL_HOST_BUFFER_MOVES are on their way. */
#define WL_HOST_BUFFER_MOVES 32u
/* WL_ADMIN_POWER_FAILS comes at any time, the answer to a command before it is not waited for. Firmware programs what
 * the write buffer holds, and nothing else that it can help; then it posts WL_JOB_POWER_SAFE (WL_NO_TAG), or power ends
 * before. Data that the host still owed end with WL_EVENT_FAILED. */
/* WL_EVENT_ADMIN: flags; in `count` the number of resets; Abort: in `tag` the command to abort, which keeps its tag
 * until the answer. */

/* ---- commands that firmware parses: without WL_ENGINE_PARSE ---------------------------------------------------------
 * The controller puts the submission queue entry as it was fetched into the command table, by tag, and pushes
 * WL_EVENT_SQE. It has checked nothing in it. Firmware checks it and refuses it by WL_JOB_COMPLETE with a status. The
 * controller keeps a copy: PRPs and PRP lists stay its own. What its data movement lacks, firmware writes into the
 * extent table, by tag, before it posts the command's first WL_JOB_PRP_LIST or data job: where the blocks begin within
 * the first logical page, and how many there are.
 *
 * A command on more than two host pages has a PRP list. Firmware asks for it by WL_JOB_PRP_LIST and goes on when the
 * answer is success; else it completes the command with the status of the answer. DSM ranges are data: WL_JOB_RANGES
 * brings them to the range table, for one command at a time (others wait); the table is the command's until it is
 * completed. LBAs of entries and ranges are those of the namespace that the entry names. */
/* A Verify and a Compare come as reads, a Write Uncorrectable as a write: what becomes of the data is the controller's
 * affair. So does a Copy, as reads and writes under its tag, one after the other, each of which ends as a command of
 * its own would; the controller takes the data from the one to the next. When firmware parses, the source ranges
 * are asked for as DSM ranges are, 32 bytes each, and WL_JOB_BEGIN_COPY says that they are good; the events that follow
 * are WL_EVENT_COMMAND. Limits of a Copy (NVM Command Set 1.0, 3.2.2), in blocks of 512 bytes: */
#define WL_COPY_RANGES 128u
#define WL_COPY_SOURCE_BLOCKS 2048u /* of a range */
#define WL_COPY_BLOCKS 8192u        /* of all ranges together */
struct wl_sqe { /* NVMe Base Specification 2.0, 3.3.3.1: dword 0 opcode 7:0, FUSE 9:8, PSDT 15:14, CID 31:16 */
  uint32_t dword[16];
};
#define WL_EXTENT_FIRST_BITS 5u /* an extent: first block within its logical page | blocks << 5 */
struct wl_copy_range {
  uint32_t reserved0[2];
  uint32_t slba_low;
  uint32_t slba_high;
  uint32_t blocks; /* 15:0, 0-based */
  uint32_t tags[3];
};
struct wl_dsm_range {
  uint32_t attributes;
  uint32_t blocks; /* 1-based */
  uint32_t slba_low;
  uint32_t slba_high;
};
/* Namespaces and their LBA format, at NVME.NAMESPACE_TABLE. The controller writes it when firmware is ready, and when a
 * Format NVM has changed the format or namespaces have come or gone, before it answers. Blocks of 512 bytes of all
 * namespaces together; one that commands may not name has none. */
#define WL_NAMESPACES 32u
struct wl_namespace {
  uint64_t first;
  uint64_t blocks;
};
struct wl_namespace_table {
  uint32_t count;
  uint32_t lba_shift; /* an LBA is 512 bytes << lba_shift */
  struct wl_namespace namespaces[WL_NAMESPACES];
};
WL_SIZE_IS(struct wl_namespace_table, 520);
WL_SIZE_IS(struct wl_sqe, 64);
WL_SIZE_IS(struct wl_dsm_range, 16);
WL_SIZE_IS(struct wl_copy_range, 32);

#endif
