/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/under_way.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/space.h"

#define MERGED 0x80000000u /* beside the page */

static uint32_t entries(const struct wl_firmware* fw) {
  return wl_units_gc(fw) * fw->geometry.unit_lpages / wl_map_unit(fw);
}

static struct wl_page_under_way* entry_of(const struct wl_firmware* fw, wl_slot_t slot) {
  return &wl_reloc_view(fw)->pages[(slot - wl_unit(fw, wl_units_host(fw))->slot) / wl_map_unit(fw)];
}

void wl_under_way_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (!wl_has_small_pages(fw)) return;
  wl_reloc_state(fw)->pages = wl_arena_take(tcm, (uint64_t)entries(fw) * sizeof(wl_reloc_state(fw)->pages[0]));
}

void wl_under_way_boot(struct wl_firmware* fw) {
  if (!wl_has_small_pages(fw)) return;
  for (uint32_t i = 0; i < entries(fw); ++i) wl_reloc_state(fw)->pages[i].page = WL_NONE;
}

void wl_under_way_begins(struct wl_firmware* fw, wl_slot_t slot, uint32_t page, bool merged) {
  if (wl_has_small_pages(fw)) entry_of(fw, slot)->page = page | (merged ? MERGED : 0);
}

void wl_under_way_records(struct wl_firmware* fw, wl_slot_t slot, struct wl_merged_records records) {
  entry_of(fw, slot)->records = records;
}

const struct wl_merged_records* wl_under_way_merged(const struct wl_firmware* fw, wl_slot_t slot) {
  if (!wl_has_small_pages(fw)) return NULL;
  const struct wl_page_under_way* entry = entry_of(fw, slot);
  return entry->page == WL_NONE || (entry->page & MERGED) == 0 ? NULL : &entry->records;
}

uint32_t wl_under_way_slot(const struct wl_firmware* fw, uint32_t page, bool merged) {
  if (!wl_has_small_pages(fw)) return WL_NONE;
  const uint32_t entry = page | (merged ? MERGED : 0);
  for (uint32_t i = 0; i < entries(fw); ++i)
    if (wl_reloc_view(fw)->pages[i].page == entry) return wl_unit(fw, wl_units_host(fw))->slot + i * wl_map_unit(fw);
  return WL_NONE;
}

bool wl_under_way(const struct wl_firmware* fw, uint32_t page, bool merged) {
  return wl_under_way_slot(fw, page, merged) != WL_NONE;
}

uint32_t wl_under_way_ends(struct wl_firmware* fw, wl_slot_t slot) {
  if (!wl_has_small_pages(fw)) return WL_NONE;
  struct wl_page_under_way* entry = entry_of(fw, slot);
  const uint32_t page = entry->page;
  entry->page = WL_NONE;
  return page == WL_NONE || (page & MERGED) == 0 ? WL_NONE : page & ~MERGED;
}
