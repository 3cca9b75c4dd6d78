/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a core is doing, for profiles and waveforms: written to custom CSRs on the instruction-set model, by a call
 * in native mode.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_OBSERVATION_H
#define WORDLINE_FIRMWARE_CONTRACT_OBSERVATION_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

#define WL_CSR_TASK 0x7c0    /* write: cost tag from now on */
#define WL_CSR_MARK 0x7c1    /* write: value | wl_mark << 16 */
#define WL_CSR_COMMAND 0x7c2 /* write: on whose behalf from now on: an NVMe opcode or a wl_command_type */
enum wl_command_type {
  WL_COMMAND_ADMIN = 29,
  WL_COMMAND_GC = 30,  /* and erasing */
  WL_COMMAND_NONE = 31 /* nothing found, sleep */
};
/* WL_CSR_COMMAND ends the work for one command, until WL_MARK_WORK names another. */
enum wl_mark {
  WL_MARK_WORK = 0, /* value: the host tag that the core works for from now on; WL_NO_TAG: none */
  /* value: a host tag: it waits for commands that write the same logical pages, until a core works for it again */
  WL_MARK_HELD = 2,
  /* value: a host tag: its data, or those before a FLUSH, are in the write buffer: it waits for their program */
  WL_MARK_PROGRAM = 3,
  WL_MARK_WAIT = 1, /* value: wl_waiter | wl_pool << 8: what it waits for from now on */
  /* value: 1 + wl_move_reason: why the mover empties a superblock from now on; 0: it does not */
  WL_MARK_MOVE = 4,
  /* value: a host tag: it waits for a map page from flash, until a core works for it again */
  WL_MARK_AWAITS_MAP = 5
};
/* In falling order of priority, but for GC, which goes before or after them by how short space is (reloc/gc.c). */
enum wl_move_reason {
  WL_MOVE_GC,      /* an erase of it wins room */
  WL_MOVE_RECLAIM, /* read often since its erase, or with many errors: read reclaim */
  WL_MOVE_REFRESH, /* its data are old, or a patrol read has met many errors */
  WL_MOVE_WEAR,    /* erased seldom: static wear levelling */
  WL_MOVE_REBUILD, /* a part of it is on a die that has failed */
  WL_MOVE_FOLD,    /* of the SLC cache, while the host is silent */
  WL_MOVE_REASONS
};
/* Who waits: the first of those that want the same. */
enum wl_waiter {
  WL_WAITER_READ,       /* reads of the host */
  WL_WAITER_WRITE,      /* writes of the host */
  WL_WAITER_PROGRAM,    /* a full program unit of host data, for a PPA */
  WL_WAITER_COLLECTION, /* GC and what else moves data */
  WL_WAITER_COUNT
};
/* What for: something that there is a number of. */
enum wl_pool {
  WL_POOL_NONE, /* it goes on */
  WL_POOL_READ_BUFFER,
  WL_POOL_WRITE_BUFFER,
  WL_POOL_GC_BUFFER,
  WL_POOL_FREE_SPACE, /* erased superblocks, or leave to write what GC paces */
  WL_POOL_FLASH_JOBS,
  WL_POOL_COUNT
};
/* What the core does. */
#define WL_COST(tag, name, text) WL_COST_##tag,
enum wl_cost_tag {
#include "models/firmware/contract/cost_tags.def"
  WL_COST_COUNT
};
#undef WL_COST
WL_STATIC_ASSERT(WL_COST_COUNT <= 64, "tags that a core counts");

#endif
