/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/cursors.h"

#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

static uint32_t units_per_layer(const struct wl_firmware* fw) {
  return fw->boot.layers.pages / fw->geometry.unit_pages;
}

/* The other orders: word lines of an h-layer are one unit each there (boot information, checked with the order). */
static uint32_t row_in_order(const struct wl_firmware* fw, uint32_t number) {
  const uint32_t layers = fw->boot.layers.count;
  const uint32_t wide = units_per_layer(fw);
  uint32_t layer, rest;
  if (fw->boot.ftl.word_line_order == WL_ORDER_VERTICAL) {
    rest = wl_divide(number, layers, &layer);
    return layer * wide + rest;
  }
  if (number < layers) return number * wide;
  layer = wl_divide(number - layers, wide - 1, &rest);
  return layer * wide + 1 + rest;
}

static uint32_t unit_of_word_line(const struct wl_firmware* fw, uint32_t count) {
  uint32_t program, die;
  const uint32_t word_line = wl_divide(count, fw->boot.ftl.word_line_programs, &program);
  const uint32_t row = wl_divide(word_line, fw->geometry.dies, &die);
  return (row * fw->boot.ftl.word_line_programs + program) * fw->geometry.dies + die;
}

static uint32_t programs_of_word_line(const struct wl_firmware* fw) {
  return wl_word_lines_shared(fw) ? fw->boot.ftl.word_line_programs : 1;
}

/* The die in which this row of word lines begins. */
static uint32_t first_die(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row) {
  const uint32_t dies = fw->geometry.dies;
  uint32_t data, first;
  const uint32_t rows = wl_divide(fw->kind[0].superblock_units / programs_of_word_line(fw), dies, &data);
  if (row < rows) return 0;
  (void)wl_divide(superblock + (row == rows && data != 0 ? dies - data : 0), dies, &first);
  return first;
}

__attribute__((noinline, cold)) uint32_t wl_word_line_of(const struct wl_firmware* fw, wl_superblock_t superblock,
                                                         uint32_t unit, uint32_t* program) {
  uint32_t die;
  const uint32_t row = wl_divide(wl_divide(unit, fw->geometry.dies, &die), programs_of_word_line(fw), program);
  const uint32_t first = first_die(fw, superblock, row);
  return row * fw->geometry.dies + (die < first ? die + fw->geometry.dies - first : die - first);
}

__attribute__((noinline, cold)) static uint32_t unit_before_record(const struct wl_firmware* fw,
                                                                   wl_superblock_t superblock, uint32_t count) {
  uint32_t program, die;
  const uint32_t word_line = wl_divide(count, programs_of_word_line(fw), &program);
  const uint32_t row = wl_divide(word_line, fw->geometry.dies, &die);
  die += first_die(fw, superblock, row);
  if (die >= fw->geometry.dies) die -= fw->geometry.dies;
  return (row * programs_of_word_line(fw) + program) * fw->geometry.dies + die;
}

uint32_t wl_unit_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count) {
  if (__builtin_expect(fw->boot.ftl.recovery != 0, 0)) return unit_before_record(fw, superblock, count);
  return wl_unit_in_order(fw, count);
}

uint32_t wl_unit_in_order(const struct wl_firmware* fw, uint32_t count) {
  if (fw->boot.ftl.word_line_order == WL_ORDER_HORIZONTAL) return count;
  if (fw->boot.ftl.word_line_order == WL_ORDER_WHOLE) return unit_of_word_line(fw, count);
  uint32_t die;
  const uint32_t row = wl_divide(count, fw->geometry.dies, &die);
  return row_in_order(fw, row) * fw->geometry.dies + die;
}

static struct wl_cursor* cursor(const struct wl_firmware* fw, uint32_t stream, uint32_t die) {
  const struct wl_space* s = wl_space_view(fw);
  const uint32_t row = wl_stream_moves(stream) ? stream - WL_STREAM_GC + s->plan.host_streams : stream;
  return &s->cursors[row * fw->geometry.dies + die];
}

uint32_t wl_cursor_leader(const struct wl_firmware* fw, uint32_t stream, uint32_t die) {
  const uint32_t layer = cursor(fw, stream, die)->leader;
  return layer == fw->boot.layers.count ? WL_NONE : layer * units_per_layer(fw) * fw->geometry.dies + die;
}

uint32_t wl_cursor_follower(const struct wl_firmware* fw, uint32_t stream, uint32_t die) {
  const struct wl_cursor* c = cursor(fw, stream, die);
  const uint32_t wide = units_per_layer(fw);
  if (wide == 1) return WL_NONE;
  uint32_t rest;
  const uint32_t layer = wl_divide(c->follower, wide - 1, &rest);
  return layer >= c->leader ? WL_NONE : (layer * wide + 1 + rest) * fw->geometry.dies + die;
}

bool wl_unit_leads(const struct wl_firmware* fw, uint32_t unit) {
  return unit / fw->geometry.dies % units_per_layer(fw) == 0;
}

void wl_cursors_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (!wl_space_state(fw)->plan.by_word_line) return;
  const uint32_t streams = wl_space_state(fw)->plan.host_streams + wl_space_state(fw)->plan.move_streams;
  wl_space_state(fw)->cursors =
      wl_arena_take(tcm, (uint64_t)streams * fw->geometry.dies * sizeof(wl_space_state(fw)->cursors[0]));
}

void wl_cursors_reset(struct wl_firmware* fw, uint32_t stream) {
  if (wl_space_state(fw)->cursors == NULL) return;
  for (uint32_t die = 0; die < fw->geometry.dies; ++die) *cursor(fw, stream, die) = (struct wl_cursor){0, 0};
}

void wl_cursors_copy(struct wl_firmware* fw, uint32_t from, uint32_t to) {
  if (wl_space_state(fw)->cursors == NULL) return;
  for (uint32_t die = 0; die < fw->geometry.dies; ++die) *cursor(fw, to, die) = *cursor(fw, from, die);
}

void wl_cursors_placed(struct wl_firmware* fw, uint32_t stream, uint32_t unit) {
  struct wl_cursor* c = cursor(fw, stream, unit % fw->geometry.dies);
  if (wl_unit_leads(fw, unit))
    ++c->leader;
  else
    ++c->follower;
}
