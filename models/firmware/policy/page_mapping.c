/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/page_mapping.h"

#include "models/firmware/space/space.h"

uint32_t wl_page_place(struct wl_firmware* fw, uint32_t stream) {
  const uint32_t line = wl_line_opened(fw, stream);
  if (line != WL_NONE) return line;
  if (stream == WL_STREAM_HOST && wl_lines_free(fw) <= wl_lines_reserve(fw)) return WL_NONE;
  return wl_line_open(fw, stream);
}

bool wl_page_collect(const struct wl_firmware* fw) {
  return wl_lines_free(fw) + wl_lines_erasing(fw) <= wl_lines_start(fw);
}
