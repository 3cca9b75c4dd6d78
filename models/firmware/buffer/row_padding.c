/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/row_padding.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/parity.h"
#include "models/firmware/buffer/state.h"
#include "models/firmware/space/erase_all.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"

static bool is_on_its_way(const struct wl_unit* unit, uint32_t stream) {
  return unit->stream == stream && (unit->state == WL_UNIT_CLOSING || unit->state == WL_UNIT_READY);
}

/* Padding for the last row of the open superblock of `stream`, behind what is on its way there. False: no unit is free
 * for it. */
static bool fill_row(struct wl_firmware* fw, uint32_t stream) {
  const struct wl_buffer* b = wl_buffer_view(fw);
  const wl_superblock_t superblock = wl_superblock_opened(fw, stream);
  if (superblock == WL_NONE) return true;
  uint32_t left, units = wl_superblock(fw, superblock)->units;
  for (wl_unit_t u = 0; u != b->host_units + b->gc_units; ++u) units += is_on_its_way(&b->units[u], stream);
  const uint32_t width = wl_stripe_width(fw);
  for ((void)wl_divide(units, width, &left); left != 0 && left != width; ++left) {
    if (!wl_buffer_pad(fw, stream)) return false;
  }
  return true;
}

bool wl_rows_rest(struct wl_firmware* fw) {
  if (!wl_has_parity(fw) || wl_parity_ended(fw)) return true;
  bool filled = !wl_space_stopped(fw);
  for (uint32_t stream = WL_STREAM_HOST; filled && stream != wl_plan(fw)->host_streams; ++stream)
    filled = fill_row(fw, stream);
  const uint32_t end = (uint32_t)WL_STREAM_GC + wl_plan(fw)->move_streams;
  for (uint32_t stream = WL_STREAM_GC; filled && stream != end; ++stream) filled = fill_row(fw, stream);
  if (!filled && wl_buffer_dirty(fw) == 0) wl_superblocks_close_all(fw);
  return false;
}
