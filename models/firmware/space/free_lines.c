/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/free_lines.h"

void wl_line_free(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  l->state = WL_LINE_FREE;
  l->next = WL_NONE;
  if (fw->space.free_head == WL_NONE)
    fw->space.free_head = line;
  else
    fw->space.line[fw->space.free_tail].next = line;
  fw->space.free_tail = line;
  ++fw->statistics.free_lines;
}
