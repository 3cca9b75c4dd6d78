/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A superblock as other rooms see it, and readers of the drive's memory (firmware.h, wl_tables).
 */
#ifndef WORDLINE_FIRMWARE_SPACE_SUPERBLOCK_H
#define WORDLINE_FIRMWARE_SPACE_SUPERBLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/engines.h"

/* Moved data of any of them: they are only initially isolated. Beside the handles. */
#define WL_HANDLE_SHARED WL_HANDLES

enum wl_superblock_state {
  WL_SUPERBLOCK_FREE,
  WL_SUPERBLOCK_OPEN,
  WL_SUPERBLOCK_CLOSING, /* no more units are placed, programs are running */
  WL_SUPERBLOCK_CLOSED =
      WL_SUPERBLOCK_SEARCHED, /* in a bucket, unless the victim selector searches: may be collected */
  WL_SUPERBLOCK_VICTIM,       /* its valid logical pages are being read */
  WL_SUPERBLOCK_DRAINING,     /* all valid logical pages are read, not all are programmed elsewhere */
  WL_SUPERBLOCK_ERASING,      /* or about to: engines may still read it */
  WL_SUPERBLOCK_RETIRED,
};
struct wl_superblock {
  uint32_t valid; /* as wl_superblock_head, from here ... */
  uint8_t state;
  uint8_t bad;
  uint8_t handle;              /* whose data are in it: a class, or WL_HANDLE_SHARED */
  uint8_t slc_mode;            /* 1: of the SLC cache; ... to here */
  uint32_t units;              /* placed so far */
  uint32_t programs;           /* running */
  uint32_t reads;              /* running or about to: no erase before they end */
  uint32_t moving;             /* logical pages of this superblock in the units of GC */
  uint32_t prev, next;         /* of an open one: the next open one of its stream */
  uint32_t erase_next, erases; /* dies: next one to erase, running */
  uint32_t closed_at;          /* wl_space.closings.count when it was closed: greater is younger */
};

#define WL_SUPERBLOCK_AS_HEAD(field) \
  (offsetof(struct wl_superblock, field) == offsetof(struct wl_superblock_head, field))
WL_STATIC_ASSERT(WL_SUPERBLOCK_AS_HEAD(valid) && WL_SUPERBLOCK_AS_HEAD(state) && WL_SUPERBLOCK_AS_HEAD(bad),
                 "what the victim selector reads");

#endif
