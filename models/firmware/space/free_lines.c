/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/free_lines.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

/* Whether `line` goes behind `other` in the list. */
static bool behind(const struct wl_firmware* fw, uint32_t line, uint32_t other) {
  return fw->boot.replacement.least_worn_first == 0 || wl_wear_of(fw, other) <= wl_wear_of(fw, line);
}

void wl_line_free(struct wl_firmware* fw, uint32_t line) {
  struct wl_space* s = &fw->space;
  struct wl_line* l = &s->line[line];
  l->state = WL_LINE_FREE;
  l->next = WL_NONE;
  struct wl_region* r = wl_region_of(fw, line);
  if (r->free_head == WL_NONE) {
    r->free_head = line;
    r->free_tail = line;
  } else if (behind(fw, line, r->free_tail)) {
    s->line[r->free_tail].next = line;
    r->free_tail = line;
  } else {
    uint32_t* link = &r->free_head;
    while (behind(fw, line, *link)) link = &s->line[*link].next;
    l->next = *link;
    *link = line;
  }
  ++r->free_lines;
  ++fw->statistics.free_lines;
}

void wl_line_retire(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].state = WL_LINE_RETIRED;
  wl_spares_give_back(fw, line);
  wl_wear_retired(fw, line);
  ++fw->statistics.blocks.retired_lines;
  struct wl_region* r = wl_region_of(fw, line);
  if (wl_kind_of_line(fw, line)->lines - ++r->retired_lines < r->needed_lines) fw->space.read_only = true;
  wl_kick(fw, WL_STEP_WRITE | WL_STEP_GC | WL_STEP_PLACE);
}
