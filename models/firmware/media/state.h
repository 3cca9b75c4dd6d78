/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the flash jobs under way, of the flash task, and of the read retry that firmware controls.
 */
#ifndef WORDLINE_FIRMWARE_MEDIA_STATE_H
#define WORDLINE_FIRMWARE_MEDIA_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/contract/program_tables.h"
#include "models/firmware/core/queue.h"
#include "models/firmware/media/job.h"
#include "models/firmware/media/media.h"
#include "models/firmware/media/plan.h"

struct wl_retry {       /* by job id */
  uint32_t best_weight; /* least mean weight of a step so far: sum and codewords, */
  uint8_t best_weighed; /* 0: none yet */
  uint8_t best_step;    /* and the step */
  uint16_t tried;       /* steps, as bits */
  uint32_t ort;         /* index in the table of optimal references */
  uint32_t flags;       /* of the history so far, in their places */
  uint8_t entry;        /* of that table, when the read began */
  uint8_t step;
  uint8_t level;
  uint8_t taken; /* steps after the first */
  uint8_t active;
  uint8_t from_ort; /* the first sensing was at the table's step */
  uint8_t attempts; /* that failed, first sensing without step apart */
  uint8_t probe;    /* senses of the soft reads that the read began with, while these are under way; else 0 */
  struct wl_flash_read read;
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

struct wl_media_parity {      /* with parity over dies */
  struct wl_flash_read* sent; /* by job id: of reads and programs */
  struct wl_queue given_up;   /* ids (16 bits) of reads that are to be rebuilt */
  uint32_t dead_die;          /* no read of it is sent; WL_NONE: none */
  uint32_t kept; /* ids, the last ones: for reads of the rest of a row, which go on whoever has the others */
  uint32_t kept_free;
  uint16_t kept_job; /* list */
};

struct wl_media {
  struct wl_queue to_flash;   /* ftl task -> flash task: wl_flash_job */
  struct wl_queue from_flash; /* flash task -> ftl task: wl_flash_completion */
  uint32_t seen;              /* of these; another number while there is something else to take */
  /* flash task */
  struct wl_ring* completion_ring;
  struct wl_flash_completion* completions;
  uint32_t completion_mask;
  struct wl_ring** channel_ring;
  struct wl_flash_job** channel_jobs;
  uint32_t channel_mask;
  uint8_t* channel_memory; /* all rings */
  uint16_t* job_tag;       /* host tag of each job */
  /* ftl task */
  struct wl_job* jobs;
  uint16_t free_job; /* list */
  uint32_t free_jobs;
  uint32_t job_count;
  uint32_t job_waiters; /* steps to kick when a job id comes free */
  struct wl_media_plan plan;
  union {
    struct wl_program_set* program_sets;
    struct wl_media_parity* parity; /* where no policy has sets */
  };
  struct wl_program_report* program_reports; /* by job id */
  struct wl_retry* retry;                    /* by job id; null where hardware controls it */
  uint8_t* ort;                              /* by die or block, and h-layer */
  struct wl_retry_rules rules;
  bool read_starts; /* fresh reads are asked where to begin */
  /* Where the policy asks for it, else null. */
  uint16_t* die_jobs; /* by die: sent, not ended */
  uint16_t* job_die;  /* by id */
};

#endif
