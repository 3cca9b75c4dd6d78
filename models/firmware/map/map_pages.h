/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With ftl.map_cache and ftl.recovery: what map pages on flash say, for the mount after a clean shutdown. An entry is
 * the place of the copy that flash has of a logical page (durable.h), not what the write buffer has: a shutdown leaves
 * nothing there. Programs of map pages take the bytes from here, by FLASH.METADATA_TABLE (contract/flash_ring.h);
 * copies by GC, too, so they say the newest.
 *
 * Costs: four bytes of DRAM for a logical page.
 */
#ifndef WORDLINE_FIRMWARE_MAP_MAP_PAGES_H
#define WORDLINE_FIRMWARE_MAP_MAP_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/hal.h"

static inline bool wl_map_pages_kept(const struct wl_firmware* fw) {
  return wl_map_cached(fw) && fw->boot.ftl.recovery != 0;
}
void wl_map_pages_layout(struct wl_firmware* fw, struct wl_arena* dram);
/* `addresses`: the metadata table, of the slots from `first` on. */
void wl_map_pages_boot(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t* addresses, wl_slot_t first);

/* ---- entries ---- */
/* The copy of the logical page is at `value`, a wl_map value; or nowhere, WL_MAP_INITIAL; or lost, WL_MAP_LOST. */
void wl_map_page_says(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value);
void wl_map_page_says_tombstone(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value);
/* What it says is at `value` now: data, or a tombstone, as before. */
void wl_map_page_says_moved(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value);

/* ---- slots of GC ---- */
/* It will be programmed with the map page. */
void wl_map_page_in_slot(struct wl_firmware* fw, wl_slot_t slot, uint32_t page);
/* Its program has ended. */
void wl_map_page_out_of_slot(struct wl_firmware* fw, wl_slot_t slot);

/* ---- mount ---- */
/* A read into the slot brings the map page. */
void wl_map_page_read_to(struct wl_firmware* fw, wl_slot_t slot, uint32_t page);
/* It has come: map, inverse and tombstones are what it says. */
void wl_map_page_taken(struct wl_firmware* fw, uint32_t page);

#endif
