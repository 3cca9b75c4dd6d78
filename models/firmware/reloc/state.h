/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the mover.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_STATE_H
#define WORDLINE_FIRMWARE_RELOC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/contract/observation.h"
#include "models/firmware/policy/run.h"
#include "models/firmware/reloc/under_way.h"

struct wl_page_under_way {
  uint32_t page; /* beside it, whether it is merged; WL_NONE: none is */
  struct wl_merged_records records;
};

struct wl_reloc {
  wl_superblock_t victim;          /* superblock that is being read, WL_NONE: none */
  uint32_t scan;                   /* its next logical page */
  uint32_t found, found_used;      /* entries of the scan engine's list */
  uint32_t filling;                /* slots of the units that the copy engine fills, or has filled */
  uint32_t draining;               /* of these, taken by superblocks that are scanned */
  bool fill_open;                  /* units may be left that are not full */
  struct wl_run idle_run;          /* that the policy wants elsewhere: what is left of it */
  struct wl_page_under_way* pages; /* with two page sizes, by page of the units' slots (under_way.h) */
  wl_unit_t idle_unit;             /* that such data have filled, until it is programmed; WL_NONE: none */
  uint8_t reason;                  /* wl_move_reason of the victim */
  bool tail;                       /* data that are moved for another reason than GC may wait for company in a unit */
  wl_unit_t slow_unit;             /* that such data have filled, until it is programmed; WL_NONE: none */
};

#endif
