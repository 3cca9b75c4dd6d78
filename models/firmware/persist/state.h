/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the mount.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_STATE_H
#define WORDLINE_FIRMWARE_PERSIST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

enum wl_mount_phase { WL_MOUNTED, WL_MOUNT_READS, WL_MOUNT_COMPLETES, WL_MOUNT_SORTS, WL_MOUNT_PADS };

struct wl_lane { /* reads a block, page by page, up to the first blank one */
  uint32_t block;
  uint32_t page;
  uint32_t torn; /* pages that could not be read, so far */
};

struct wl_unfinished { /* a superblock that will be written on */
  wl_superblock_t superblock;
  uint32_t units; /* the last that is not blank, and all before it */
  uint32_t unit;  /* of these in order, examined: blank ones are padded */
};

/* Blocks are numbered superblock by superblock: all dies are read at once. */
struct wl_persist {
  uint8_t phase;  /* wl_mount_phase */
  bool failed;    /* a program that was to complete a word line */
  uint16_t* rows; /* by block: rows of units that are not blank, the first ones; in DRAM */
  struct wl_lane* lanes;
  uint32_t lane_count;
  uint32_t next; /* block to read or to complete, superblock to sort */
  uint32_t jobs; /* under way */
  struct wl_unfinished unfinished[2];
};

#endif
