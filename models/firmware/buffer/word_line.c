/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/word_line.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"

void wl_word_lines_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_word_lines* w = &wl_buffer_state(fw)->word_lines;
  if (!wl_word_lines_shared(fw)) return;
  w->units = wl_arena_take(tcm, (uint64_t)fw->boot.dies * sizeof(w->units[0]));
}

void wl_word_lines_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_word_lines_shared(fw)) return;
  /* A word line that waits, one that is filled: else units would wait for buffers that they hold themselves. */
  const uint32_t least = 2 * fw->boot.ftl.word_line_programs;
  WL_ASSERT(hal, wl_buffer_view(fw)->host_units >= least && wl_buffer_view(fw)->gc_units >= least);
  for (uint32_t die = 0; die < fw->boot.dies; ++die) wl_buffer_state(fw)->word_lines.units[die] = WL_NO_INDEX;
}

/* ---- units that are placed, by die ---- */

static uint16_t* first_of_die(struct wl_firmware* fw, wl_ppa_t ppa) {
  return &wl_buffer_state(fw)->word_lines.units[wl_locate(&fw->geometry, ppa).die];
}

void wl_word_line_placed(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  uint16_t* first = first_of_die(fw, unit->ppa);
  unit->next = *first;
  *first = (uint16_t)u;
  if (!wl_stream_moves(unit->stream)) ++wl_buffer_state(fw)->word_lines.placed;
}

void wl_word_line_leaves(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  uint16_t* link = first_of_die(fw, unit->ppa);
  while (*link != u) link = &wl_buffer_state(fw)->units[*link].next;
  *link = unit->next;
  if (!wl_stream_moves(unit->stream)) --wl_buffer_state(fw)->word_lines.placed;
}

/* ---- ends ---- */

struct word_line { /* on a die */
  wl_ppa_t first;
  uint32_t step;   /* from the PPA of one of its units to the next */
  uint32_t placed; /* of its units, so far */
};

static struct word_line word_line_at(const struct wl_firmware* fw, wl_ppa_t ppa) {
  uint32_t in_superblock, program;
  const wl_superblock_t superblock = wl_divide(ppa, fw->geometry.superblock_lpages, &in_superblock);
  const uint32_t number = wl_word_line_of(fw, superblock, in_superblock / fw->geometry.unit_lpages, &program);
  const uint32_t step = fw->geometry.dies * fw->geometry.unit_lpages;
  const uint32_t placed = wl_superblock(fw, superblock)->units - number * fw->boot.ftl.word_line_programs;
  const uint32_t most = fw->boot.ftl.word_line_programs;
  const struct word_line at = {ppa - program * step, step, placed < most ? placed : most};
  return at;
}

static bool is_on(const struct wl_firmware* fw, const struct word_line* at, wl_ppa_t ppa) {
  wl_ppa_t p = at->first;
  for (uint32_t i = 0; i < fw->boot.ftl.word_line_programs; ++i, p += at->step)
    if (p == ppa) return true;
  return false;
}

/* Of a word line whose programs have begun, a unit that is not there has failed. */
enum wl_word_line_end wl_word_line_ended(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const struct word_line at = word_line_at(fw, unit->ppa);
  uint32_t there = 0, ended = 0;
  unit->control |= WL_UNIT_ENDED;
  for (uint32_t o = *first_of_die(fw, unit->ppa); o != WL_NO_INDEX; o = wl_buffer_view(fw)->units[o].next) {
    const struct wl_unit* other = &wl_buffer_view(fw)->units[o];
    if (!is_on(fw, &at, other->ppa)) continue;
    ++there;
    ended += (other->control & WL_UNIT_ENDED) != 0;
  }
  if (there < at.placed || wl_superblock_word_line(fw, unit->ppa) == WL_WORD_LINE_LEFT) return WL_UNIT_IS_ALONE;
  return ended == fw->boot.ftl.word_line_programs ? WL_UNIT_COMPLETES : WL_UNIT_WAITS;
}

wl_unit_t wl_word_line_next(struct wl_firmware* fw, wl_ppa_t ppa) {
  const struct word_line at = word_line_at(fw, ppa);
  for (uint32_t u = *first_of_die(fw, ppa); u != WL_NO_INDEX; u = wl_buffer_view(fw)->units[u].next) {
    const struct wl_unit* unit = &wl_buffer_view(fw)->units[u];
    if ((unit->control & WL_UNIT_ENDED) != 0 && is_on(fw, &at, unit->ppa)) return u;
  }
  return WL_NONE;
}

wl_unit_t wl_word_line_next_left(struct wl_firmware* fw) {
  const struct wl_buffer* b = wl_buffer_view(fw);
  for (uint32_t die = 0; die < fw->boot.dies; ++die)
    for (uint32_t u = b->word_lines.units[die]; u != WL_NO_INDEX; u = b->units[u].next)
      if ((b->units[u].control & WL_UNIT_ENDED) != 0 &&
          wl_superblock_word_line(fw, b->units[u].ppa) == WL_WORD_LINE_LEFT)
        return u;
  return WL_NONE;
}
