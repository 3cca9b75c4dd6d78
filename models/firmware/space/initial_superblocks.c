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
    } else {
      WL_ASSERT(hal, table[i].state == WL_INITIAL_RETIRED);
      wl_superblock_retire(fw, table[i].superblock);
    }
  }
  wl_wear_all_found(fw);
}
