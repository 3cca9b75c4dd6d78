/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/page_mapping.h"

#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

uint32_t wl_page_place(struct wl_firmware* fw, uint32_t stream) {
  if (stream == WL_STREAM_HOST && !wl_pace_places(fw)) return WL_NONE;
  const uint32_t line = wl_line_opened(fw, stream);
  if (line != WL_NONE) return line;
  if (stream == WL_STREAM_HOST && wl_lines_short(fw) && !wl_line_prepared(fw)) return WL_NONE;
  const uint32_t opened = wl_line_open(fw, stream);
  if (opened != WL_NONE || stream == WL_STREAM_HOST) return opened;
  return wl_line_take_over(fw) ? wl_line_opened(fw, stream) : WL_NONE;
}

bool wl_page_collect(const struct wl_firmware* fw) {
  return wl_lines_free(fw) + wl_lines_erasing(fw) + wl_lines_draining(fw) <= wl_lines_start(fw);
}
