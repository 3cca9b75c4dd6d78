/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a clean shutdown leaves on flash for the next mount (docs/power_loss.md): a superblock of its own with, logical
 * page by logical page,
 *   the state    the root; superblocks, with erases and what has failed; which chunks of the table of tombstones
 *                follow; cursors of a policy that chooses word lines
 *   the map      and those chunks: from their place in DRAM, and back there
 *   its inverse  which GC alone needs: read when the host is let in already
 *   the end      programmed when all before it is, padding up to the last unit of a word line too, which it is
 *   the mark     programmed when the drive goes on: from then on the checkpoint is out of date; in the block of the
 *                root
 * With a cached map, where map pages lie takes the place of map and inverse: the shutdown has written those that had
 * changed. All are metadata of WL_LPN_TABLE, whose sequence is the version of the checkpoint. The first unit of
 * superblock s lies in die s modulo the number of dies, the others follow it in order, so roots are looked for in all
 * dies at once.
 *
 * A checkpoint counts when its root, its state and its end can be read and belong together, and the place of the mark
 * is blank. Only that with the highest version is looked at.
 *
 * Costs: DRAM for the state and the end, a word of tightly coupled memory for each slot of GC. Known gaps: it has to
 * fit into one superblock; a drive one of whose dies has failed writes none, and mounts by records; nor does one whose
 * map lies behind the MAP port, from where flash takes nothing.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_CHECKPOINT_H
#define WORDLINE_FIRMWARE_PERSIST_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/arena.h"

struct wl_checkpoint_root {
  uint32_t magic;
  uint32_t crc; /* of the state behind this */
  uint32_t version;
  uint32_t pages;  /* logical pages before the end */
  uint32_t owners; /* ... of these, before those of the inverse of the map */
  uint32_t user_lpages;
  uint32_t superblocks;
  uint32_t sequence; /* given so far */
  uint32_t power_cycles;
  uint32_t unsafe_shutdowns;
  uint32_t complete; /* 1: with the whole table of tombstones, and the sequences of all copies */
};
struct wl_kept_superblock {
  uint32_t valid;
  uint32_t erases;
  uint32_t units; /* of an open one */
  uint8_t state;  /* wl_superblock_state: free, open, closed, or retired */
  uint8_t bad;
  uint16_t stream; /* of an open one; WL_NO_STREAM: it has the checkpoint */
};
#define WL_NO_STREAM 0xffffu
struct wl_checkpoint_end {
  uint32_t magic;
  uint32_t crc; /* of the state: they belong together */
  uint32_t version;
};
#define WL_CHECKPOINT_MAGIC 0x574c4350u
#define WL_CHECKPOINT_END_MAGIC 0x574c454eu

void wl_checkpoint_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_checkpoint_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* Logical pages of the state. */
uint32_t wl_checkpoint_state_pages(const struct wl_firmware* fw);
/* Of a checkpoint with so many logical pages: the numbers of the units of its end and of its mark. */
uint32_t wl_checkpoint_end_unit(const struct wl_firmware* fw, uint32_t pages);
uint32_t wl_checkpoint_mark_unit(const struct wl_firmware* fw, uint32_t pages);
/* The first PPA of a unit of a superblock that has a checkpoint. */
wl_ppa_t wl_checkpoint_ppa(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit);
struct wl_checkpoint_root* wl_checkpoint_root(const struct wl_firmware* fw);
struct wl_kept_superblock* wl_kept_superblock(const struct wl_firmware* fw, wl_superblock_t superblock);
uint32_t* wl_kept_chunks(const struct wl_firmware* fw);  /* of tombstones, a bit each */
uint32_t* wl_kept_cursors(const struct wl_firmware* fw); /* of open superblocks, where a policy chooses word lines */
uint32_t* wl_kept_stripes(const struct wl_firmware* fw); /* what rows lack, with parity */
uint32_t wl_checkpoint_crc(const struct wl_firmware* fw);
/* A mount by records has met one of a checkpoint, or another. */
void wl_checkpoint_seen(struct wl_firmware* fw, const struct wl_slot_info* info);
/* The spare record of its logical pages. */
uint32_t wl_checkpoint_record(uint32_t version);
/* What slot `slot` of GC brings from flash, or takes there: logical page `page`, in ascending order; WL_NONE: nothing.
 */
void wl_checkpoint_place(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, uint32_t page);
void wl_checkpoint_place_at(struct wl_firmware* fw, wl_slot_t slot, uint32_t address);

/* The streams of superblocks that are written on, in order: those of GC first, which makes room for the others. */
uint32_t wl_unfinished_stream(const struct wl_firmware* fw, uint32_t number);

/* ---- the phases ---- */
void wl_roots_begin(struct wl_firmware* fw);
/* False: there is no checkpoint that can be trusted. */
WL_MUST_CHECK bool wl_checkpoint_read_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_checkpoint_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane, bool ok);
/* At rest. False: there is no room for one. */
WL_MUST_CHECK bool wl_checkpoint_begin(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_checkpoint_write_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_checkpoint_write_done(struct wl_firmware* fw, uint32_t lane, bool ok);
/* What is on flash is out of date from now on. */
void wl_checkpoint_open(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
