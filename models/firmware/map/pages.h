/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map by pages of one plane (ftl.map = page): an entry for each page of logical space, with a bit for each of its
 * sectors that says whether it holds data. A mapped page lies whole and aligned in one page of flash, or in an aligned
 * run of slots of the write buffer: its entry has the first PPA or slot. What it lies in counts as full, so a
 * superblock has so many valid sectors as its mapped pages have room for, whether they hold data or not.
 *
 * Costs: an entry of 4 bytes and 4 bytes of bits for a page, 4 bytes of the inverse; a division per look-up.
 */
#ifndef WORDLINE_FIRMWARE_MAP_PAGES_H
#define WORDLINE_FIRMWARE_MAP_PAGES_H

#include "models/firmware/context.h"

void wl_map_pages_boot(struct wl_firmware* fw, const struct wl_hal* hal);

struct wl_mapped_page {
  uint32_t value;   /* wl_map value of its first sector */
  uint32_t present; /* sectors that hold data; 0: value is WL_MAP_DEALLOCATED */
  uint32_t lost;    /* sectors that could not be read */
};
struct wl_mapped_page wl_map_page(const struct wl_firmware* fw, uint32_t page);
uint32_t wl_map_page_all(const struct wl_firmware* fw, uint32_t page); /* bits of the sectors that exist */
static inline uint32_t wl_map_page_of(const struct wl_firmware* fw, uint32_t lpn, uint32_t* sector) {
  return wl_divide(lpn, fw->boot.ftl.map_page, sector);
}
static inline uint32_t wl_map_count(uint32_t bits) { /* of a page: the cores have no instruction for it */
  bits = bits - (bits >> 1 & 0x5555);
  bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
  bits = (bits + (bits >> 4)) & 0x0f0f;
  return (bits + (bits >> 8)) & 0x1f;
}

/* Data of `sectors` have arrived in the page of slots from `slot` on; it holds those that were present before, too. */
void wl_map_page_put(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t slot, uint32_t sectors);
void wl_map_page_gone(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t value);
/* `sectors` of the page are programmed at `ppa`, the others with them. Returns how many sectors are valid there. */
uint32_t wl_map_page_modified(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t ppa,
                              uint32_t sectors);
/* A copy of the page with the sectors `present` is programmed at `to`: the valid one from now on. */
void wl_map_page_merged(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t to, uint32_t present);
uint32_t wl_map_commit_pages(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t unit);
/* Page that lies at the page of PPAs that begins with `ppa`, or WL_NONE. */
uint32_t wl_map_page_at(const struct wl_firmware* fw, uint32_t ppa);
/* A copy of the page is programmed. True: it is the valid one now. */
bool wl_map_page_move(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t from, uint32_t to);

#endif
