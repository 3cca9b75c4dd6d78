/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where in its superblock a write point goes on. A unit is a word line of a die here, or a page of one: rows of units
 * lie over all dies. The order of rows is that of ftl.word_line_order: horizontal (h-layer by h-layer), vertical
 * (v-layer by v-layer), or mixed (the first word line of all h-layers, then the others h-layer by h-layer). Dies that
 * need ascending word lines take the horizontal one only, or fill each word line of a die before the next die's where a
 * word line takes several programs and none may stay half filled for long (buffer/word_line.h).
 *
 * A policy may choose instead, unit by unit: then its write points have a cursor in each die, which holds the next
 * leader (the first word line of an h-layer) and the next follower (another one, of an h-layer whose leader is placed
 * already). Source: Shim, SNU 2020, section 5.2.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_CURSORS_H
#define WORDLINE_FIRMWARE_SPACE_CURSORS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

#define WL_NEXT_UNIT 0xffffffffu /* of a superblock, in order */

/* The `count`-th unit of a superblock, in order. */
uint32_t wl_unit_in_order(const struct wl_firmware* fw, uint32_t count);

/* The same of this superblock. With ftl.recovery its last units are those of its closing record (contract/closing.h).
 * Where they share rows with data, these rows begin in another die for each superblock, so that records begin in all
 * dies: in die s modulo the number of dies of superblock s. */
uint32_t wl_unit_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count);
/* Whether its first `count` units are those that lie first row by row as well, and more of it takes data: so it can go
 * on where something else has filled it by rows. */
bool wl_units_by_row(const struct wl_firmware* fw, uint32_t count);

/* ---- word lines that take several programs, with ftl.recovery ---- */
static inline bool wl_word_lines_shared(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.word_line_programs > 1, 0);
}
/* Where in its superblock the word line of a unit lies, in order over all dies; and which of its programs the unit is.
 */
uint32_t wl_word_line_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit, uint32_t* program);

/* ---- for policies by word line: of the open superblock of `stream`, in `die`; WL_NONE: none is left, or not yet ----
 */
uint32_t wl_cursor_leader(const struct wl_firmware* fw, uint32_t stream, uint32_t die);
uint32_t wl_cursor_follower(const struct wl_firmware* fw, uint32_t stream, uint32_t die);
/* Word lines of an h-layer. */
uint32_t wl_layer_word_lines(const struct wl_firmware* fw);
/* Whether so many word lines of a die hold data alone: of a superblock with its closing record, some do not. */
bool wl_cursor_in_data(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t leaders,
                       uint32_t followers);
/* Of a unit of a superblock. */
bool wl_unit_leads(const struct wl_firmware* fw, uint32_t unit);

/* ---- for the life of a superblock ---- */
void wl_cursors_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_cursors_reset(struct wl_firmware* fw, uint32_t stream);
void wl_cursors_copy(struct wl_firmware* fw, uint32_t from, uint32_t to);
void wl_cursors_placed(struct wl_firmware* fw, uint32_t stream, uint32_t unit);
/* A mount has found so many used in the open superblock of `stream`. */
void wl_cursor_found(struct wl_firmware* fw, uint32_t stream, uint32_t die, uint32_t leaders, uint32_t followers);
/* All of them, in words for a checkpoint; none where the policy has none. */
uint32_t wl_cursors_words(const struct wl_firmware* fw);
void wl_cursors_keep(const struct wl_firmware* fw, uint32_t* to);
void wl_cursors_found(struct wl_firmware* fw, const uint32_t* from);

#endif
