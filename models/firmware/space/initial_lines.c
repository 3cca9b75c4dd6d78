/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/initial_lines.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/closed_lines.h"
#include "models/firmware/space/free_lines.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/wear.h"

static void close(struct wl_firmware* fw, const struct wl_initial_line* from) {
  struct wl_line* l = &fw->space.line[from->line];
  l->valid = from->valid;
  l->bad = from->bad;
  l->state = WL_LINE_CLOSED;
  l->units = fw->geometry.line_units;
  if (!l->bad) fw->space.region[0].stale_sectors += fw->geometry.line_sectors - l->valid;
  wl_closed_insert(fw, from->line);
}

/* One pass over the table, whose order is that of the lists, once the erases are known. */
void wl_initial_lines(struct wl_firmware* fw, const struct wl_hal* hal) {
  const void* at = wl_dram(hal) + (fw->initial.lines - WL_DRAM_BASE);
  const struct wl_initial_line* table = at;
  for (uint32_t i = 0; i < fw->space.lines; ++i) wl_wear_found(fw, table[i].line, table[i].erases);
  for (uint32_t i = 0; i < fw->space.lines; ++i) {
    if (table[i].state == WL_INITIAL_FREE) {
      wl_line_free(fw, table[i].line);
    } else if (table[i].state == WL_INITIAL_CLOSED) {
      close(fw, &table[i]);
    } else {
      WL_ASSERT(hal, table[i].state == WL_INITIAL_RETIRED);
      wl_line_retire(fw, table[i].line);
    }
  }
  wl_wear_all_found(fw);
}
