/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a core is doing, for profiles and waveforms: written to custom CSRs on the instruction-set model, told by a call in native mode.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_OBSERVATION_H
#define WORDLINE_FIRMWARE_CONTRACT_OBSERVATION_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

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
WL_STATIC_ASSERT(WL_COST_COUNT <= 64, "tags that a core counts");

#endif
