/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/initial_superblocks.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/wear.h"

static void open(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_initial_superblock* from) {
  const uint32_t stream = from->state == WL_INITIAL_OPEN_FOR_HOST ? WL_STREAM_HOST : WL_STREAM_GC;
  WL_ASSERT(hal, wl_space_state(fw)->open_superblock[stream] == WL_NONE && from->units < fw->geometry.superblock_units);
  WL_ASSERT(hal, !wl_space_state(fw)->plan.by_word_line && !wl_superblock_is_small(fw, from->superblock));
  if (!wl_units_by_row(fw, from->units)) {
    wl_superblock_found_closed(fw, from->superblock, from->valid, false);
    return;
  }
  wl_superblock_found_open(fw, from->superblock, from->valid, from->units);
  wl_space_state(fw)->open_superblock[stream] = from->superblock;
  wl_space_state(fw)->superblock[from->superblock].handle = wl_handle_of_stream(fw, stream);
}

/* One pass over the table, whose order is that of the lists, once the erases are known. */
void wl_initial_superblocks(struct wl_firmware* fw, const struct wl_hal* hal) {
  const void* at = wl_dram(hal) + (wl_initial_state_of(fw)->superblocks - WL_DRAM_BASE);
  const struct wl_initial_superblock* table = at;
  for (uint32_t i = 0; i < wl_space_state(fw)->superblocks; ++i)
    wl_wear_found(fw, table[i].superblock, table[i].erases);
  for (uint32_t i = 0; i < wl_space_state(fw)->superblocks; ++i) {
    if (table[i].state == WL_INITIAL_FREE) {
      wl_superblock_free(fw, table[i].superblock);
    } else if (table[i].state == WL_INITIAL_CLOSED) {
      wl_superblock_found_closed(fw, table[i].superblock, table[i].valid, table[i].bad != 0);
    } else if (table[i].state != WL_INITIAL_RETIRED) {
      open(fw, hal, &table[i]);
    } else {
      wl_superblock_retire(fw, table[i].superblock);
    }
  }
  wl_wear_all_found(fw);
}
