/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where a place lies. A line (superblock) is one block index on all planes of all dies. A unit is what one program operation
 * writes: pages_per_program pages of all planes of one die. Sectors are numbered over the drive in the order in which a line is
 * filled, unit by unit over all dies: place = (line * line_units + unit) * unit_sectors + sector.
 *
 * The sequential fill of a preconditioned drive puts sector n at place n. Firmware (map entries never written) and dies (pages
 * never written) both follow this rule, so a full drive costs no memory and no replay.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_GEOMETRY_H
#define WORDLINE_FIRMWARE_CONTRACT_GEOMETRY_H

#include <stdint.h>

struct wl_geometry {
  uint32_t dies;
  uint32_t page_sectors; /* of all planes */
  uint32_t unit_pages;   /* pages of one plane written by one program operation */
  uint32_t unit_sectors;
  uint32_t line_units;
  uint32_t line_sectors;
};

struct wl_location {
  uint32_t die;
  uint32_t block;
  uint32_t page;
  uint32_t sector; /* in the page of all planes, plane 0 first */
};

/* `line_units`: dies times units per block. */
static inline struct wl_geometry wl_geometry_of(uint32_t dies, uint32_t page_sectors, uint32_t unit_pages, uint32_t line_units) {
  struct wl_geometry g;
  g.dies = dies;
  g.page_sectors = page_sectors;
  g.unit_pages = unit_pages;
  g.unit_sectors = page_sectors * unit_pages;
  g.line_units = line_units;
  g.line_sectors = line_units * g.unit_sectors;
  return g;
}

/* Die, block, page and sector of a place. In hardware: four divisions by constants of a run. */
static inline struct wl_location wl_locate(const struct wl_geometry* g, uint32_t place) {
  const uint32_t line = place / g->line_sectors;
  const uint32_t in_line = place - line * g->line_sectors;
  const uint32_t unit = in_line / g->unit_sectors;
  const uint32_t in_unit = in_line - unit * g->unit_sectors;
  const uint32_t row = unit / g->dies;
  const uint32_t page = in_unit / g->page_sectors;
  struct wl_location at;
  at.die = unit - row * g->dies;
  at.block = line;
  at.page = row * g->unit_pages + page;
  at.sector = in_unit - page * g->page_sectors;
  return at;
}

/* The inverse. 64 bits: the last places of a drive may lie beyond what a map of 31 bits can name; the caller compares. */
static inline uint64_t wl_place_of(const struct wl_geometry* g, struct wl_location at) {
  const uint32_t row = at.page / g->unit_pages;
  const uint32_t in_unit = (at.page - row * g->unit_pages) * g->page_sectors + at.sector;
  return ((uint64_t)at.block * g->line_units + (uint64_t)row * g->dies + at.die) * g->unit_sectors + in_unit;
}

#endif
