/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sequential fill: where every sector of a preconditioned drive lies, by rule. Firmware (map entries never written)
 * and dies (pages never written) both ask this rule, so a full drive costs no memory and no replay. The order is the
 * one in which the FTL itself fills a superblock: unit by unit over all dies.
 */
#ifndef WORDLINE_FIRMWARE_FILL_H
#define WORDLINE_FIRMWARE_FILL_H

#include <stdint.h>

struct wl_fill_geometry {
  uint32_t dies;
  uint32_t sectors_per_mpage; /* sectors of one page over all planes */
  uint32_t pages_per_program;
  uint32_t pages; /* per block */
};

struct wl_location {
  uint32_t die;
  uint32_t block;
  uint32_t page;
  uint32_t sector; /* in the page of all planes, plane 0 first */
};

static inline struct wl_location wl_fill_location(const struct wl_fill_geometry* g, uint32_t lpn) {
  const uint32_t unit_sectors = g->sectors_per_mpage * g->pages_per_program;
  const uint32_t unit = lpn / unit_sectors;
  const uint32_t in_unit = lpn % unit_sectors;
  const uint32_t row = unit / g->dies; /* units of one die, counted over blocks */
  const uint32_t units_per_block = g->pages / g->pages_per_program;
  struct wl_location at;
  at.die = unit % g->dies;
  at.block = row / units_per_block;
  at.page = (row % units_per_block) * g->pages_per_program + in_unit / g->sectors_per_mpage;
  at.sector = in_unit % g->sectors_per_mpage;
  return at;
}

/* Sector that the fill put at this place; may lie beyond the exported capacity, the caller compares. */
static inline uint64_t wl_fill_lpn(const struct wl_fill_geometry* g, struct wl_location at) {
  const uint32_t unit_sectors = g->sectors_per_mpage * g->pages_per_program;
  const uint32_t units_per_block = g->pages / g->pages_per_program;
  const uint64_t row = (uint64_t)at.block * units_per_block + at.page / g->pages_per_program;
  return (row * g->dies + at.die) * unit_sectors + (at.page % g->pages_per_program) * g->sectors_per_mpage + at.sector;
}

#endif
