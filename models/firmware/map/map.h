/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map, map unit to PPA, and its inverse (contract/map.h): the only room that writes them. A map unit is a logical
 * page of 4 KiB, or all logical pages of a page of one plane (ftl.map = page). Of such a unit the map
 * has one entry, with a bit for each logical page that says whether it holds data; the unit lies whole and aligned in
 * one page of flash, or in an aligned run of buffer slots, and the entry has the first PPA or slot. Where there are two
 * page sizes, the smaller pages are a region of their own, whose map unit is the logical page (region.h).
 *
 * Whatever an entry pointed to so far is released here: slots of the write buffer, or valid logical pages of a
 * superblock. A PPA holds valid data exactly when the map points to it; the inverse only names the candidate. What a
 * unit of several logical pages lies in counts as full: a superblock has as many valid logical pages as its map units
 * have room for, whether they hold data or not.
 *
 * Costs: 4 bytes for a map unit and 4 for its place in the inverse; of several logical pages also 4 for their bits, and
 * a division per look-up. Behind the MAP port (port.h) accesses of registers in place of loads and stores.
 */
#ifndef WORDLINE_FIRMWARE_MAP_MAP_H
#define WORDLINE_FIRMWARE_MAP_MAP_H

#include "models/firmware/context.h"
#include "models/firmware/contract/engines.h"
#include "models/firmware/core/arena.h"

void wl_map_layout(struct wl_firmware* fw, struct wl_arena* dram);
void wl_map_boot(struct wl_firmware* fw, const struct wl_hal* hal);
#ifdef WL_NATIVE
void wl_map_runs_on(struct wl_firmware* fw, const struct wl_hal* hal); /* before the ftl task goes on */
#endif

/* ---- logical pages ---- */
wl_map_value_t wl_map_get_in_page(const struct wl_firmware* fw, wl_lpn_t lpn);
/* PPA, buffer slot or nothing, as a wl_map value with the initial value resolved. */
wl_map_value_t wl_map_get(const struct wl_firmware* fw, wl_lpn_t lpn);
static inline bool wl_map_is_zero(wl_map_value_t value) { return value == WL_MAP_DEALLOCATED; } /* reads as zeros */
void wl_map_set_gone(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                     wl_map_value_t value); /* deallocated or lost */
/* The logical page at `ppa` could not be read: lost, if it is still valid. */
void wl_map_lose(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa);

/* ---- map units; `g`: wl_grain(fw) ---- */
struct wl_mapped {
  wl_map_value_t value; /* wl_map value of its first logical page */
  uint32_t present;     /* logical pages that hold data, by bit; 0: value is WL_MAP_DEALLOCATED or WL_MAP_LOST */
  uint32_t lost;        /* logical pages that could not be read */
};
struct wl_mapped wl_mapped(const struct wl_firmware* fw, wl_map_unit_t unit);
/* For the spare records of data that the map changes to now. */
WL_MUST_CHECK uint32_t wl_map_next_sequence(struct wl_firmware* fw);
/* Bits of the logical pages that exist. */
static inline uint32_t wl_map_unit_all(const struct wl_firmware* fw, wl_map_unit_t unit) {
  const uint32_t n = wl_map_unit(fw);
  const uint32_t left = fw->boot.user_lpages - unit * n;
  return (1u << (left < n ? left : n)) - 1;
}
static inline uint32_t wl_map_count(uint32_t bits) { /* of a map unit: the cores have no instruction for it */
  bits = bits - (bits >> 1 & 0x5555);
  bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
  bits = (bits + (bits >> 4)) & 0x0f0f;
  return (bits + (bits >> 8)) & 0x1f;
}
wl_lpn_t wl_map_lpage_at(const struct wl_firmware* fw, wl_ppa_t ppa);
wl_map_unit_t wl_map_page_at(const struct wl_firmware* fw, wl_ppa_t ppa);
/* The map unit whose valid data lie at `ppa`, its first, or WL_NONE. */
static inline wl_map_unit_t wl_map_unit_at(const struct wl_firmware* fw, wl_ppa_t ppa, struct wl_grain g) {
  return !g.by_page ? (wl_map_unit_t)wl_map_lpage_at(fw, ppa) : wl_map_page_at(fw, ppa);
}
void wl_map_lpage_arrived(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_slot_t slot);
void wl_map_page_arrived(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_slot_t slot,
                         uint32_t lpages);
/* Data of `lpages` have arrived in the slots from `slot` on; these hold what was present before, too. */
static inline void wl_map_set_buffer(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                     wl_slot_t slot, uint32_t lpages, struct wl_grain g) {
  if (!g.by_page)
    wl_map_lpage_arrived(fw, hal, (wl_lpn_t)unit, slot);
  else
    wl_map_page_arrived(fw, hal, unit, slot, lpages);
}
/* A program unit of the host is programmed: returns how many of its logical pages are valid. */
WL_MUST_CHECK uint32_t wl_map_commit_unit(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
/* `lpages` of the map unit are programmed at `ppa`, the others with them. Returns how many are valid there. */
WL_MUST_CHECK uint32_t wl_map_modified(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                       wl_ppa_t ppa, uint32_t lpages);
WL_MUST_CHECK bool wl_map_lpage_move(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t from,
                                     wl_ppa_t to);
WL_MUST_CHECK bool wl_map_page_move(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t from,
                                    wl_ppa_t to, const struct wl_gc_source* source);
/* A copy of the map unit at `from` is programmed, `source`: of its logical pages. True: it is the valid one now, else
 * the unit has changed meanwhile. */
static inline bool wl_map_move(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t from,
                               wl_ppa_t to, const struct wl_gc_source* source, struct wl_grain g) {
  return !g.by_page ? wl_map_lpage_move(fw, hal, (wl_lpn_t)unit, from, to)
                    : wl_map_page_move(fw, hal, unit, from, to, source);
}
/* The slots from `slot` on hold what stays of the map unit, or are its own, and `lpages` are deallocated. With
 * ftl.recovery. */
void wl_map_page_shrinks(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_slot_t slot,
                         uint32_t lpages);
/* A copy with the logical pages `present`, from wherever they lay, is programmed at `to`: the valid one from now on. */
void wl_map_merged(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t to, uint32_t present);
void wl_map_pad(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t count); /* nothing lies there */
#if WL_HAS_LARGE_MAPS
/* ---- for the cache of map pages ---- */
/* Whose data were programmed at `ppa`, valid or not. */
void wl_map_own(struct wl_firmware* fw, wl_ppa_t ppa, wl_lpn_t lpn);
/* The newest data of the logical page, in the write buffer so far, are at `ppa`. */
void wl_map_committed(struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa);
/* A newer version of a map page is at `to`, wherever it was before. */
void wl_map_rewritten(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t to);
#endif

#endif
