/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/state.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"

/* Units that are full, but not placed yet. */
static uint32_t on_their_way(const struct wl_firmware* fw, uint32_t stream) {
  const struct wl_buffer* b = wl_buffer_view(fw);
  if (!wl_stream_moves(stream)) return b->dirty_units - b->word_lines.placed - (b->open_unit[stream] != WL_NONE);
  uint32_t count = 0;
  for (wl_unit_t u = b->host_units; u < b->host_units + b->gc_units; ++u)
    count +=
        b->units[u].stream == stream && (b->units[u].state == WL_UNIT_CLOSING || b->units[u].state == WL_UNIT_READY);
  return count;
}

/* False: no unit is free for it. */
static bool complete(struct wl_firmware* fw, uint32_t stream) {
  const wl_superblock_t superblock = wl_superblock_opened(fw, stream);
  const uint32_t placed = superblock == WL_NONE ? 0 : wl_superblock(fw, superblock)->units;
  const uint32_t programs = fw->boot.ftl.word_line_programs;
  for (uint32_t units = placed + on_their_way(fw, stream); units % programs != 0; ++units)
    if (!wl_buffer_pad(fw, stream)) return false;
  return true;
}

static uint32_t end_of_moves(const struct wl_firmware* fw) {
  return (uint32_t)WL_STREAM_GC + wl_plan(fw)->move_streams;
}

__attribute__((noinline)) void wl_word_lines_complete(struct wl_firmware* fw, bool moves) {
  const uint32_t end = moves ? end_of_moves(fw) : WL_STREAM_HOST + 1u;
  bool done = true;
  for (uint32_t stream = moves ? WL_STREAM_GC : WL_STREAM_HOST; stream != end; ++stream) done &= complete(fw, stream);
  wl_buffer_state(fw)->word_lines.wanted[moves] = !done;
}

__attribute__((noinline)) void wl_word_lines_go_on(struct wl_firmware* fw) {
  for (uint32_t moves = 0; moves != 2; ++moves)
    if (wl_buffer_view(fw)->word_lines.wanted[moves]) wl_word_lines_complete(fw, moves != 0);
}

/* Whether the host's units wait in the word line that is begun in the open superblock of `stream`. */
static bool host_waits_in(const struct wl_firmware* fw, uint32_t stream) {
  const struct wl_buffer* b = wl_buffer_view(fw);
  const wl_superblock_t superblock = wl_superblock_opened(fw, stream);
  if (superblock == WL_NONE) return false;
  uint32_t program, die;
  const uint32_t word_line = wl_divide(wl_superblock(fw, superblock)->units, fw->boot.ftl.word_line_programs, &program);
  if (program == 0) return false;
  (void)wl_divide(word_line, fw->geometry.dies, &die);
  for (uint32_t u = b->word_lines.units[die]; u != WL_NO_INDEX; u = b->units[u].next)
    if (!wl_stream_moves(b->units[u].stream) && wl_superblock_of(fw, b->units[u].ppa) == superblock) return true;
  return false;
}

__attribute__((noinline)) void wl_word_lines_flush(struct wl_firmware* fw) {
  wl_word_lines_complete(fw, false);
  /* Moved data may have taken over a superblock of the host, whose last word line waits for them. */
  for (uint32_t stream = WL_STREAM_GC; stream != end_of_moves(fw); ++stream) {
    if (!host_waits_in(fw, stream)) continue;
    wl_word_lines_complete(fw, true);
    return;
  }
}
