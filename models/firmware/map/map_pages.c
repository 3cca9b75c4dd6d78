/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/map_pages.h"

#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/state.h"

#if WL_HAS_LARGE_MAPS

#define TOMBSTONE 0x80000000u /* beside the place; PPAs have 31 bits, as in a map that cores address */

static struct wl_map_pages* pages_of(struct wl_firmware* fw) { return &wl_map_state(fw)->map_pages; }

void wl_map_pages_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (!wl_map_pages_kept(fw)) return;
  pages_of(fw)->entries =
      wl_arena_take(dram, (uint64_t)wl_boot_map_pages(&fw->boot) * wl_boot_map_entries(&fw->boot) * sizeof(uint32_t));
}

void wl_map_pages_boot(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t* addresses, wl_slot_t first) {
  struct wl_map_pages* p = pages_of(fw);
  p->address = wl_dram_address(hal, p->entries);
  p->addresses = addresses;
  p->first = first;
}

void wl_map_page_says(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value) {
  if (!wl_is_map_page(fw, lpn)) pages_of(fw)->entries[lpn] = value;
}

void wl_map_page_says_tombstone(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value) {
  wl_map_page_says(fw, lpn, value | TOMBSTONE);
}

void wl_map_page_says_moved(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value) {
  if (!wl_is_map_page(fw, lpn)) pages_of(fw)->entries[lpn] = value | (pages_of(fw)->entries[lpn] & TOMBSTONE);
}

static uint32_t address_of(struct wl_firmware* fw, uint32_t page) {
  return pages_of(fw)->address + page * wl_boot_map_entries(&fw->boot) * (uint32_t)sizeof(uint32_t);
}

static void set_address(struct wl_firmware* fw, wl_slot_t slot, uint32_t address) {
  pages_of(fw)->addresses[slot - pages_of(fw)->first] = address;
}

void wl_map_page_in_slot(struct wl_firmware* fw, wl_slot_t slot, uint32_t page) {
  set_address(fw, slot, address_of(fw, page) | WL_METADATA_WRITTEN);
}

void wl_map_page_out_of_slot(struct wl_firmware* fw, wl_slot_t slot) { set_address(fw, slot, 0); }

void wl_map_page_read_to(struct wl_firmware* fw, wl_slot_t slot, uint32_t page) {
  set_address(fw, slot, address_of(fw, page) | WL_METADATA_READ);
}

void wl_map_page_taken(struct wl_firmware* fw, uint32_t page) {
  struct wl_map* m = wl_map_state(fw);
  const uint32_t all = wl_boot_map_entries(&fw->boot);
  wl_lpn_t lpn = page * all;
  const uint32_t left = fw->boot.user_lpages - lpn, own = fw->boot.user_lpages + page;
  m->p2l[m->l2p[own] - WL_MAP_PPA0] = own + 1;
  for (const wl_lpn_t end = lpn + (left < all ? left : all); lpn != end; ++lpn) {
    const uint32_t said = m->map_pages.entries[lpn];
    const wl_map_value_t place = said & ~TOMBSTONE;
    m->durable[lpn] = (struct wl_durable){0};
    m->l2p[lpn] = place;
    if (place < WL_MAP_PPA0) continue;
    m->p2l[place - WL_MAP_PPA0] = lpn + 1;
    if (said == place) continue;
    m->durable[lpn].place = place;
    m->l2p[lpn] = WL_MAP_DEALLOCATED;
  }
}

#endif
