/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/cursors.h"

#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"

uint32_t wl_layer_word_lines(const struct wl_firmware* fw) { return fw->boot.layers.pages / fw->geometry.unit_pages; }

/* The other orders: word lines of an h-layer are one unit each there (boot information, checked with the order). */
static uint32_t row_in_order(const struct wl_firmware* fw, uint32_t number) {
  const uint32_t layers = fw->boot.layers.count;
  const uint32_t wide = wl_layer_word_lines(fw);
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
  if (wl_has_parity(fw)) return wl_stripe_unit(fw, superblock, count);
  uint32_t program, die;
  const uint32_t word_line = wl_divide(count, programs_of_word_line(fw), &program);
  const uint32_t row = wl_divide(word_line, fw->geometry.dies, &die);
  die += first_die(fw, superblock, row);
  if (die >= fw->geometry.dies) die -= fw->geometry.dies;
  return (row * programs_of_word_line(fw) + program) * fw->geometry.dies + die;
}

uint32_t wl_unit_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count) {
  if (__builtin_expect(fw->boot.ftl.recovery != 0, 0)) return unit_before_record(fw, superblock, count);
  if (wl_has_parity(fw)) return wl_stripe_unit(fw, superblock, count);
  return wl_unit_in_order(fw, count);
}

__attribute__((noinline, cold)) bool wl_units_by_row(const struct wl_firmware* fw, uint32_t count) {
  const uint32_t row = fw->geometry.dies * programs_of_word_line(fw); /* of word lines */
  uint32_t data, rest;
  const uint32_t rows = wl_divide(fw->kind[0].superblock_units, row, &data); /* which begin in die 0 */
  const uint32_t full = wl_divide(count, row, &rest);
  if (count >= fw->kind[0].superblock_units || (wl_word_lines_shared(fw) && rest != 0)) return false;
  return full < rows || (full == rows && rest == 0);
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

/* Rows whose unit in this die holds data; those behind hold a part of the closing record. */
__attribute__((noinline, cold)) static uint32_t data_rows(const struct wl_firmware* fw, wl_superblock_t superblock,
                                                          uint32_t die) {
  const uint32_t dies = fw->geometry.dies;
  uint32_t data;
  const uint32_t rows = wl_divide(fw->kind[0].superblock_units, dies, &data);
  const uint32_t first = first_die(fw, superblock, rows);
  return rows + ((die < first ? die + dies - first : die - first) < data);
}

static bool holds_data(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t die) {
  return __builtin_expect(fw->boot.ftl.recovery == 0, 1) || row < data_rows(fw, superblock, die);
}

static uint32_t unit_in_data(const struct wl_firmware* fw, uint32_t stream, uint32_t row, uint32_t die) {
  return holds_data(fw, wl_superblock_opened(fw, stream), row, die) ? row * fw->geometry.dies + die : WL_NONE;
}

static uint32_t follower_row(const struct wl_firmware* fw, uint32_t number, uint32_t* layer) {
  const uint32_t wide = wl_layer_word_lines(fw);
  uint32_t rest;
  *layer = wl_divide(number, wide - 1, &rest);
  return *layer * wide + 1 + rest;
}

uint32_t wl_cursor_leader(const struct wl_firmware* fw, uint32_t stream, uint32_t die) {
  const uint32_t layer = cursor(fw, stream, die)->leader;
  if (layer == fw->boot.layers.count) return WL_NONE;
  return unit_in_data(fw, stream, layer * wl_layer_word_lines(fw), die);
}

uint32_t wl_cursor_follower(const struct wl_firmware* fw, uint32_t stream, uint32_t die) {
  const struct wl_cursor* c = cursor(fw, stream, die);
  if (wl_layer_word_lines(fw) == 1) return WL_NONE;
  uint32_t layer;
  const uint32_t row = follower_row(fw, c->follower, &layer);
  return layer >= c->leader ? WL_NONE : unit_in_data(fw, stream, row, die);
}

bool wl_cursor_in_data(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t leaders,
                       uint32_t followers) {
  const uint32_t rows = data_rows(fw, superblock, die);
  uint32_t layer;
  return (leaders == 0 || (leaders - 1) * wl_layer_word_lines(fw) < rows) &&
         (followers == 0 || follower_row(fw, followers - 1, &layer) < rows);
}

bool wl_unit_leads(const struct wl_firmware* fw, uint32_t unit) {
  return unit / fw->geometry.dies % wl_layer_word_lines(fw) == 0;
}

uint32_t wl_cursors_words(const struct wl_firmware* fw) {
  const struct wl_space_plan* plan = &wl_space_view(fw)->plan;
  return plan->by_word_line ? ((uint32_t)plan->host_streams + plan->move_streams) * fw->geometry.dies : 0;
}

void wl_cursors_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (!wl_space_state(fw)->plan.by_word_line) return;
  wl_space_state(fw)->cursors =
      wl_arena_take(tcm, (uint64_t)wl_cursors_words(fw) * sizeof(wl_space_state(fw)->cursors[0]));
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

void wl_cursor_found(struct wl_firmware* fw, uint32_t stream, uint32_t die, uint32_t leaders, uint32_t followers) {
  *cursor(fw, stream, die) = (struct wl_cursor){(uint16_t)leaders, (uint16_t)followers};
}

void wl_cursors_keep(const struct wl_firmware* fw, uint32_t* to) {
  const struct wl_cursor* from = wl_space_view(fw)->cursors;
  for (uint32_t i = 0; i != wl_cursors_words(fw); ++i) to[i] = (uint32_t)from[i].leader << 16u | from[i].follower;
}

void wl_cursors_found(struct wl_firmware* fw, const uint32_t* from) {
  struct wl_cursor* to = wl_space_state(fw)->cursors;
  for (uint32_t i = 0; i != wl_cursors_words(fw); ++i)
    to[i] = (struct wl_cursor){(uint16_t)(from[i] >> 16u), (uint16_t)from[i]};
}
