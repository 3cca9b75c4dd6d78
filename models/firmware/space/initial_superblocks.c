/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/initial_superblocks.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/free_superblocks.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/wear.h"

static void close(struct wl_firmware* fw, const struct wl_initial_superblock* from) {
  struct wl_superblock* sb = &fw->space.superblock[from->superblock];
  sb->valid = from->valid;
  sb->bad = from->bad;
  sb->state = WL_SUPERBLOCK_CLOSED;
  sb->units = fw->geometry.superblock_units;
  if (!sb->bad) fw->space.region[0].stale_sectors += fw->geometry.superblock_sectors - sb->valid;
  wl_closed_insert(fw, from->superblock);
}

static void open(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_initial_superblock* from) {
  const uint32_t stream = from->state == WL_INITIAL_OPEN_FOR_HOST ? WL_STREAM_HOST : WL_STREAM_GC;
  struct wl_superblock* sb = &fw->space.superblock[from->superblock];
  WL_ASSERT(hal, fw->space.open_superblock[stream] == WL_NONE && from->units < fw->geometry.superblock_units);
  WL_ASSERT(hal, !fw->space.plan.by_word_line && !wl_superblock_is_small(fw, from->superblock));
  sb->valid = from->valid;
  sb->state = WL_SUPERBLOCK_OPEN;
  sb->units = from->units;
  sb->next = WL_NONE;
  fw->space.open_superblock[stream] = from->superblock;
}

/* One pass over the table, whose order is that of the lists, once the erases are known. */
void wl_initial_superblocks(struct wl_firmware* fw, const struct wl_hal* hal) {
  const void* at = wl_dram(hal) + (fw->initial.superblocks - WL_DRAM_BASE);
  const struct wl_initial_superblock* table = at;
  for (uint32_t i = 0; i < fw->space.superblocks; ++i) wl_wear_found(fw, table[i].superblock, table[i].erases);
  for (uint32_t i = 0; i < fw->space.superblocks; ++i) {
    if (table[i].state == WL_INITIAL_FREE) {
      wl_superblock_free(fw, table[i].superblock);
    } else if (table[i].state == WL_INITIAL_CLOSED) {
      close(fw, &table[i]);
    } else if (table[i].state != WL_INITIAL_RETIRED) {
      open(fw, hal, &table[i]);
    } else {
      wl_superblock_retire(fw, table[i].superblock);
    }
  }
  wl_wear_all_found(fw);
}
