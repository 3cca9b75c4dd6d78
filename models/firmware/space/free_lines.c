/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/free_lines.h"

void wl_line_free(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  l->state = WL_LINE_FREE;
  l->next = WL_NONE;
  if (WL_REGION(fw)->free_head == WL_NONE)
    WL_REGION(fw)->free_head = line;
  else
    fw->space.line[WL_REGION(fw)->free_tail].next = line;
  WL_REGION(fw)->free_tail = line;
  ++fw->statistics.free_lines;
}
