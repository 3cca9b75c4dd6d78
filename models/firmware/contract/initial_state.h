/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The state that a drive begins with, when it is more than fresh or filled in order: tables in DRAM, filled in before
 * the cores leave reset, as a clean shutdown would have left them, or a drive at work: then two superblocks are open.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_INITIAL_STATE_H
#define WORDLINE_FIRMWARE_CONTRACT_INITIAL_STATE_H

#include <stdint.h>

#include "models/firmware/contract/address.h"
#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/layout.h"

/* Lies at this offset in tightly coupled memory, behind the boot information; that says wl_boot_info.preconditioned = 1
 * then, and its dram_bytes ends before the tables. */
#define WL_INITIAL_STATE_OFFSET 0x1a0u
WL_STATIC_ASSERT(sizeof(struct wl_boot_info) <= WL_INITIAL_STATE_OFFSET, "behind the boot information");

/* Each table begins at a multiple of this and has its pages to itself: a page of the host's memory, so that a simulator
 * can map a file over them. */
#define WL_INITIAL_TABLE_ALIGN 4096u

/* Bus addresses; 0: there is no such state. Map and inverse hold no initial values (contract/map.h): each entry says
 * what it means. Firmware works in them, and in `presence`. */
struct wl_initial_state {
  uint32_t map;
  uint32_t owners;
  uint32_t presence;    /* wl_presence by page, where the map is by pages; else 0 */
  uint32_t superblocks; /* wl_initial_superblock, one for each superblock */
  uint32_t mapped_lpages;
};
WL_SIZE_IS(struct wl_initial_state, 20);

enum wl_initial_superblock_state {
  WL_INITIAL_FREE,
  WL_INITIAL_CLOSED,
  WL_INITIAL_RETIRED,
  WL_INITIAL_OPEN_FOR_HOST, /* one at most, of WL_STREAM_HOST, */
  WL_INITIAL_OPEN_FOR_GC,   /* ... and of WL_STREAM_GC */
};

/* In this order: the free ones as they are to be used, then the others, the oldest first. */
struct wl_initial_superblock {
  wl_superblock_t superblock;
  uint32_t valid;  /* logical pages that the map points to, and all those of mapped pages */
  uint32_t erases; /* so far */
  uint8_t state;   /* wl_initial_superblock_state */
  uint8_t bad;     /* closed, to be retired when it is empty */
  uint16_t reserved;
  uint32_t units; /* of an open one: program units that are full, the first ones */
};
WL_SIZE_IS(struct wl_initial_superblock, 20);

#endif
