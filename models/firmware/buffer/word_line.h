/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Word lines that take several programs, with ftl.recovery: a later program that is cut destroys what the earlier ones
 * have written. So nothing counts as programmed before its word line is complete: until then the unit stays in the
 * buffer, reads are served from there, and the copy that it replaces is valid. The programs of a word line follow each
 * other (WL_ORDER_WHOLE), thus one word line of a write point is begun at most, and its rest is padding where somebody
 * waits for it.
 *
 * Where a program fails, all units of its word line are programmed elsewhere; so are those of a word line that stays
 * half filled because its superblock was closed.
 *
 * Costs: two bytes of tightly coupled memory a die, and the slots of units that wait.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_WORD_LINE_H
#define WORDLINE_FIRMWARE_BUFFER_WORD_LINE_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_word_lines_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_word_lines_boot(struct wl_firmware* fw, const struct wl_hal* hal);

enum wl_word_line_end {
  WL_UNIT_WAITS,     /* for other programs of its word line */
  WL_UNIT_COMPLETES, /* its word line: those that wl_word_line_next gives are programmed */
  WL_UNIT_IS_ALONE,  /* others are missing, or never come: it is programmed elsewhere */
};
/* The program of the unit has succeeded. */
WL_MUST_CHECK enum wl_word_line_end wl_word_line_ended(struct wl_firmware* fw, wl_unit_t unit);
/* One whose program has ended, of the word line at `ppa`; WL_NONE: there is none. */
WL_MUST_CHECK wl_unit_t wl_word_line_next(struct wl_firmware* fw, wl_ppa_t ppa);
/* ... of any word line that stays half filled. */
WL_MUST_CHECK wl_unit_t wl_word_line_next_left(struct wl_firmware* fw);
/* A unit is placed; it is programmed elsewhere, or its word line is complete. */
void wl_word_line_placed(struct wl_firmware* fw, wl_unit_t unit);
void wl_word_line_leaves(struct wl_firmware* fw, wl_unit_t unit);

/* What is on its way to the open superblock of the host, or of moved data, is followed by as much padding as completes
 * the last word line. */
void wl_word_lines_complete(struct wl_firmware* fw, bool moves);
/* Goes on with that where there was no unit for it. */
void wl_word_lines_go_on(struct wl_firmware* fw);
/* ... where units of the host wait, whatever superblocks those are. */
void wl_word_lines_flush(struct wl_firmware* fw);

#endif
