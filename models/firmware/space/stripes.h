/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parity over dies: which units of a superblock are data, which are parity, and which are neither. Row r is the r-th
 * unit of every die. Its parity lies in the last die; a die that had failed when the superblock was opened (dead_die.h)
 * is left out, and then the last of the others has it.
 *
 * A member of a row is missing from its parity where its program failed, or never came because the superblock was
 * closed before: a rebuild of another one has to leave it out, too. A row may be without parity: its program failed, or
 * a mount has found it so (persist/rows.h).
 *
 * With ftl.recovery the closing record has the last rows of a superblock for itself, without parity; which dies it
 * begins in goes round by superblock.
 *
 * Costs: two bytes of tightly coupled memory a superblock, and a bit of DRAM a unit.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_STRIPES_H
#define WORDLINE_FIRMWARE_SPACE_STRIPES_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_stripes_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_stripes_boot(struct wl_firmware* fw);

/* Units of data in a row of a superblock that is opened now. */
uint32_t wl_stripe_width(const struct wl_firmware* fw);
/* The `count`-th unit of data of the superblock, in order. */
uint32_t wl_stripe_unit(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count);
uint32_t wl_stripe_parity_die(const struct wl_firmware* fw, wl_superblock_t superblock);
/* Unit `number` of the closing record of a superblock whose rows leave die `hole` out; WL_NONE: none. */
uint32_t wl_stripe_record_unit(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t hole,
                               uint32_t number);
/* Rows of data, each with its parity; the units of data in all of them. */
uint32_t wl_stripe_rows(const struct wl_firmware* fw);
uint32_t wl_stripe_units(const struct wl_firmware* fw, wl_superblock_t superblock);
/* The row is full: as many units of it have been placed as it has of data. */
bool wl_stripe_full(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t placed);
/* Whether the unit of `die` counts in the XOR of the row, of which all programs have ended: data or parity. */
bool wl_stripe_member(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t die);
/* The row has parity on flash: what it says of its members can be believed. */
bool wl_stripe_has_parity(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row);
/* The program of a unit of data, or of the parity, has failed: the parity says nothing of it. */
void wl_stripe_lacks(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t die);
/* The die that is left out of its rows; WL_NONE: none. */
uint32_t wl_stripe_hole(const struct wl_firmware* fw, wl_superblock_t superblock);

/* A program or an erase of the superblock has failed in the die: it is retired instead of erased. */
void wl_superblock_spoil(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die);

/* ---- for the life of a superblock, and of a die ---- */
/* It is opened, or was and holds nothing yet. */
void wl_stripes_opened(struct wl_firmware* fw, wl_superblock_t superblock);
/* A mount has found it with rows that leave `hole` out, and no unit that its row lacks so far. */
void wl_stripes_found(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t hole);
/* What rows lack, for a checkpoint: words by superblock. */
uint32_t wl_stripes_words(const struct wl_firmware* fw);
void wl_stripes_keep(const struct wl_firmware* fw, uint32_t* to);
void wl_stripes_take(struct wl_firmware* fw, const uint32_t* from);
/* The die that has failed; WL_NONE: none. */
uint32_t wl_die_dead(const struct wl_firmware* fw);
/* Another one has failed, with it: rows have one parity. */
bool wl_dies_dead(const struct wl_firmware* fw);
void wl_die_leave_out(struct wl_firmware* fw, uint32_t die);

#endif
