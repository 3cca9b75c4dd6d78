/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where a physical page address (PPA) lies, here that of a logical page. A superblock is one block index on all planes
 * of all dies. A unit is what one program operation writes: pages_per_program pages of all planes of one die. Logical
 * pages are numbered over the drive in the order in which a superblock is filled, unit by unit over all dies: ppa =
 * (superblock * superblock_units + unit) * unit_lpages + logical page.
 *
 * The sequential fill of a preconditioned drive puts logical page n at PPA n. Firmware (map entries never written) and
 * dies (pages never written) both follow this rule, so a full drive costs no memory and no replay.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_GEOMETRY_H
#define WORDLINE_FIRMWARE_CONTRACT_GEOMETRY_H

#include <stdint.h>

#include "models/firmware/contract/address.h"

struct wl_geometry {
  uint32_t dies;
  uint32_t page_lpages; /* of all planes */
  uint32_t unit_pages;  /* pages of one plane written by one program operation */
  uint32_t unit_lpages;
  uint32_t superblock_units;
  uint32_t superblock_lpages;
};

struct wl_location {
  uint32_t die;
  uint32_t block;
  uint32_t page;
  uint32_t lpage; /* in the page of all planes, plane 0 first */
};

/* `superblock_units`: dies times units per block. */
static inline struct wl_geometry wl_geometry_of(uint32_t dies, uint32_t page_lpages, uint32_t unit_pages,
                                                uint32_t superblock_units) {
  struct wl_geometry g;
  g.dies = dies;
  g.page_lpages = page_lpages;
  g.unit_pages = unit_pages;
  g.unit_lpages = page_lpages * unit_pages;
  g.superblock_units = superblock_units;
  g.superblock_lpages = superblock_units * g.unit_lpages;
  return g;
}

/* n / d, and the rest. A core divides in many cycles and multiplies in few, but a compiler that sees n - n / d * d
 * divides again. */
static inline uint32_t wl_divide(uint32_t n, uint32_t d, uint32_t* rest) {
  uint32_t quotient = n / d;
  __asm__("" : "+r"(quotient));
  *rest = n - quotient * d;
  return quotient;
}

/* Die, block, page and logical page of a PPA. In hardware: four divisions by constants of a run. */
static inline struct wl_location wl_locate(const struct wl_geometry* g, wl_ppa_t ppa) {
  struct wl_location at;
  uint32_t in_superblock, in_unit;
  at.block = wl_divide(ppa, g->superblock_lpages, &in_superblock);
  const uint32_t unit = wl_divide(in_superblock, g->unit_lpages, &in_unit);
  const uint32_t row = wl_divide(unit, g->dies, &at.die);
  at.page = row * g->unit_pages + wl_divide(in_unit, g->page_lpages, &at.lpage);
  return at;
}

/* The inverse. 64 bits: the last PPAs of a drive may lie beyond what a map of 31 bits can name; the caller compares.
 */
static inline uint64_t wl_ppa_of(const struct wl_geometry* g, struct wl_location at) {
  const uint32_t row = at.page / g->unit_pages;
  const uint32_t in_unit = (at.page - row * g->unit_pages) * g->page_lpages + at.lpage;
  return ((uint64_t)at.block * g->superblock_units + (uint64_t)row * g->dies + at.die) * g->unit_lpages + in_unit;
}

/* Superblocks with pages of one size. The PPAs of smaller pages, and of shorter blocks, are some of those that the
 * superblocks would have if they were like the others. */
#define WL_REGIONS 2u /* each has pages of one size */
struct wl_page_kind {
  uint32_t first_superblock;
  uint32_t superblocks;
  uint32_t page_lpages; /* of one plane */
  uint32_t unit_lpages;
  uint32_t superblock_units;
  uint32_t superblock_lpages; /* that fit */
};

/* Logical pages from `ppa` to the end of its page. */
static inline uint32_t wl_page_room(const struct wl_geometry* g, wl_ppa_t ppa) {
  return g->page_lpages - ppa % g->page_lpages;
}

#endif
